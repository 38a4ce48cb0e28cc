#pragma once

#include <memory>

#include <c10/core/Storage.h>

#include "ir/tensor.h"

// Internal: includes LibTorch.
namespace tonnx::torch {

// Wraps a storage on another device than the host without a copy; any thread may read the result. The caller must not
// write to the storage until data() of the result was called. Waits for what this thread has queued on the device.
// Returns null if LibTorch cannot wait for that device.
std::shared_ptr<const ir::Storage> device_storage(c10::Storage storage);

}  // namespace tonnx::torch
