#pragma once

#include <cstdint>
#include <string>
#include <vector>

// The files that implement the backend: libtonnx_torch-2.11.so for LibTorch 2.11, beside the library that contains this
// code.
namespace tonnx::backend {

// Path of the library that contains this code.
std::string own_file();

// Lists the LibTorch lines that have a file beside this library: "2.7", "2.11".
std::vector<std::string> backend_lines();

// Path of a file in the folders in which backends are looked for first; "" if there is none.
std::string file_beside(const std::string& name);

// The name of the file for this version of LibTorch: "libtonnx_torch-2.11.so".
std::string backend_name(std::uint32_t version);

// Opens the file for this version of LibTorch, from the folder tonnx-SOVERSION beside this library or the folder of
// this library, or else from where the loader searches. A file that exists is used, even if it cannot be loaded.
// Returns null if it is not found or cannot be loaded, and adds the paths and reasons to `tried`, one a line.
void* open_backend(std::uint32_t version, std::string& tried);

}  // namespace tonnx::backend
