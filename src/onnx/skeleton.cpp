#include "onnx/skeleton.h"

#include <filesystem>

#include "ir/error.h"
#include "onnx/wire.h"

namespace tonnx::onnx {
namespace {

using wire::kGraphInitializer, wire::kModelGraph, wire::kTensorRawData;

// Larger initializers are not copied.
constexpr std::uint64_t kMaxKept = 16 * 1024;

class Walker {
 public:
  Walker(std::span<const std::byte> bytes, std::string name) : all_(bytes), name_(std::move(name)) {}

  struct Field {
    std::uint32_t number;
    std::span<const std::byte> whole;  // with tag and length
    std::span<const std::byte> bytes;  // of a length-delimited field
    bool is_bytes;
  };

  // Reads the next field of a message; advances `rest` past it.
  Field next(std::span<const std::byte>& rest) const {
    const std::span<const std::byte> start = rest;
    const std::uint64_t tag = varint(rest);
    Field field{static_cast<std::uint32_t>(tag >> 3), {}, {}, false};
    if (field.number == 0 || tag > 0xffffffff) fail();
    std::uint64_t size = 0;
    switch (static_cast<wire::Kind>(tag & 7)) {
      case wire::Kind::Varint: varint(rest); break;
      case wire::Kind::Fixed64: size = 8; break;
      case wire::Kind::Fixed32: size = 4; break;
      case wire::Kind::Bytes:
        size = varint(rest);
        field.is_bytes = true;
        break;
      default: fail();
    }
    if (size > rest.size()) fail();
    if (field.is_bytes) field.bytes = rest.first(size);
    rest = rest.subspan(size);
    field.whole = start.first(start.size() - rest.size());
    return field;
  }

  template <class Message>
  void merge(std::span<const std::byte> bytes, Message& out) const {
    if (bytes.size() > wire::kMaxMessage) fail();
    Message part;
    if (!part.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) fail();
    out.MergeFrom(part);
  }

  template <class Message>
  void merge(const std::string& bytes, Message& out) const {
    merge(std::as_bytes(std::span(bytes)), out);
  }

  std::uint64_t offset_of(std::span<const std::byte> bytes) const {
    return static_cast<std::uint64_t>(bytes.data() - all_.data());
  }

  const std::string& name() const { return name_; }
  [[noreturn]] void fail() const { throw ir::Error(ir::Code::File, name_ + ": not an ONNX model, or damaged"); }
  [[noreturn]] void fail(const std::string& reason) const { throw ir::Error(ir::Code::File, name_ + ": " + reason); }

 private:
  std::uint64_t varint(std::span<const std::byte>& rest) const {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (rest.empty()) fail();
      const auto byte = std::to_integer<std::uint64_t>(rest.front());
      rest = rest.subspan(1);
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    fail();
  }

  std::span<const std::byte> all_;
  std::string name_;
};

std::string_view view(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

StoredTensor read_tensor(const Walker& walker, std::span<const std::byte> bytes) {
  StoredTensor tensor;
  std::string header;
  bool raw = false;
  for (std::span<const std::byte> rest = bytes; !rest.empty();) {
    const Walker::Field field = walker.next(rest);
    if (field.number == kTensorRawData && field.is_bytes) {
      raw = true;
      tensor.offset = walker.offset_of(field.bytes);
      tensor.size = field.bytes.size();
    } else {
      header += view(field.whole);
    }
  }
  walker.merge(header, tensor.header);
  if (tensor.header.data_location() == pb::TensorProto::EXTERNAL) {
    tensor.external = external_region_of(tensor.header, walker.name());
    return tensor;
  }
  const std::int64_t expected = expected_bytes(tensor.header);
  if (raw && expected >= 0 && static_cast<std::uint64_t>(expected) != tensor.size) {
    walker.fail("initializer " + tensor.header.name() + ": " + std::to_string(tensor.size) +
                " bytes, but its shape needs " + std::to_string(expected));
  }
  tensor.kept = !raw || bytes.size() <= kMaxKept;
  if (tensor.kept) {
    tensor.header.Clear();
    walker.merge(bytes, tensor.header);
  }
  return tensor;
}

void read_graph(const Walker& walker, std::span<const std::byte> bytes, Skeleton& out) {
  std::string rest_of_graph;
  for (std::span<const std::byte> rest = bytes; !rest.empty();) {
    const Walker::Field field = walker.next(rest);
    if (field.number != kGraphInitializer || !field.is_bytes) {
      rest_of_graph += view(field.whole);
      continue;
    }
    out.tensors.push_back(read_tensor(walker, field.bytes));
    if (out.tensors.back().kept) rest_of_graph += view(field.whole);
  }
  walker.merge(rest_of_graph, *out.model.mutable_graph());
}

}  // namespace

std::shared_ptr<const ir::Storage> map_file(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!error && !std::filesystem::is_regular_file(status)) {
    throw ir::Error(ir::Code::File, path + ": not a regular file");
  }
  const std::uint64_t size = error ? 0 : std::filesystem::file_size(path, error);
  if (error) throw ir::Error(ir::Code::File, path + ": " + error.message());
  auto mapped = ir::Storage::file(path, 0, size);
  mapped->data();
  return mapped;
}

std::int64_t expected_bytes(const pb::TensorProto& header) {
  const ir::DType dtype = ir::dtype_from_onnx(header.data_type());
  auto span = static_cast<std::int64_t>(ir::is_packed(dtype) ? 1 : ir::size_of(dtype)), count = std::int64_t{1};
  if (span == 0) return -1;
  for (const std::int64_t dim : header.dims()) {
    if (dim < 0 || __builtin_mul_overflow(span, dim, &span)) return -1;
    count *= dim;
  }
  return static_cast<std::int64_t>(ir::bytes_for(dtype, count));
}

Skeleton read_skeleton(std::span<const std::byte> bytes, const std::string& name) {
  const Walker walker(bytes, name);
  Skeleton result;
  std::string rest_of_model;
  for (std::span<const std::byte> rest = bytes; !rest.empty();) {
    const Walker::Field field = walker.next(rest);
    if (field.number == kModelGraph && field.is_bytes) {
      read_graph(walker, field.bytes, result);
    } else {
      rest_of_model += view(field.whole);
    }
  }
  walker.merge(rest_of_model, result.model);
  if (!result.model.has_graph() || result.model.opset_import_size() == 0) walker.fail();
  return result;
}

}  // namespace tonnx::onnx
