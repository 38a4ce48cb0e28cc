#pragma once

#include <memory>
#include <string>

#include "ir/tensor.h"

namespace tonnx::ir {

// Marks the tensor, a copy on the host, with the device ("cuda:0") that it was copied from. The mark belongs to the
// storage. Empty device: returns the tensor unmarked.
Tensor copied_from(const std::string& device, Tensor tensor);
// The device of the mark; empty for the host.
std::string device_of(const Tensor& tensor);

}  // namespace tonnx::ir
