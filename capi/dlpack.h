#pragma once

#include "ir/tensor.h"

namespace tonnx::capi {

// A DLManagedTensor * as a tensor that calls its deleter at the end. The deleter also runs when this throws:
// Error(Code::Argument) for a device that is not the host or a dtype that tonnx lacks. Source: DLPack 0.x/1.x
// unversioned ABI.
ir::Tensor take_dlpack(void* managed_tensor);

// A new DLManagedTensor * over a copy of the elements; its deleter frees both. Throws Error(Code::Argument) for a dtype
// that DLPack lacks, Error(Code::File) if the elements lie in a file that is gone.
void* give_dlpack(const ir::Tensor& tensor);

}  // namespace tonnx::capi
