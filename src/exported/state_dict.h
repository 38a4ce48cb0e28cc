#pragma once

#include <string>
#include <unordered_map>

#include "ir/tensor.h"

namespace tonnx::exported {

// Tensors by state-dict key. Their bytes stay in the files.
using StateDict = std::unordered_map<std::string, ir::Tensor>;

// Reads a state dict: a file of torch.save (the state dict alone, or under "state_dict" in a checkpoint), a
// .safetensors file, or the files of an index (.safetensors.index.json), recognised by content. Throws
// Error(Code::File) if a file is missing, damaged or of another kind, Error(Code::Unsupported) for a tensor of an
// unknown dtype.
StateDict read_state_dict(const std::string& path);

}  // namespace tonnx::exported
