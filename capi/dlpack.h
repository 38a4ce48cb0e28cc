#pragma once

#include "ir/tensor.h"

struct DLManagedTensor;
struct DLManagedTensorVersioned;

namespace tonnx::capi {

// Wraps a struct of DLPack in a tensor that calls its deleter at the end, also if this throws. Throws
// Error(Code::Argument) for a device other than the host, for a dtype that tonnx does not have, and for the other one
// of the two structs; the deleter of a DLManagedTensor that is passed as a versioned one is not called. Source:
// DLPack 1.x.
ir::Tensor take_dlpack(DLManagedTensor* managed);
ir::Tensor take_dlpack(DLManagedTensorVersioned* managed);

// Return a new struct with a copy of the elements; its deleter frees both. Throw Error(Code::Argument) for a dtype that
// the struct does not have, Error(Code::File) if the file of the elements is gone.
DLManagedTensor* give_dlpack(const ir::Tensor& tensor);
DLManagedTensorVersioned* give_versioned_dlpack(const ir::Tensor& tensor);

}  // namespace tonnx::capi
