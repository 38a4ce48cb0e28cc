#pragma once

// Internal to src/onnx: includes protobuf headers.

#include <cstdint>
#include <optional>
#include <string>

#include "onnx/proto.h"

namespace tonnx::onnx {

// The bytes of a tensor in another file.
struct ExternalRegion {
  std::string location;  // file name, relative to the model's folder
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length;
};

// The external region of a tensor with location EXTERNAL. Throws Error(Code::File), prefixed with `model`, the name of
// the model file, if there is no location, an offset or length is not a byte count, or one of them is specified twice.
ExternalRegion external_region_of(const pb::TensorProto& tensor, const std::string& model);

}  // namespace tonnx::onnx
