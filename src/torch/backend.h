#pragma once

#include "backend/backend.h"

namespace tonnx::torch {

// The implementation of backend::Backend: a single object that is never destroyed.
backend::Backend& libtorch_backend();

}  // namespace tonnx::torch
