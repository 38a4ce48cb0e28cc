#include "onnx/infer.h"

#include <algorithm>
#include <array>
#include <climits>
#include <memory>
#include <string>
#include <utility>

#include <google/protobuf/arena.h>
#include <onnx/shape_inference/implementation.h>

#include "ir/control_flow.h"
#include "ir/error.h"
#include "ir/invalid_node.h"
#include "ir/merge.h"
#include "ir/text.h"
#include "onnx/partial.h"

namespace tonnx::onnx {
namespace {

using google::protobuf::Arena;

// A tensor with more elements is not a shape, axes or a count.
constexpr std::int64_t kMaxInputData = 1024;

[[noreturn]] void fail(const ir::Node& node, const std::string& reason) {
  throw ir::InvalidNode(reason + ": " + describe(node));
}

// The symbolic sizes of a node that inference receives as strings, so that sizes in its result can be mapped back.
class ShownSizes {
 public:
  void add(const ir::Dim& dim) {
    if (dim.is_symbolic()) shown_.push_back(dim);
  }
  void add(const ir::Facts& facts) {
    if (facts.dims)
      for (const ir::Dim& dim : *facts.dims) add(dim);
  }

  Described described(const pb::TypeProto& type) const {
    return from_proto(type, [this](const std::string& text) { return find(text); });
  }

 private:
  // Unknown if two sizes have the same text, or none has it.
  ir::Dim find(const std::string& text) const {
    ir::Dim found;
    for (const ir::Dim& dim : shown_) {
      if (dim.text() != text) continue;
      if (found.is_symbolic() && !found.same(dim)) return {};
      found = dim;
    }
    return found;
  }

  std::vector<ir::Dim> shown_;
};

void refine(ir::Value& value, const Described& found, const ir::Node& node) {
  if (value.type() == ir::Type{} && !found.type.is(ir::Type::Kind::Tensor)) value.set_type(found.type);
  if (const auto conflict = ir::merge(value.facts(), found.facts))
    fail(node,
         "the facts of output " + std::to_string(value.index()) + " contradict ONNX's shape inference: " + *conflict);
}

// Infers a block with the input types that its owner provides.
class BlockInferencer final : public pb::GraphInferencer {
 public:
  BlockInferencer(ir::Block& block, const ir::Opset& opset, Arena& arena, ShownSizes& shown)
      : block_(block), opset_(opset), arena_(arena), shown_(shown) {}

  bool incomplete() const { return incomplete_; }

  std::vector<const pb::TypeProto*> doInferencing(const std::vector<const pb::TypeProto*>& types,
                                                  const std::vector<const pb::TensorProto*>&) override {
    const ir::Node& owner = *block_.owner();
    if (types.size() != block_.inputs().size()) {
      fail(owner, "a block has " + std::to_string(block_.inputs().size()) + " inputs, but receives " +
                      std::to_string(types.size()));
    }
    for (std::size_t i = 0; i < types.size(); ++i) {
      if (types[i]) refine(*block_.inputs()[i], shown_.described(*types[i]), owner);
    }
    for (ir::Node* node : block_.nodes()) opset_.infer(*node);
    std::vector<const pb::TypeProto*> results;
    for (const ir::Value* output : block_.outputs()) {
      auto* type = Arena::CreateMessage<pb::TypeProto>(&arena_);
      if (!to_proto(*output, *type) || output->facts().dtype == ir::DType::Undefined) incomplete_ = true;
      shown_.add(output->facts());
      results.push_back(type);
    }
    return results;
  }

 private:
  ir::Block& block_;
  const ir::Opset& opset_;
  Arena& arena_;
  ShownSizes& shown_;
  bool incomplete_ = false;
};

// The inference context that a schema's inference function sees. Protobuf messages are created on demand.
class Context final : public pb::InferenceContext {
 public:
  Context(ir::Node& node, const Operator& op, const ir::Opset& opset, Arena& arena)
      : node_(node), op_(op), opset_(opset), arena_(arena), inputs_(node.input_count()), outputs_(node.output_count()) {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const ir::Value* value = node.input(i);
      if (!value) continue;
      auto* type = Arena::CreateMessage<pb::TypeProto>(&arena_);
      if (to_proto(*value, *type)) inputs_[i].type = type;
      // Loop's rule assumes that a loop-carried sequence returns with the item type of its initial value.
      if (node.is("onnx::Loop") && type->has_sequence_type())
        type->mutable_sequence_type()->mutable_elem_type()->mutable_tensor_type()->clear_shape();
      if (value->facts().dtype == ir::DType::Undefined) incomplete_ = true;
      shown_.add(value->facts());
    }
    for (pb::TypeProto*& output : outputs_) output = Arena::CreateMessage<pb::TypeProto>(&arena_);
  }

  // True if something that inference may need is unknown, so that its errors mean nothing.
  bool incomplete() const {
    return incomplete_ || std::ranges::any_of(blocks_, [](const auto& b) { return b && b->incomplete(); });
  }
  bool has_found(std::size_t i) const { return outputs_[i]->value_case() != pb::TypeProto::VALUE_NOT_SET; }
  Described output(std::size_t i) const { return shown_.described(*outputs_[i]); }

  const pb::AttributeProto* getAttribute(const std::string& name) const override {
    for (const auto& [known, attribute] : attributes_) {
      if (known == name) return attribute;
    }
    const ir::Attribute* found = node_.attribute(name);
    pb::AttributeProto* attribute = nullptr;
    if (found) {
      attribute = Arena::CreateMessage<pb::AttributeProto>(&arena_);
      attribute->set_name(name);
      to_proto(ir::NamedAttribute{name, *found}, false, *attribute);
    }
    attributes_.emplace_back(name, attribute);
    return attribute;
  }

  std::size_t getNumInputs() const override { return inputs_.size(); }
  bool hasInput(std::size_t i) const override { return i < inputs_.size() && node_.input(i); }
  const pb::TypeProto* getInputType(std::size_t i) const override { return inputs_.at(i).type; }

  const pb::TensorProto* getInputData(std::size_t i) const override {
    Input& input = inputs_.at(i);
    if (input.asked || !node_.input(i)) return input.data;
    input.asked = true;
    if (const auto tensor = constant_tensor(*node_.input(i), kMaxInputData); tensor && ir::onnx_type(tensor->dtype)) {
      input.data = Arena::CreateMessage<pb::TensorProto>(&arena_);
      to_proto(*tensor, true, *input.data);
    }
    return input.data;
  }

  const pb::SparseTensorProto* getInputSparseData(std::size_t) const override { return nullptr; }

  const pb::TensorShapeProto* getSymbolicInput(std::size_t i) const override {
    Input& input = inputs_.at(i);
    if (input.traced || !node_.input(i)) return input.shape;
    input.traced = true;
    const auto elements = partial_value(*node_.input(i));
    if (!elements) return nullptr;
    input.shape = Arena::CreateMessage<pb::TensorShapeProto>(&arena_);
    for (const Element& element : *elements) {
      pb::TensorShapeProto_Dimension& dim = *input.shape->add_dim();
      if (element.value) {
        dim.set_dim_value(*element.value);
      } else if (element.size.is_symbolic()) {
        dim.set_dim_param(element.size.text());
        shown_.add(element.size);
      }
    }
    return input.shape;
  }

  std::size_t getNumOutputs() const override { return node_.output_count(); }
  // Inference of a function body asks for all outputs of the function.
  pb::TypeProto* getOutputType(std::size_t i) override {
    while (i >= outputs_.size()) outputs_.push_back(Arena::CreateMessage<pb::TypeProto>(&arena_));
    return outputs_[i];
  }
  bool hasOutput(std::size_t i) override { return i < node_.output_count(); }

  pb::GraphInferencer* getGraphAttributeInferencer(const std::string& name) override {
    blocks_.resize(node_.blocks().size());
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      if (ir::block_name(node_, i) != name) continue;
      if (!blocks_[i]) blocks_[i] = std::make_unique<BlockInferencer>(*node_.block(i), opset_, arena_, shown_);
      return blocks_[i].get();
    }
    fail(node_, "the node has no graph attribute " + name);
  }

  std::string getDisplayName() const override { return "node " + op_.definition.name; }

 private:
  struct Input {
    const pb::TypeProto* type = nullptr;
    pb::TensorProto* data = nullptr;
    pb::TensorShapeProto* shape = nullptr;
    bool asked = false;
    bool traced = false;
  };

  ir::Node& node_;
  const Operator& op_;
  const ir::Opset& opset_;
  Arena& arena_;
  mutable std::vector<Input> inputs_;
  std::vector<pb::TypeProto*> outputs_;
  mutable std::vector<std::pair<std::string, pb::AttributeProto*>> attributes_;
  std::vector<std::unique_ptr<BlockInferencer>> blocks_;
  mutable ShownSizes shown_;
  bool incomplete_ = false;
};

// Checks the number of inputs, and their dtypes against the schema's constraints.
void check_inputs(const ir::Node& node, const Operator& op) {
  const auto count = static_cast<int>(node.input_count());
  if (count < op.schema->min_input() || count > op.schema->max_input()) {
    const int least = op.schema->min_input(), most = op.schema->max_input();
    std::string range = std::to_string(least);
    if (most == INT_MAX)
      range = "at least " + range;
    else if (most > least)
      range += " to " + std::to_string(most);
    fail(node, op.definition.name + " takes " + range + " inputs, not " + std::to_string(count));
  }
  std::vector<std::pair<const std::string*, std::size_t>> bound;  // a type variable, and the input that determines it
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    const std::size_t formal = std::min(i, op.definition.inputs.size() - 1);
    const ir::OpSlot& slot = op.definition.inputs[formal];
    const ir::Value* value = node.input(i);
    if (!value || value->facts().dtype == ir::DType::Undefined || !value->type().is(ir::Type::Kind::Tensor)) continue;
    const ir::DType dtype = value->facts().dtype;
    if (!slot.dtypes.empty() && !slot.allows(dtype)) {
      fail(node, op.definition.name + " does not accept " + std::string(ir::name_of(dtype)) + " as " + slot.name);
    }
    if (slot.type_variable.empty() || !op.homogeneous[formal]) continue;
    const auto same = std::ranges::find_if(bound, [&](const auto& b) { return *b.first == slot.type_variable; });
    if (same == bound.end()) {
      bound.emplace_back(&slot.type_variable, i);
    } else if (const ir::DType other = node.input(same->second)->facts().dtype; other != dtype) {
      fail(node, op.definition.name + " needs the same dtype for inputs " + std::to_string(same->second) + " and " +
                     std::to_string(i) + ", not " + std::string(ir::name_of(other)) + " and " +
                     std::string(ir::name_of(dtype)));
    }
  }
}

// Compress-9: a vector, or the input with one axis shortened.
void infer_compress(pb::InferenceContext& context) {
  pb::propagateElemTypeFromInputToOutput(context, 0, 0);
  pb::TensorShapeProto& shape = *context.getOutputType(0)->mutable_tensor_type()->mutable_shape();
  const pb::AttributeProto* axis = context.getAttribute("axis");
  if (!axis) {
    shape.add_dim();
    return;
  }
  if (!pb::hasInputShape(context, 0)) {
    context.getOutputType(0)->mutable_tensor_type()->clear_shape();
    return;
  }
  shape = pb::getInputShape(context, 0);
  const std::int64_t at = axis->i() < 0 ? axis->i() + shape.dim_size() : axis->i();
  if (at >= 0 && at < shape.dim_size()) shape.mutable_dim(static_cast<int>(at))->Clear();
}

}  // namespace

pb::InferenceFunction own_rule(const std::string& op) {
  if (op == "GroupNormalization" || op == "MeanVarianceNormalization") return pb::propagateShapeAndTypeFromFirstInput;
  if (op == "Compress") return infer_compress;
  return {};
}

namespace {

// `rule` infers the types of the node's outputs in the context that it receives.
void infer_by(ir::Node& node, const Operator& op, const ir::Opset& opset, const auto& rule) {
  std::array<char, 4096> memory;
  google::protobuf::ArenaOptions options;
  options.initial_block = memory.data();
  options.initial_block_size = memory.size();
  Arena arena(options);
  Context context(node, op, opset, arena);
  try {
    rule(context);
  } catch (const ir::Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    if (!context.incomplete()) fail(node, ir::first_line(error.what()));
    return;
  }
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    if (context.has_found(i)) refine(*node.output(i), context.output(i), node);
  }
}

}  // namespace

void infer(ir::Node& node, const Operator& op, const ir::Opset& opset) {
  check_inputs(node, op);
  infer_by(node, op, opset, [&](Context& context) {
    if (op.inference) {
      op.inference(context);
    } else if (const pb::FunctionProto* function = op.schema->GetFunction(opset.version())) {
      pb::shape_inference::InferShapeForFunctionNode(*function, pb::OpSchemaRegistry::Instance(), context);
    }
  });
}

void infer_call(ir::Node& node, const pb::FunctionProto& body, bool is_closed,
                const pb::shape_inference::ModelLocalFunctionsMap& functions, const ir::Opset& opset) {
  Operator op;
  op.definition.name = std::string(node.op());
  infer_by(node, op, opset, [&](Context& context) {
    const int error_mode = is_closed && !context.incomplete() ? 1 : 0;  // 1: errors are thrown
    const pb::ShapeInferenceOptions options{error_mode == 1, error_mode, false};
    pb::shape_inference::InferShapeForFunctionNode(body, pb::OpSchemaRegistry::Instance(), context, options, functions);
  });
}

}  // namespace tonnx::onnx
