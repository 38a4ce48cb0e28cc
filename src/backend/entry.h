#pragma once

namespace tonnx::backend {

// What the second library exports, both with the C calling convention: const char* (), the build_stamp() it was made
// with, and Backend* (), to be called only where the stamps are the same.
inline constexpr const char* kStampFunction = "tonnx_torch_build_stamp";
inline constexpr const char* kBackendFunction = "tonnx_torch_backend";

// Tells apart builds between which the classes that cross may differ: "0.1.0-9f2c4e", the version and a digest of the
// headers of src/ir and src/backend.
const char* build_stamp() noexcept;

}  // namespace tonnx::backend
