#pragma once

#include "backend/backend.h"

namespace tonnx::torch {

// What LibTorch does for the core; one object, which is never destroyed.
backend::Backend& libtorch_backend();

}  // namespace tonnx::torch
