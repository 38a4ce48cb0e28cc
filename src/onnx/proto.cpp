#include "onnx/proto.h"

#include <bit>

#include "ir/error.h"
#include "ir/printer.h"

namespace tonnx::onnx {
namespace {

// raw_data is little-endian, and tensors are copied to it byte by byte.
static_assert(std::endian::native == std::endian::little);

void to_tensor_type(const ir::Facts& facts, pb::TypeProto_Tensor& out) {
  if (const std::int32_t type = ir::onnx_type(facts.dtype)) out.set_elem_type(type);
  if (!facts.dims) return;
  pb::TensorShapeProto& shape = *out.mutable_shape();
  for (const ir::Dim& dim : *facts.dims) {
    pb::TensorShapeProto_Dimension& d = *shape.add_dim();
    if (dim.is_fixed()) {
      d.set_dim_value(dim.size());
    } else if (dim.is_symbolic()) {
      d.set_dim_param(dim.text());
    }
  }
}

struct AttributeWriter {
  bool data;
  pb::AttributeProto& out;

  void operator()(std::int64_t value) const {
    out.set_type(pb::AttributeProto::INT);
    out.set_i(value);
  }
  void operator()(double value) const {
    out.set_type(pb::AttributeProto::FLOAT);
    out.set_f(static_cast<float>(value));
  }
  void operator()(const std::string& value) const {
    out.set_type(pb::AttributeProto::STRING);
    out.set_s(value);
  }
  void operator()(const ir::Tensor& value) const {
    out.set_type(pb::AttributeProto::TENSOR);
    to_proto(value, data, *out.mutable_t());
  }
  void operator()(const std::vector<std::int64_t>& values) const {
    out.set_type(pb::AttributeProto::INTS);
    for (const std::int64_t value : values) out.add_ints(value);
  }
  void operator()(const std::vector<double>& values) const {
    out.set_type(pb::AttributeProto::FLOATS);
    for (const double value : values) out.add_floats(static_cast<float>(value));
  }
  void operator()(const std::vector<std::string>& values) const {
    out.set_type(pb::AttributeProto::STRINGS);
    for (const std::string& value : values) out.add_strings(value);
  }
  void operator()(const std::vector<ir::Tensor>& values) const {
    out.set_type(pb::AttributeProto::TENSORS);
    for (const ir::Tensor& value : values) to_proto(value, data, *out.add_tensors());
  }
  void operator()(const ir::TypeAttribute& value) const {
    out.set_type(pb::AttributeProto::TYPE_PROTO);
    to_proto(value, *out.mutable_tp());
  }
};

}  // namespace

std::string domain_of(const ir::Node& node) {
  const std::string_view domain = node.domain();
  return domain == "onnx" ? std::string() : std::string(domain);
}

void to_proto(const ir::Tensor& tensor, bool data, pb::TensorProto& out) {
  const std::int32_t type = ir::onnx_type(tensor.dtype);
  if (!type) {
    throw ir::Error(ir::Code::Unsupported, "ONNX has no tensors of " + std::string(ir::name_of(tensor.dtype)));
  }
  for (const std::int64_t size : tensor.dims) out.add_dims(size);
  out.set_data_type(type);
  if (!data) return;
  std::string& bytes = *out.mutable_raw_data();
  bytes.resize(tensor.bytes());
  if (!bytes.empty()) tensor.read(0, tensor.numel(), reinterpret_cast<std::byte*>(bytes.data()));
}

void to_proto(const ir::NamedAttribute& attribute, bool data, pb::AttributeProto& out) {
  out.set_name(attribute.name);
  std::visit(AttributeWriter{data, out}, attribute.value);
}

void to_proto(const ir::TypeAttribute& type, pb::TypeProto& out) {
  pb::TypeProto_Tensor& tensor =
      *(type.is_sequence ? out.mutable_sequence_type()->mutable_elem_type() : &out)->mutable_tensor_type();
  tensor.set_elem_type(ir::onnx_type(type.dtype));
  if (!type.has_rank) return;
  pb::TensorShapeProto& shape = *tensor.mutable_shape();
  for (const std::int64_t size : type.dims) {
    pb::TensorShapeProto_Dimension& dim = *shape.add_dim();
    if (size >= 0) dim.set_dim_value(size);
  }
}

bool to_proto(const ir::Value& value, pb::TypeProto& out) {
  const ir::Facts& facts = value.facts();
  pb::TypeProto* tensor = &out;
  const ir::Type* type = &value.type();
  if (type->is(ir::Type::Kind::Optional) && type->elements.size() == 1) {
    tensor = tensor->mutable_optional_type()->mutable_elem_type();
    type = &type->elements[0];
  }
  if (type->is(ir::Type::Kind::List)) tensor = tensor->mutable_sequence_type()->mutable_elem_type();
  to_tensor_type(facts, *tensor->mutable_tensor_type());
  return ir::onnx_type(facts.dtype) != 0 || facts.dims;
}

Described from_proto(const pb::TypeProto& proto, const SizeOf& size_of) {
  Described result;
  const pb::TypeProto* type = &proto;
  const bool optional = type->has_optional_type();
  if (optional) type = &type->optional_type().elem_type();
  if (type->has_sequence_type()) {
    result.type = ir::Type::list(ir::Type::of(ir::Type::Kind::Tensor));
    type = &type->sequence_type().elem_type();
  } else if (!type->has_tensor_type() && type->value_case() != pb::TypeProto::VALUE_NOT_SET) {
    result.type = ir::Type::of(ir::Type::Kind::Other);
  }
  if (optional) result.type = ir::Type{ir::Type::Kind::Optional, {std::move(result.type)}, {}};
  if (!type->has_tensor_type()) return result;
  result.facts.dtype = ir::dtype_from_onnx(type->tensor_type().elem_type());
  if (!type->tensor_type().has_shape()) return result;
  std::vector<ir::Dim>& dims = result.facts.dims.emplace();
  for (const pb::TensorShapeProto_Dimension& dim : type->tensor_type().shape().dim()) {
    if (dim.has_dim_value() && dim.dim_value() >= 0) {
      dims.emplace_back(dim.dim_value());
    } else if (dim.has_dim_param() && !dim.dim_param().empty()) {
      dims.push_back(size_of(dim.dim_param()));
    } else {
      dims.emplace_back();
    }
  }
  return result;
}

std::string describe(const ir::Node& node) {
  std::string text = ir::print(node);
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  const std::size_t line_end = text.find('\n');
  if (line_end != std::string::npos) text = text.substr(0, line_end) + " ...";
  return text;
}

}  // namespace tonnx::onnx
