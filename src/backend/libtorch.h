#pragma once

#include <cstdint>
#include <string>

#include "backend/backend.h"

namespace tonnx::backend {

// Returns the backend of this process. The first call loads LibTorch, if the process has none (process_libtorch.h), and
// libtonnx_torch-2.X.so, which is built for that line of LibTorch (backend_files.h). Both stay loaded. Throws
// DependencyError, with all locations that were tried and the reasons: if LibTorch or a backend for it is missing, if
// the process has two LibTorchs, also later, or if the backend is of another build of tonnx. The next call tries again.
// May be called on any thread.
Backend& libtorch();

// Same, with the LibTorch of a folder, which becomes that of the process. Throws the errors of libtorch(), also if the
// process already has another LibTorch.
Backend& libtorch_in(const std::string& folder);

// Declares that this library runs inside of another program's calls: the backend keeps calling libtonnx.so, if that is
// loaded, for observers and at exit. Call it before libtorch().
void be_guest() noexcept;

// Returns the backend if it is already loaded, else null.
Backend* loaded() noexcept;

// Returns the version of the LibTorch that this process has loaded, itself or through tonnx: 0x020B00 is 2.11.0.
// Returns 0 if there is none, if there are several, or if it is older than 2.7.
std::uint32_t libtorch_version();

}  // namespace tonnx::backend
