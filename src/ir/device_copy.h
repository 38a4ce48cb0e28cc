#pragma once

#include <memory>
#include <string>

#include "ir/tensor.h"

namespace tonnx::ir {

// The tensor over the same bytes, which are a copy, on the host, of what its owner keeps on a device ("cuda:0"). The
// mark stays with the storage; empty: none, the tensor as it is.
Tensor copied_from(const std::string& device, Tensor tensor);
// That device; empty for the host.
std::string device_of(const Tensor& tensor);

}  // namespace tonnx::ir
