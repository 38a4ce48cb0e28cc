#pragma once

#include <optional>
#include <string_view>

#include "ir/dtype.h"

namespace tonnx::ir {

// Reads what dtype_from_name() reads, the names of TorchScript ("Long"), ONNX ("FLOAT16") and LibTorch ("int64_t",
// "LongTensor") in any case, and names with a prefix ("torch.float32", "TensorProto.FLOAT").
std::optional<DType> dtype_from_spelling(std::string_view name);

}  // namespace tonnx::ir
