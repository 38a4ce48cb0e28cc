#pragma once

#include "backend/backend.h"

namespace tonnx::backend {

// Returns the backend of this process. The first call loads libtonnx_torch.so and with it LibTorch: the one that the
// process has already loaded, or else the one that the library is linked with. libtonnx_torch.so is searched beside the
// library that contains this code, then where the loader searches. It stays loaded. Throws DependencyError, with all
// locations that were tried and the reasons, also if it is of another build of tonnx; the next call tries again. May be
// called on any thread.
Backend& libtorch();

// Returns the backend if it is already loaded, else null.
Backend* loaded() noexcept;

}  // namespace tonnx::backend
