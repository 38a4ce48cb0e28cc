#include "onnx/reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <optional>
#include <unordered_map>

#include "ir/control_flow.h"
#include "ir/error.h"
#include "ir/source_line.h"
#include "onnx/opset.h"
#include "onnx/skeleton.h"

namespace tonnx::onnx {
namespace {

// The double with the float's shortest text: 0.1f prints as 0.1, and converts back to the same float.
double widen(float value) {
  if (!std::isfinite(value)) return value;
  char text[32];
  const auto end = std::to_chars(text, text + sizeof(text), value);
  double result = 0;
  std::from_chars(text, end.ptr, result);
  return result;
}

template <class Items>
void store_items(const Items& items, ir::DType dtype, std::vector<std::byte>& out) {
  const std::size_t size = ir::size_of(dtype);
  for (std::size_t i = 0; i < static_cast<std::size_t>(items.size()); ++i) {
    if ((i + 1) * size > out.size()) return;
    const auto value = items[static_cast<int>(i)];
    if constexpr (std::is_floating_point_v<std::decay_t<decltype(value)>>) {
      ir::store(dtype, static_cast<double>(value), out.data() + i * size);
    } else {
      ir::store(dtype, static_cast<std::int64_t>(value), out.data() + i * size);
    }
  }
}

// The elements of a message that stores them as numbers, not as raw bytes; source: onnx.proto, TensorProto.
std::vector<std::byte> typed_bytes(const pb::TensorProto& tensor, ir::DType dtype, std::size_t size) {
  std::vector<std::byte> bytes(size);
  if (size == 0) return bytes;                                             // the dtype may have no size
  const std::size_t item = ir::is_packed(dtype) ? 1 : ir::size_of(dtype);  // of packed dtypes, bytes are stored
  switch (tensor.data_type()) {
    case pb::TensorProto::FLOAT: store_items(tensor.float_data(), dtype, bytes); break;
    case pb::TensorProto::DOUBLE: store_items(tensor.double_data(), dtype, bytes); break;
    case pb::TensorProto::INT64: store_items(tensor.int64_data(), dtype, bytes); break;
    case pb::TensorProto::UINT32:
    case pb::TensorProto::UINT64: store_items(tensor.uint64_data(), dtype, bytes); break;
    case pb::TensorProto::COMPLEX64: store_items(tensor.float_data(), ir::DType::Float32, bytes); break;
    case pb::TensorProto::COMPLEX128: store_items(tensor.double_data(), ir::DType::Float64, bytes); break;
    default:
      // Narrow integers, and the bits of narrow floats, are stored in one int32 each.
      for (std::size_t i = 0; i < static_cast<std::size_t>(tensor.int32_data_size()) && (i + 1) * item <= size; ++i) {
        const std::int32_t bits = tensor.int32_data(static_cast<int>(i));
        std::memcpy(bytes.data() + i * item, &bits, std::min(item, sizeof(bits)));
      }
  }
  return bytes;
}

class Reader {
 public:
  Reader(Skeleton skeleton, std::string name, std::string folder)
      : skeleton_(std::move(skeleton)), name_(std::move(name)), folder_(std::move(folder)) {}

  // Returns the storage of a weight's raw bytes, by offset and size in the message.
  using FindStorage = std::function<std::shared_ptr<const ir::Storage>(std::uint64_t, std::uint64_t)>;

  Model read(const FindStorage& find_storage) {
    Model model;
    model.graph = std::make_unique<ir::Graph>();
    graph_ = model.graph.get();
    read_info(model.info);
    const pb::GraphProto& graph = skeleton_.model.graph();
    graph_->set_name(graph.name());
    int kept = 0;
    for (const StoredTensor& tensor : skeleton_.tensors) {
      if (tensor.kept) {
        add_weight(graph.initializer(kept++));
      } else {
        add_weight(tensor, find_storage);
      }
    }
    read_block(graph_->block(), graph, 0);
    model.info.initializers_as_inputs = initializers_as_inputs_;
    model.info.doc_strings = doc_strings_;
    infer(model.info.opset);
    return model;
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const { throw ir::Error(ir::Code::File, name_ + ": " + reason); }

  void read_info(ModelInfo& info) const {
    const pb::ModelProto& model = skeleton_.model;
    info.ir_version = static_cast<int>(model.ir_version());
    info.producer_name = model.producer_name();
    info.producer_version = model.producer_version();
    info.domain = model.domain();
    info.model_version = model.model_version();
    info.graph_name = model.graph().name();
    info.doc = model.doc_string();
    for (const pb::FunctionProto& function : model.functions()) info.functions.push_back(function.SerializeAsString());
    for (const pb::OperatorSetIdProto& import : model.opset_import()) {
      if (import.domain().empty() || import.domain() == "ai.onnx") {
        info.opset = static_cast<int>(import.version());
      } else {
        info.domains.emplace_back(import.domain(), import.version());
      }
    }
    for (const pb::StringStringEntryProto& entry : model.metadata_props()) {
      info.metadata.emplace_back(entry.key(), entry.value());
    }
    info.value_infos = model.graph().value_info_size() > 0;
  }

  void define(const std::string& name, ir::Value* value) {
    if (name.empty()) return;
    value->set_name(name);
    std::vector<ir::Value*>& stack = values_[name];
    stack.push_back(value);
    defined_.push_back(&stack);
  }

  ir::Value* look_up(const std::string& name) const {
    if (name.empty()) return nullptr;
    const auto found = values_.find(name);
    if (found == values_.end() || found->second.empty()) fail("value " + name + " is used before it is defined");
    return found->second.back();
  }

  void describe_value(ir::Value& value, const pb::TypeProto& type) const {
    Described described = from_proto(type);
    if (value.weight()) return;
    value.set_type(std::move(described.type));
    value.facts().dtype = described.facts.dtype;
    value.facts().dims = std::move(described.facts.dims);
  }

  ir::Tensor header_of(const pb::TensorProto& proto) const {
    ir::Tensor tensor;
    tensor.dtype = ir::dtype_from_onnx(proto.data_type());
    tensor.dims.assign(proto.dims().begin(), proto.dims().end());
    // Strides must be representable, even if a dim is 0.
    std::int64_t span = std::max<std::int64_t>(static_cast<std::int64_t>(ir::size_of(tensor.dtype)), 1);
    for (const std::int64_t dim : tensor.dims) {
      if (dim < 0 || __builtin_mul_overflow(span, std::max<std::int64_t>(dim, 1), &span)) {
        fail("tensor " + proto.name() + ": dims out of range");
      }
    }
    tensor.strides = ir::contiguous_strides(tensor.dims);
    return tensor;
  }

  // Element types without a fixed size have no bytes here.
  ir::Tensor read_tensor(const pb::TensorProto& proto) const {
    ir::Tensor tensor = header_of(proto);
    const std::size_t size = tensor.bytes();
    if (proto.data_location() == pb::TensorProto::EXTERNAL) {
      tensor.storage = external(proto.name(), external_region_of(proto, name_), size);
    } else if (proto.has_raw_data()) {
      if (size != 0 && proto.raw_data().size() != size) {
        fail("tensor " + proto.name() + ": " + std::to_string(proto.raw_data().size()) +
             " bytes, but its shape needs " + std::to_string(size));
      }
      tensor.storage = ir::Storage::copy(proto.raw_data().data(), proto.raw_data().size());
    } else {
      const std::int64_t items = proto.float_data_size() + proto.double_data_size() + proto.int32_data_size() +
                                 proto.int64_data_size() + proto.uint64_data_size();
      const std::int64_t wanted = ir::is_packed(tensor.dtype)    ? static_cast<std::int64_t>(size)
                                  : ir::is_complex(tensor.dtype) ? 2 * tensor.numel()
                                                                 : tensor.numel();
      if (size != 0 && items != wanted) {
        fail("tensor " + proto.name() + ": " + std::to_string(items) + " numbers, but its shape needs " +
             std::to_string(wanted));
      }
      tensor.storage = ir::Storage::own(typed_bytes(proto, tensor.dtype, size));
    }
    return tensor;
  }

  // `size`: the number of bytes that dtype and shape need; 0 for a dtype without a fixed size.
  std::shared_ptr<const ir::Storage> external(const std::string& tensor, const ExternalRegion& region,
                                              std::uint64_t size) const {
    const std::filesystem::path location(region.location);
    for (const auto& part : location) {
      if (location.is_absolute() || part == "..") {
        fail("external data in " + region.location + " is outside the model's folder");
      }
    }
    if (size != 0 && region.length.value_or(size) != size) {
      fail("tensor " + tensor + ": " + std::to_string(*region.length) +
           " bytes of external data, but its shape needs " + std::to_string(size));
    }
    return ir::Storage::file((std::filesystem::path(folder_) / location).string(), region.offset,
                             size != 0 ? size : region.length.value_or(0));
  }

  void add_weight(const pb::TensorProto& proto) {
    if (proto.name().empty()) fail("an initializer has no name");
    define(proto.name(), graph_->add_weight(proto.name(), read_tensor(proto)));
  }

  void add_weight(const StoredTensor& stored, const FindStorage& find_storage) {
    ir::Tensor tensor = header_of(stored.header);
    const std::uint64_t size = tensor.bytes();
    tensor.storage = stored.external ? external(stored.header.name(), *stored.external, size)
                                     : find_storage(stored.offset, stored.size);
    if (stored.header.name().empty()) fail("an initializer has no name");
    define(stored.header.name(), graph_->add_weight(stored.header.name(), std::move(tensor)));
  }

  void read_block(ir::Block& block, const pb::GraphProto& graph, int depth) {
    const std::size_t outside = defined_.size();
    if (depth > 0) {
      for (const pb::TensorProto& tensor : graph.initializer()) add_weight(tensor);
    }
    if (graph.sparse_initializer_size() > 0) fail("sparse initializers are not supported");
    for (const pb::ValueInfoProto& input : graph.input()) {
      const auto known = values_.find(input.name());
      if (depth == 0 && known != values_.end() && !known->second.empty()) {
        initializers_as_inputs_ = true;
        continue;
      }
      ir::Value* value = block.add_input();
      describe_value(*value, input.type());
      define(input.name(), value);
    }
    std::unordered_map<std::string, const pb::TypeProto*> types;
    for (const pb::ValueInfoProto& info : graph.value_info()) types.emplace(info.name(), &info.type());
    for (const pb::ValueInfoProto& output : graph.output()) types[output.name()] = &output.type();
    for (const pb::NodeProto& node : graph.node()) {
      const ir::Node* made = read_node(block, node, depth);
      for (ir::Value* value : made->outputs()) {
        const auto type = types.find(value->name());
        if (type != types.end() && !value->name().empty() && !value->constant()) describe_value(*value, *type->second);
      }
    }
    for (const pb::ValueInfoProto& output : graph.output()) {
      ir::Value* value = look_up(output.name());
      if (!value) fail("a graph output has no name");
      block.add_output(value);
    }
    for (; defined_.size() > outside; defined_.pop_back()) defined_.back()->pop_back();
  }

  ir::Node* read_node(ir::Block& block, const pb::NodeProto& proto, int depth) {
    const bool standard = proto.domain().empty() || proto.domain() == "ai.onnx";
    if (proto.op_type().empty()) fail("a node has no operator");
    std::vector<ir::Value*> inputs;
    for (const std::string& input : proto.input()) inputs.push_back(look_up(input));
    ir::Node* node = graph_->create((standard ? "onnx" : proto.domain()) + "::" + proto.op_type(), inputs,
                                    static_cast<std::size_t>(proto.output_size()));
    block.append(node);
    node->set_name(proto.name());
    read_location(proto, *node);
    std::vector<std::pair<std::string, const pb::GraphProto*>> graphs;
    for (const pb::AttributeProto& attribute : proto.attribute()) {
      if (attribute.has_g()) {
        graphs.emplace_back(attribute.name(), &attribute.g());
      } else {
        node->set_attribute(attribute.name(), read_attribute(attribute));
      }
    }
    // Blocks are in the IR's order: the branches of If by their names, others as stored.
    if (node->is("onnx::If")) std::ranges::sort(graphs, std::greater<>());
    std::vector<std::string> names;
    for (const auto& [name, graph] : graphs) {
      read_block(*node->add_block(), *graph, depth + 1);
      names.push_back(name);
    }
    if (!standard && !names.empty()) node->set_attribute(ir::kBlockNames, std::move(names));
    for (int i = 0; i < proto.output_size(); ++i) define(proto.output(i), node->output(static_cast<std::size_t>(i)));
    if (node->is("onnx::Constant") && node->output_count() == 1) read_constant(*node);
    return node;
  }

  void read_location(const pb::NodeProto& proto, ir::Node& node) {
    std::string source = proto.doc_string();
    ir::Location location;
    doc_strings_ = doc_strings_ || !source.empty();
    for (const pb::StringStringEntryProto& entry : proto.metadata_props()) {
      if (source.empty() && entry.key() == "source") source = entry.value();
      if (entry.key() == "module")
        location.scope = std::make_shared<const ir::Scope>(ir::Scope{nullptr, "", entry.value()});
    }
    if (!source.empty()) location.line = std::make_shared<const ir::SourceLine>(std::move(source));
    node.set_location(std::move(location));
  }

  static void read_constant(ir::Node& node) {
    std::optional<ir::Tensor> tensor;
    if (const auto* value = node.attribute_as<ir::Tensor>("value")) tensor = *value;
    if (const auto* value = node.attribute_as<std::int64_t>("value_int")) {
      tensor = ir::Tensor::scalar(ir::DType::Int64, *value);
    }
    if (const auto* value = node.attribute_as<double>("value_float")) {
      tensor = ir::Tensor::scalar(ir::DType::Float32, *value);
    }
    if (const auto* values = node.attribute_as<std::vector<std::int64_t>>("value_ints")) {
      tensor = ir::Tensor::of_int64(*values);
    }
    if (!tensor) return;
    ir::Facts& facts = node.output()->facts();
    facts.dtype = tensor->dtype;
    facts.dims = std::vector<ir::Dim>(tensor->dims.begin(), tensor->dims.end());
    facts.constant = std::make_shared<const ir::Constant>(ir::Constant{*tensor});
  }

  ir::Attribute read_attribute(const pb::AttributeProto& proto) const {
    using Proto = pb::AttributeProto;
    switch (proto.type()) {
      case Proto::INT: return proto.i();
      case Proto::FLOAT: return widen(proto.f());
      case Proto::STRING: return proto.s();
      case Proto::TENSOR: return read_tensor(proto.t());
      case Proto::INTS: return std::vector<std::int64_t>(proto.ints().begin(), proto.ints().end());
      case Proto::STRINGS: return std::vector<std::string>(proto.strings().begin(), proto.strings().end());
      case Proto::FLOATS: {
        std::vector<double> values;
        for (const float value : proto.floats()) values.push_back(widen(value));
        return values;
      }
      case Proto::TENSORS: {
        std::vector<ir::Tensor> tensors;
        for (const pb::TensorProto& tensor : proto.tensors()) tensors.push_back(read_tensor(tensor));
        return tensors;
      }
      case Proto::TYPE_PROTO: return read_type(proto.tp());
      default: fail("attribute " + proto.name() + " has an unsupported type");
    }
  }

  static ir::TypeAttribute read_type(const pb::TypeProto& proto) {
    const Described described = from_proto(proto);
    ir::TypeAttribute type;
    type.dtype = described.facts.dtype;
    type.is_sequence = described.type.is(ir::Type::Kind::List);
    type.has_rank = described.facts.dims.has_value();
    if (!type.has_rank) return type;
    for (const ir::Dim& dim : *described.facts.dims) type.dims.push_back(dim.size());
    return type;
  }

  // Infers what the model does not declare. If a model contradicts itself, its declarations are kept.
  void infer(int version) const {
    if (version < kOldestOpset || version > newest_opset()) return;
    const auto definitions = opset(version);
    for (ir::Node* node : graph_->block().nodes()) {
      try {
        definitions->infer(*node);
      } catch (const ir::Error&) {
      }
    }
  }

  Skeleton skeleton_;
  std::string name_;
  std::string folder_;
  ir::Graph* graph_ = nullptr;
  std::unordered_map<std::string, std::vector<ir::Value*>> values_;  // the innermost scope last
  std::vector<std::vector<ir::Value*>*> defined_;
  bool initializers_as_inputs_ = false;
  bool doc_strings_ = false;
};

}  // namespace

Model read_file(const std::string& path) {
  const auto mapped = map_file(path);
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  Reader reader(read_skeleton({mapped->data(), mapped->size()}, path), path, folder.string());
  return reader.read([&](std::uint64_t offset, std::uint64_t size) { return ir::Storage::file(path, offset, size); });
}

}  // namespace tonnx::onnx
