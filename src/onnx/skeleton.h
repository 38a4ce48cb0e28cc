#pragma once

// A model's message without the bytes of its weights. Internal to src/onnx: includes protobuf headers.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "onnx/external_region.h"
#include "onnx/proto.h"

namespace tonnx::onnx {

// An initializer of the main graph as stored in the message.
struct StoredTensor {
  pb::TensorProto header;                  // without raw data, unless kept
  bool kept = false;                       // also complete in Skeleton::model: it is small, or its data are not raw
  std::optional<ExternalRegion> external;  // if the data are in another file
  std::uint64_t offset = 0;                // of the raw data in the message
  std::uint64_t size = 0;
};

struct Skeleton {
  pb::ModelProto model;
  std::vector<StoredTensor> tensors;  // in order, including kept ones
};

// Maps a whole file. Throws Error(Code::File) if it is not a readable regular file.
std::shared_ptr<const ir::Storage> map_file(const std::string& path);

// Walks the wire format, so that only kept parts are read. `name` is used in messages (Error(Code::File)).
Skeleton read_skeleton(std::span<const std::byte> bytes, const std::string& name);

// The number of bytes for a tensor's type and dims; -1 for types without a fixed size, or invalid dims.
std::int64_t expected_bytes(const pb::TensorProto& header);

}  // namespace tonnx::onnx
