#pragma once

// Internal to src/onnx: it shows protobuf headers.

#include <cstdint>
#include <optional>
#include <string>

#include "onnx/proto.h"

namespace tonnx::onnx {

// The bytes of a tensor in another file.
struct ExternalRegion {
  std::string location;  // of the file, from the model's folder
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length;
};

// What a tensor of location EXTERNAL says of its bytes. Throws Error(Code::File), which begins with `model`, the name
// of the model's file, where there is no location, an offset or a length is not a number of bytes, or one of them is
// given twice.
ExternalRegion external_data_of(const pb::TensorProto& tensor, const std::string& model);

}  // namespace tonnx::onnx
