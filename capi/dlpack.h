#pragma once

#include "ir/tensor.h"

namespace tonnx::capi {

// Wraps a DLManagedTensor * in a tensor that calls its deleter at the end, also if this throws. Throws
// Error(Code::Argument) for a device other than the host and for a dtype that tonnx does not have. Source: DLPack
// 0.x/1.x unversioned ABI.
ir::Tensor take_dlpack(void* managed_tensor);

// Returns a new DLManagedTensor * with a copy of the elements; its deleter frees both. Throws Error(Code::Argument) for
// a dtype that DLPack does not have, Error(Code::File) if the file of the elements is gone.
void* give_dlpack(const ir::Tensor& tensor);

}  // namespace tonnx::capi
