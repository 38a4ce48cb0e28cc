#include "lower/builder.h"

#include <algorithm>
#include <map>

#include "ir/constant_facts.h"
#include "ir/invalid_node.h"
#include "lower/dtype_support.h"
#include "lower/known.h"
#include "lower/op.h"
#include "lower/unlike_dtypes.h"

namespace tonnx::lower {

using ir::OpDef;
using ir::OpSlot;
using ir::Tensor;

Builder::Builder(ir::Graph& graph, const ir::Opset& opset, ir::Target target, bool weights_change)
    : graph_(graph), opset_(opset), target_(target), weights_change_(weights_change), block_(&graph.block()) {}

bool Builder::may_be_negative(const Value* numbers) const { return lower::may_be_negative(numbers, weights_change_); }

bool Builder::accepts(std::string_view op, DType dtype) const {
  const OpDef* def = opset_.find(op);
  return def && !def->inputs.empty() && def->inputs.front().allows(dtype) && has_kernel(op, dtype);
}

ir::Block* Builder::enter(ir::Block* block) {
  ir::Block* before = block_;
  block_ = block;
  return before;
}

Value* Builder::op(std::string_view name, Values inputs, Attributes attributes) {
  return op(name, std::move(inputs), std::move(attributes), 1).front();
}

namespace {

// The formal parameter of actual argument i; null beyond the last one.
const OpSlot* slot_of(const std::vector<OpSlot>& slots, std::size_t i) {
  if (i < slots.size()) return &slots[i];
  return !slots.empty() && slots.back().variadic ? &slots.back() : nullptr;
}

// Refuses a dtype that ONNX added after the opset.
void check_age(DType dtype, std::int32_t opset) {
  const std::int32_t first = ir::first_opset(dtype);
  if (opset < first)
    throw Refusal(std::string(ir::name_of(dtype)) + " needs opset " + std::to_string(first) +
                  " or newer; the target is " + std::to_string(opset));
}

// The same for the tensors and the type of an attribute. Earlier formats have the dtypes up to bfloat16, too.
void check_age(const ir::Attribute& attribute, std::int32_t opset) {
  const auto check = [opset](DType dtype) {
    if (dtype > DType::BFloat16) check_age(dtype, opset);
  };
  if (const auto* tensor = std::get_if<Tensor>(&attribute)) check(tensor->dtype);
  if (const auto* type = std::get_if<ir::TypeAttribute>(&attribute)) check(type->dtype);
  if (const auto* tensors = std::get_if<std::vector<Tensor>>(&attribute))
    for (const Tensor& tensor : *tensors) check(tensor.dtype);
}

// For a type variable: the dtype it must be widened to, and its original dtype.
struct Widening {
  DType from;
  DType to;
};

std::map<std::string, Widening> widenings(const ir::Target& target, const OpDef& def, std::int32_t opset,
                                          const Values& inputs) {
  std::map<std::string, Widening> result;
  // The items of a sequence cannot be cast back.
  if (std::ranges::any_of(def.outputs, [](const OpSlot& slot) { return slot.sequence; })) return result;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const OpSlot* slot = slot_of(def.inputs, i);
    if (!slot || !inputs[i] || slot->type_variable.empty() || slot->dtypes.empty() || slot->sequence) continue;
    const DType dtype = inputs[i]->facts().dtype;
    if (dtype == DType::Undefined || result.contains(slot->type_variable)) continue;
    const DType wide = widen(target, def.name, opset, *slot, dtype);
    if (wide == DType::Undefined) check_age(dtype, opset);
    if (wide == DType::Undefined)
      throw Refusal("ONNX " + def.name + " at opset " + std::to_string(opset) + " does not accept " +
                    std::string(ir::name_of(dtype)) + " for " + slot->name);
    if (wide != dtype) result.emplace(slot->type_variable, Widening{dtype, wide});
  }
  return result;
}

// Runs ONNX shape inference on a node. An error that mixed input dtypes cause is not a fault of the lowering: it throws
// UnlikeDtypes.
void infer(const ir::Opset& opset, const OpDef& def, ir::Node& node) {
  try {
    opset.infer(node);
  } catch (const ir::InvalidNode&) {
    std::map<std::string, DType> dtypes;
    for (std::size_t i = 0; i < node.input_count(); ++i) {
      const OpSlot* slot = slot_of(def.inputs, i);
      const DType dtype = node.input(i) ? node.input(i)->facts().dtype : DType::Undefined;
      if (!slot || slot->type_variable.empty() || dtype == DType::Undefined) continue;
      const DType first = dtypes.try_emplace(slot->type_variable, dtype).first->second;
      if (first != dtype)
        throw UnlikeDtypes("its tensors are " + std::string(ir::name_of(first)) + " and " +
                           std::string(ir::name_of(dtype)) + " and must have the same dtype (ONNX " + def.name + ")");
    }
    throw;
  }
}

}  // namespace

const OpDef& Builder::definition(std::string_view name) const {
  if (const OpDef* def = opset_.find(name)) return *def;
  const std::int32_t first = opset_.introduced(name);
  if (first == 0) throw ir::Error(ir::Code::Argument, "ONNX has no operator " + std::string(name));
  throw Refusal("ONNX operator " + std::string(name) + " is not part of opset " + std::to_string(opset()) +
                (first > opset() ? "; it was added in opset " + std::to_string(first) +
                                       ", try exporting with that opset or a newer one"
                                 : std::string()));
}

ir::Node* Builder::open(std::string_view name, Values inputs, std::size_t blocks) {
  const bool standard = name.find("::") == std::string_view::npos;
  if (standard) definition(name);
  while (!inputs.empty() && !inputs.back()) inputs.pop_back();
  ir::Node* node = graph_.create((standard ? "onnx::" : "") + std::string(name), inputs, 0);
  node->set_location(location_);
  for (std::size_t i = 0; i < blocks; ++i) node->add_block();
  block_->append(node);
  return node;
}

Values Builder::close(ir::Node* node, std::size_t outputs) {
  Values results;
  for (std::size_t i = 0; i < outputs; ++i) results.push_back(node->add_output());
  if (node->domain() == "onnx") opset_.infer(*node);
  return results;
}

Values Builder::op(std::string_view name, Values inputs, Attributes attributes, std::span<ir::Block* const> blocks,
                   std::size_t outputs) {
  ir::Node* node = open(name, std::move(inputs), 0);
  for (ir::NamedAttribute& a : attributes) {
    check_age(a.value, opset());
    node->set_attribute(std::move(a.name), std::move(a.value));
  }
  for (ir::Block* block : blocks) node->adopt_block(block);
  return close(node, outputs);
}

Values Builder::op(std::string_view name, Values inputs, Attributes attributes, std::size_t outputs) {
  const bool standard = name.find("::") == std::string_view::npos || name.starts_with("onnx::");
  const std::string_view base = name.starts_with("onnx::") ? name.substr(6) : name;
  while (!inputs.empty() && !inputs.back()) inputs.pop_back();

  std::map<std::string, Widening> widened;
  const OpDef* def = nullptr;
  if (standard) {
    def = &definition(base);
    widened = widenings(target_, *def, opset(), inputs);
    for (std::size_t i = 0; !widened.empty() && i < inputs.size(); ++i) {
      const OpSlot* slot = slot_of(def->inputs, i);
      if (!slot || !inputs[i]) continue;
      const auto it = widened.find(slot->type_variable);
      if (it != widened.end()) inputs[i] = cast(inputs[i], it->second.to);
    }
  }

  ir::Node* node = graph_.create(standard ? "onnx::" + std::string(base) : std::string(name), inputs, outputs);
  for (ir::NamedAttribute& a : attributes) {
    check_age(a.value, opset());
    node->set_attribute(std::move(a.name), std::move(a.value));
  }
  node->set_location(location_);
  block_->append(node);
  if (standard)
    infer(opset_, *def, *node);
  else
    opset_.infer(*node);  // a function of the host may add outputs

  Values results(node->outputs().begin(), node->outputs().end());
  results.resize(outputs);
  for (std::size_t i = 0; !widened.empty() && i < results.size(); ++i) {
    const OpSlot* slot = slot_of(def->outputs, i);
    const auto it = slot ? widened.find(slot->type_variable) : widened.end();
    if (it != widened.end()) results[i] = cast(results[i], it->second.from);
  }
  return results;
}

Value* Builder::constant(const Tensor& tensor) {
  const Tensor dense = tensor.contiguous();
  Value* value = op("Constant", {}, {{"value", dense}});
  value->set_facts(ir::facts_of({dense}));
  return value;
}

Value* Builder::scalar(DType dtype, double value) { return constant(Tensor::scalar(dtype, value)); }
Value* Builder::scalar(DType dtype, std::int64_t value) { return constant(Tensor::scalar(dtype, value)); }
Value* Builder::int64s(std::span<const std::int64_t> values) { return constant(Tensor::of_int64(values)); }

Value* Builder::cast(Value* x, DType dtype) {
  if (x->facts().dtype == dtype) return x;
  if (ir::is_complex(dtype) || ir::is_complex(x->facts().dtype))
    throw Refusal("ONNX Cast does not support complex tensors");
  if (ir::onnx_type(dtype) == 0) throw Refusal("ONNX has no dtype " + std::string(ir::name_of(dtype)));
  check_age(dtype, opset());
  if (const ir::Constant* known = x->constant()) {
    const Tensor* t = known->get<Tensor>();
    if (t && t->numel() <= 64 && ir::has_number_form(t->dtype) && ir::has_number_form(dtype)) {
      std::vector<std::byte> bytes(static_cast<std::size_t>(t->numel()) * ir::size_of(dtype));
      const bool whole = ir::is_integral(t->dtype) || t->dtype == DType::Bool;
      for (std::int64_t i = 0; i < t->numel(); ++i) {
        std::byte* out = bytes.data() + static_cast<std::size_t>(i) * ir::size_of(dtype);
        if (whole) {
          ir::store(dtype, t->as_int64(i), out);
        } else {
          ir::store(dtype, t->as_double(i), out);
        }
      }
      return constant(Tensor::from_bytes(dtype, t->dims, bytes.data(), bytes.size()));
    }
  }
  Attributes attributes{{"to", static_cast<std::int64_t>(ir::onnx_type(dtype))}};
  // LibTorch's 8-bit floats overflow; they do not saturate.
  if (ir::is_floating(dtype) && ir::size_of(dtype) == 1) attributes.push_back({"saturate", std::int64_t{0}});
  Value* y = op("Cast", {x}, std::move(attributes));
  y->facts().dtype = dtype;
  y->facts().dims = x->facts().dims;
  return y;
}

}  // namespace tonnx::lower
