#pragma once

#include <cstdint>

#include "backend/backend.h"

namespace tonnx::torch {

// The implementation of backend::Backend: a single object that is never destroyed.
backend::Backend& libtorch_backend();

// The line of LibTorch whose headers this is compiled with: 0x020B is 2.11.
std::uint32_t libtorch_line() noexcept;

}  // namespace tonnx::torch
