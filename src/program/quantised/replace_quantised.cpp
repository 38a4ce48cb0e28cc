#include "program/quantised/replace_quantised.h"

#include <algorithm>
#include <limits>
#include <map>

#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "ir/error.h"
#include "ir/quantised_parts.h"
#include "ir/refusal.h"
#include "ir/writes.h"
#include "program/quantised/quantised.h"

namespace tonnx::program {

using Form = aten::QuantisedForm;
using ir::Block;
using ir::DType;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

constexpr std::string_view kNoQuantisedForm = "it has no ONNX form for quantised tensors; dequantise them before it";
constexpr std::string_view kWayOut = "dequantise tensors before such operators, or leave them out of the quantisation";
constexpr const char* kReason = "unquantisable";  // attribute of an operator that is left: why it is refused

const std::map<Form, Rewrite>& rewrites() {
  static const auto& table = *[] {
    auto* all = new std::map<Form, Rewrite>;
    for (const auto family : {quantised_activations(), quantised_arithmetic(), quantised_layers(), quantised_moves(),
                              quantised_recurrent(), quantised_tensors()})
      for (const QuantisedForm& form : family) all->emplace(form.form, form.rewrite);
    return all;
  }();
  return table;
}

Form form_of(const Node& node) { return aten::quantised_traits_of(node).form; }

bool is_list_of_objects(const Value& value) {
  return value.type().is(Type::Kind::List) && value.type().elements.at(0).is(Type::Kind::Object);
}

bool same(const Value* a, const Value* b) {
  return a == b || (a && b && a->constant() && b->constant() && ir::same_constant(*a->constant(), *b->constant()));
}

bool same(const QuantParams& a, const QuantParams& b) {
  return a.dtype == b.dtype && same(a.scale, b.scale) && same(a.zero_point, b.zero_point) && same(a.axis, b.axis);
}

// Copies constant parameters to `insert`, so that they dominate all users; values that `other` has too already do.
// Empty if a parameter is neither.
std::optional<QuantParams> copied(Inserter& insert, QuantParams params, const QuantParams* other) {
  for (auto part : {&QuantParams::scale, &QuantParams::zero_point, &QuantParams::axis}) {
    Value*& value = params.*part;
    if (!value || (other && other->*part == value)) continue;
    if (!value->constant()) return std::nullopt;
    value = insert.constant(*value->constant());
  }
  return params;
}

const ir::Tensor* one_element(const Value* value) {
  const ir::Tensor* tensor = value->weight();
  if (!tensor && value->constant()) tensor = value->constant()->get<ir::Tensor>();
  return tensor && tensor->numel() == 1 ? tensor : nullptr;
}

bool is_written(const Value* value) {
  return std::ranges::any_of(value->uses(), [](const ir::Use& use) { return writes_argument(*use.node, use.index); });
}

}  // namespace

std::int64_t QuantParams::low() const {
  return dtype == DType::UInt8 ? 0 : dtype == DType::Int8 ? -128 : std::numeric_limits<std::int32_t>::min();
}

std::int64_t QuantParams::high() const {
  return dtype == DType::UInt8 ? 255 : dtype == DType::Int8 ? 127 : std::numeric_limits<std::int32_t>::max();
}

const Quantised* QuantisedRewrite::find(const Value* value) const {
  const auto found = tensors_.find(value);
  return found == tensors_.end() ? nullptr : &found->second;
}

Value* QuantisedRewrite::argument(const Node& node, std::string_view name) const {
  if (Value* value = node.input(name)) return value;
  throw Unquantisable{"its argument '" + std::string(name) + "' is missing"};
}

const Quantised& QuantisedRewrite::tensor(const Node& node, std::string_view name) const {
  if (const Quantised* found = find(argument(node, name))) return *found;
  throw Unquantisable{"argument '" + std::string(name) + "' is not known to be a quantised tensor"};
}

const Node& QuantisedRewrite::packed(const Node& node, std::string_view name) const {
  const Node* producer = argument(node, name)->node();
  if (form_of(*producer) == Form::Pack) return *producer;
  throw Unquantisable{"the packed parameters of argument '" + std::string(name) +
                      "' are not known before the model runs"};
}

double QuantisedRewrite::number(const Node& node, std::string_view name) const {
  const Value* value = argument(node, name);
  if (!value->constant() || !value->constant()->is_number())
    throw Unquantisable{"argument '" + std::string(name) + "' must be known before the model runs"};
  return value->constant()->as_double();
}

std::int64_t QuantisedRewrite::integer(const Node& node, std::string_view name) const {
  number(node, name);
  return argument(node, name)->constant()->as_int64();
}

void QuantisedRewrite::replace(Node& node, Quantised result) {
  tensors_[node.output(0)] = result;
  remove(node);
}

void QuantisedRewrite::replace(Node& node, Value* plain) {
  replace(node, 0, plain);
  remove(node);
}

void QuantisedRewrite::replace(Node& node, std::size_t output, Value* plain) {
  const ir::Facts& known = node.output(output)->facts();
  ir::Facts& facts = plain->facts();
  const bool lacks_facts = facts.dtype == DType::Undefined && !facts.dims;
  if (lacks_facts && ir::is_floating(known.dtype)) facts = {known.dtype, known.dims, nullptr};
  node.output(output)->replace_uses(plain);
}

const QuantParams* QuantisedRewrite::use_floats(Node& node) const {
  const QuantParams* params = nullptr;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    const Quantised* found = find(node.input(i));
    if (!found) continue;
    if (!params) params = &found->params;
    node.set_input(i, found->real);
  }
  return params;
}

Quantised QuantisedRewrite::fake_quantise(Inserter& insert, Value* real, const QuantParams& params) const {
  Value* low = insert.integer(params.low());
  Value* high = insert.integer(params.high());
  const bool tensors = params.scale->type().is(Type::Kind::Tensor);
  Value* rounded = params.axis ? insert.call("aten::fake_quantize_per_channel_affine",
                                             {real, params.scale, params.zero_point, params.axis, low, high})
                               : insert.call(tensors ? "aten::fake_quantize_per_tensor_affine.tensor_qparams"
                                                     : "aten::fake_quantize_per_tensor_affine",
                                             {real, params.scale, params.zero_point, low, high});
  return {rounded, params, nullptr};
}

Value* QuantisedRewrite::integers_of(Inserter& insert, Value* real, const QuantParams& params) const {
  return insert.call(params.scale->type().is(Type::Kind::Tensor) ? "quantized_decomposed::quantize_per_tensor.tensor"
                                                                 : "quantized_decomposed::quantize_per_tensor",
                     {real, params.scale, params.zero_point, insert.integer(params.low()),
                      insert.integer(params.high()), insert.integer(static_cast<std::int64_t>(params.dtype))});
}

Quantised QuantisedRewrite::from_integers(Inserter& insert, Value* integers, const QuantParams& params) const {
  Value* low = insert.integer(params.low());
  Value* high = insert.integer(params.high());
  Value* dtype = insert.integer(static_cast<std::int64_t>(params.dtype));
  const bool tensors = params.scale->type().is(Type::Kind::Tensor);
  Value* real = params.axis ? insert.call("quantized_decomposed::dequantize_per_channel",
                                          {integers, params.scale, params.zero_point, params.axis, low, high, dtype})
                            : insert.call(tensors ? "quantized_decomposed::dequantize_per_tensor.tensor"
                                                  : "quantized_decomposed::dequantize_per_tensor",
                                          {integers, params.scale, params.zero_point, low, high, dtype});
  return {real, params, integers};
}

Value* QuantisedRewrite::known_number(Inserter& insert, Value* value, bool whole) const {
  const Value* source = value;
  if (!value->type().is(Type::Kind::Tensor) && value->node()->input_count() == 1 &&
      aten::traits_of(*value->node()).number != aten::Number::None)
    source = value->node()->input();
  const ir::Tensor* tensor =
      source->type().is(Type::Kind::Tensor) && !is_written(source) ? one_element(source) : nullptr;
  if (!tensor) return value;
  return whole ? insert.integer(tensor->as_int64(0)) : insert.constant({tensor->as_double(0)});
}

void QuantisedRewrite::visit(Node& node) {
  if (node.is("prim::If")) return visit_if(node);
  if (node.is("prim::Loop")) return visit_loop(node);
  for (Block* block : node.blocks()) visit(*block);
  const Form form = form_of(node);
  if (aten::is_quantised_alone(form) && kept_ && kept_(node)) return keep_node(node);
  if (form != Form::None && form != Form::Refused) return rewrites().at(form)(*this, node);
  const aten::Container container = aten::traits_of(node).container;
  const bool is_list = container == aten::Container::List;
  // A list of packed parameters is removed with them; users read the packing nodes.
  if ((is_list || container == aten::Container::Append) && is_list_of_objects(*node.output())) return remove(node);
  if (is_list) return visit_list(node);
  const bool reads = std::ranges::any_of(node.inputs(), [&](const Value* in) { return find(in) != nullptr; });
  if (reads || form == Form::Refused) throw Unquantisable{std::string(kNoQuantisedForm)};
}

void QuantisedRewrite::visit(Block& block) {
  ir::Refusals refusals;
  for (Node* node : block.nodes()) {
    try {
      visit(*node);
    } catch (const Unquantisable& why) {
      if (!postpone(*node, why.reason)) refusals.add(*node, why.reason);
    }
  }
  refusals.raise("the program cannot be exported", std::string(kWayOut));
}

// Leaves an operator in a nested block to refuse_unquantisable(): F.interpolate branches on rank and mode, and only one
// branch accepts quantised tensors. Assumes that its result has the operand's parameters.
bool QuantisedRewrite::postpone(Node& node, const std::string& reason) {
  const bool is_in_branch = node.parent() != &graph_.block();
  const bool is_of_tensor = node.output_count() == 1 && node.output()->type().is(Type::Kind::Tensor);
  if (!is_in_branch || !is_of_tensor || writes(node)) return false;
  const QuantParams* params = use_floats(node);
  if (!params || params->axis) return false;
  node.set_attribute(kReason, reason);
  mark(node.output(), {node.output(), *params, nullptr});
  return true;
}

// The parameters of the result that are arguments of a node.
std::optional<QuantParams> own_params(const QuantisedRewrite& rewrite, Inserter& insert, const Node& node) {
  for (const auto& [scale, zero] :
       {std::pair("output_scale", "output_zero_point"), {"Y_scale_i", "Y_zero_point_i"}, {"scale", "zero_point"}}) {
    if (!node.input(scale) || !node.input(zero)) continue;
    return named_params(rewrite, insert, node, scale, zero, {});
  }
  return std::nullopt;
}

void QuantisedRewrite::keep_node(Node& node) {
  Inserter insert(&node);
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    const Node& producer = *node.input(i)->node();
    if (!node.input(i)->type().is(Type::Kind::Object) || form_of(producer) != Form::Pack) continue;
    const Weights packed = weights_in(*this, insert, producer);
    std::vector<Value*> parts{packed.weight};
    if (packed.bias && packed.bias->type().is(Type::Kind::Tensor)) parts.push_back(packed.bias);
    node.set_input(i, insert.list(Type::list(Type::of(Type::Kind::Tensor)), parts));
  }
  const QuantParams* operand = use_floats(node);
  if (node.output_count() != 1 || !node.output()->type().is(Type::Kind::Tensor)) return;
  std::optional<QuantParams> params = own_params(*this, insert, node);
  if (!params || form_of(node) == Form::FusedObserver) return;
  if (node.input("dtype")) {
    const auto dtype = static_cast<DType>(integer(node, "dtype"));
    params->dtype = dtype == DType::QInt8 ? DType::Int8 : dtype == DType::QInt32 ? DType::Int32 : DType::UInt8;
  } else if (operand) {
    params->dtype = operand->dtype;
  }
  mark(node.output(), {node.output(), *params, nullptr});
}

// Merges a result of an If. False if the parameters differ, or one branch computes them.
bool QuantisedRewrite::merge_outputs(Node& node, std::size_t output, Inserter& insert) {
  Value* outputs[] = {node.block(0)->outputs()[output], node.block(1)->outputs()[output]};
  const Quantised* first = find(outputs[0]);
  const Quantised* second = find(outputs[1]);
  if (!first && !second) return true;
  if (!first && !is_never(outputs[0])) return false;
  if (!second && !is_never(outputs[1])) return false;
  if (first && second && !same(first->params, second->params)) return false;
  const auto params = copied(insert, (first ? first : second)->params, first && second ? &second->params : nullptr);
  if (!params) return false;
  if (first) node.block(0)->return_node()->set_input(output, first->real);
  if (second) node.block(1)->return_node()->set_input(output, second->real);
  mark(node.output(output), {node.output(output), *params, nullptr});
  return true;
}

// Replaces the items of a list by their float tensors.
void QuantisedRewrite::visit_list(Node& node) {
  std::vector<const Quantised*> items;
  for (const Value* in : node.inputs()) items.push_back(find(in));
  if (std::ranges::none_of(items, [](const Quantised* item) { return item != nullptr; })) return;
  if (std::ranges::any_of(items, [](const Quantised* item) { return item == nullptr; }))
    throw Unquantisable{"a list has quantised and other tensors"};
  const bool has_same_params =
      std::ranges::all_of(items, [&](const Quantised* item) { return same(item->params, items[0]->params); });
  const QuantParams params = *use_floats(node);
  mark(node.output(), {node.output(), params, nullptr, !has_same_params});
}

void QuantisedRewrite::visit_if(Node& node) {
  for (Block* block : node.blocks()) visit(*block);
  Inserter before(&node);
  for (std::size_t i = 0; i < node.output_count(); ++i)
    if (!merge_outputs(node, i, before))
      throw Unquantisable{"its branches yield tensors with different quantisation parameters"};
}

void QuantisedRewrite::visit_loop(Node& node) {
  Block& body = *node.block(0);
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    const Quantised* first = find(node.input(i + 2));
    if (!first) continue;
    const QuantParams params = first->params;
    node.set_input(i + 2, first->real);
    mark(body.inputs()[i + 1], {body.inputs()[i + 1], params, nullptr});
    mark(node.output(i), {node.output(i), params, nullptr});
  }
  visit(body);
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    const Quantised* before = find(node.output(i));
    const Quantised* after = find(body.outputs()[i + 1]);
    if (!before && !after) continue;
    if (!before || !after || !same(before->params, after->params))
      throw Unquantisable{"its iterations yield tensors with different quantisation parameters"};
    body.return_node()->set_input(i + 1, after->real);
  }
}

// The scale or zero point as a tensor of the dtype; of rank 0 if `is_single`.
Value* as_output(Inserter& insert, Value* part, DType dtype, bool is_single) {
  if (const ir::Constant* known = part->constant(); known && known->is_number())
    return insert.constant({dtype == DType::Float32 ? ir::Tensor::scalar(dtype, known->as_double())
                                                    : ir::Tensor::scalar(dtype, known->as_int64())});
  Value* code = insert.integer(static_cast<std::int64_t>(dtype));
  if (!part->type().is(Type::Kind::Tensor)) return insert.call("aten::scalar_tensor", {part, code});
  Value* converted = insert.call("aten::to.dtype", {part, code});
  return is_single ? insert.call("aten::reshape", {converted, insert.integers({})}) : converted;
}

// Replaces each quantised output by its integers, its scale and its zero point.
void QuantisedRewrite::return_tensors() {
  Node* end = graph_.block().return_node();
  ir::Refusals refusals;
  std::vector<ir::Part> parts;
  for (std::size_t i = 0; i < end->input_count(); ++i) {
    const Value* out = end->input(i);
    const Quantised* found = find(out);
    parts.push_back(ir::Part::Whole);
    if (!found) continue;
    try {
      Inserter insert(&graph_.block(), out->node()->location());
      const bool is_single = !found->params.axis;
      if (found->has_mixed_params || out->type().is(Type::Kind::List))
        throw Unquantisable{"the program returns a list of quantised tensors; dequantise them"};
      Value* scale = as_output(insert, found->params.scale, DType::Float32, is_single);
      Value* zero_point = as_output(insert, found->params.zero_point, found->params.dtype, is_single);
      end->set_input(i, integers_in(insert, *found));
      const std::string name = i < output_names_.size() ? output_names_[i] : "";
      for (const auto& [kind, part] : {std::pair(ir::Part::Scale, scale), {ir::Part::ZeroPoint, zero_point}}) {
        end->insert_input(++i, part);
        parts.push_back(kind);
        if (i <= output_names_.size())
          output_names_.insert(output_names_.begin() + static_cast<std::ptrdiff_t>(i),
                               name.empty() ? name : name + std::string(ir::ending_of(kind)));
      }
    } catch (const Unquantisable& why) {
      refusals.add(*out->node(), why.reason);
    }
  }
  refusals.raise();
  ir::set_output_parts(graph_, parts);
}

void QuantisedRewrite::run() {
  visit(graph_.block());
  return_tensors();
  std::reverse(dead_.begin(), dead_.end());
  for (Node* node : dead_) {
    const bool is_read = std::ranges::any_of(node->outputs(), [](const Value* out) { return !out->is_unused(); });
    if (is_read) throw ir::refusal(*node, "its result is stored where a quantised tensor has no ONNX form");
    node->erase();
  }
}

void replace_quantised(ir::Graph& graph, std::vector<std::string>& output_names, const Kept& kept) {
  QuantisedRewrite(graph, output_names, kept).run();
}

void refuse_unquantisable(const ir::Graph& graph) {
  ir::Refusals refusals;
  ir::for_each_node(graph.block(), [&](const Node* node) {
    if (const auto* reason = node->attribute_as<std::string>(kReason)) refusals.add(*node, *reason);
  });
  refusals.raise("the program cannot be exported", std::string(kWayOut));
}

}  // namespace tonnx::program
