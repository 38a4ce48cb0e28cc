#pragma once

// A model's message without the bytes of its weights. Internal to src/onnx: it shows protobuf headers.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "onnx/external_data.h"
#include "onnx/proto.h"

namespace tonnx::onnx {

// An initializer of the main graph as it stands in the message.
struct StoredTensor {
  pb::TensorProto header;                  // without raw data, unless kept
  bool kept = false;                       // whole in Skeleton::model as well: it is small, or its data are not raw
  std::optional<ExternalRegion> external;  // where the data are in another file
  std::uint64_t offset = 0;                // of the raw data in the message
  std::uint64_t size = 0;
};

struct Skeleton {
  pb::ModelProto model;
  std::vector<StoredTensor> tensors;  // in order, kept ones included
};

// A whole file, mapped. Throws Error(Code::File) if it is no readable regular file.
std::shared_ptr<const ir::Storage> map_file(const std::string& path);

// Walks the wire format, so that only what is kept is touched. `name` stands in messages: Error(Code::File).
Skeleton read_skeleton(std::span<const std::byte> bytes, const std::string& name);

// The bytes that a tensor's type and dims ask for; -1 for types without a fixed size or dims that are no sizes.
std::int64_t expected_bytes(const pb::TensorProto& header);

}  // namespace tonnx::onnx
