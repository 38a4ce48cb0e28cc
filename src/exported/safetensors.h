#pragma once

#include <string>

#include "exported/state_dict.h"

namespace tonnx::exported {

// Reads the tensors of a .safetensors file. Throws Error(Code::File) if it is another file or damaged,
// Error(Code::Unsupported) for an unknown dtype.
StateDict read_safetensors(const std::string& path);
// Reads all files that an index refers to, which are in its folder.
StateDict read_safetensors_index(const std::string& path);

}  // namespace tonnx::exported
