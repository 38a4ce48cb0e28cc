#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

// The LibTorch of this process, found without a call into it, except for aoti_torch_abi_version(): a function of C
// without arguments, which LibTorch has since 2.7.
namespace tonnx::backend {

struct LibTorch {
  std::string file;           // "/usr/lib/libtorch_cpu.so"
  std::uint32_t version = 0;  // 0x020B00 is 2.11.0; 0 if it does not say, as before 2.7
};

// The first two numbers of a version: releases of one line have the same classes.
std::uint32_t line_of(std::uint32_t version) noexcept;
std::string line_text(std::uint32_t version);  // "2.11"
// "LibTorch 2.11.0", "a LibTorch older than 2.7".
std::string libtorch_text(std::uint32_t version);

// All LibTorchs that this process has loaded, also those in a library of another name or in the
// program itself.
std::vector<LibTorch> loaded_libtorchs();

// Returns the only LibTorch of the process. Loads it if there is none: from `folder`, or if that is empty, from where
// the loader searches (LD_LIBRARY_PATH, then the run path of this library). The folder may be that of the libraries or
// the one above, which contains lib/. It stays loaded. Throws DependencyError if none is found; if the process has two;
// if it is not a shared library called libtorch_cpu.so; or if `folder` has another one than the process.
LibTorch load_process_libtorch(const std::filesystem::path& folder = {});

// Throws DependencyError if the process has loaded a second LibTorch since the last call.
void refuse_second_libtorch();

}  // namespace tonnx::backend
