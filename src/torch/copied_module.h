#pragma once

#include <memory>

#include "backend/archive.h"

namespace tonnx::torch {

// Implements Backend::copy_module.
std::shared_ptr<backend::Archive> copy_module(const void* jit_module, bool share_weights);

}  // namespace tonnx::torch
