#pragma once

namespace tonnx::backend {

class Backend;

// The backend calls it before each operator. It may never return.
using Checkpoint = void (*)() noexcept;

// The functions that the second library exports, with the C calling convention: const char* (), which returns its
// build_stamp(); std::uint32_t (), which returns the line of LibTorch that it is built for (line_of()); and Backend*
// (Checkpoint), which may be called only if both fit.
inline constexpr const char* kStampFunction = "tonnx_torch_build_stamp";
inline constexpr const char* kLineFunction = "tonnx_torch_libtorch_line";
inline constexpr const char* kBackendFunction = "tonnx_torch_backend";

// Identifies builds whose shared classes are compatible: "0.1.0-9f2c4e", the version and a digest of the headers of
// src/ir and src/backend.
const char* build_stamp() noexcept;

}  // namespace tonnx::backend
