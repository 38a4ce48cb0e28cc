#pragma once

#include <string>
#include <unordered_map>

#include "ir/tensor.h"

namespace tonnx::exported {

// Tensors by state-dict key. Their bytes stay in the files.
using StateDict = std::unordered_map<std::string, ir::Tensor>;

// The state dict in a file of torch.save (alone, or under "state_dict" in a checkpoint), in a .safetensors file, or in
// the files that an index of such (.safetensors.index.json) names; told apart by content. Throws Error(Code::File)
// where a file is missing, damaged or none of these, and Error(Code::Unsupported) for a tensor of a dtype that is not
// known.
StateDict read_state_dict(const std::string& path);

}  // namespace tonnx::exported
