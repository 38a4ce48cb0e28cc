#pragma once

#include <c10/core/Device.h>

// A device of LibTorch's that needs no hardware: its memory holds each byte inverted, so that whoever reads it as the
// host's gets other values. Its operators are the host's; once one of them fails none works any more, as after an index
// outside on CUDA.
namespace callbacks {

// Registered once in a process. A real one where TONNX_TEST_DEVICE names it ("cuda"; LibTorch's library for it
// preloaded).
c10::Device other_device();

}  // namespace callbacks
