#pragma once

#include <string>

#include "exported/state_dict.h"

namespace tonnx::exported {

// The tensors of a .safetensors file. Throws Error(Code::File) where it is none or damaged, Error(Code::Unsupported)
// for a dtype that is not known.
StateDict read_safetensors(const std::string& path);
// Those of all files that an index names, which lie beside it.
StateDict read_safetensors_index(const std::string& path);

}  // namespace tonnx::exported
