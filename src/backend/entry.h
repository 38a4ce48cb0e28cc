#pragma once

namespace tonnx::backend {

class Backend;

// The backend calls it before each operator. It may never return.
using Checkpoint = void (*)() noexcept;

// The two functions that the second library exports, with the C calling convention: const char* (), which returns its
// build_stamp(), and Backend* (Checkpoint), which may be called only if the stamps are equal.
inline constexpr const char* kStampFunction = "tonnx_torch_build_stamp";
inline constexpr const char* kBackendFunction = "tonnx_torch_backend";

// Identifies builds whose shared classes are compatible: "0.1.0-9f2c4e", the version and a digest of the headers of
// src/ir and src/backend.
const char* build_stamp() noexcept;

}  // namespace tonnx::backend
