#pragma once

#include <cstddef>

#include <c10/core/Device.h>

// A LibTorch device that needs no hardware. Its memory stores each byte inverted, so reading it as host memory returns
// wrong values. Its operators run on the host; after one fails, all others fail, as after an index out of range on
// CUDA.
namespace callbacks {

// The device, registered once per process; a real one if TONNX_TEST_DEVICE names it ("cuda", with LibTorch's library
// preloaded).
c10::Device other_device();

// The size in bytes of the largest block of page-locked memory that was requested for it; 0 for a real device.
std::size_t largest_page_locked_block();

}  // namespace callbacks
