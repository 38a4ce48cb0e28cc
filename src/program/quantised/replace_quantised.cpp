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

constexpr std::string_view kNoQuantisedForm = "it has no form for quantised tensors; dequantise them before it";
constexpr std::string_view kWayOut = "dequantise tensors before such operators, or leave them out of the quantisation";
constexpr const char* kReason = "unquantisable";  // why the operator has no form, where a branch may never run

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

bool same(const Steps& a, const Steps& b) {
  return a.dtype == b.dtype && same(a.scale, b.scale) && same(a.zero_point, b.zero_point) && same(a.axis, b.axis);
}

// The same steps by constants of their own, which may stand anywhere. What both branches read is made before them.
std::optional<Steps> copied(Inserter& insert, Steps steps, const Steps* other) {
  for (auto part : {&Steps::scale, &Steps::zero_point, &Steps::axis}) {
    Value*& value = steps.*part;
    if (!value || (other && other->*part == value)) continue;
    if (!value->constant()) return std::nullopt;
    value = insert.constant(*value->constant());
  }
  return steps;
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

std::int64_t Steps::low() const {
  return dtype == DType::UInt8 ? 0 : dtype == DType::Int8 ? -128 : std::numeric_limits<std::int32_t>::min();
}

std::int64_t Steps::high() const {
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
  const Node* maker = argument(node, name)->node();
  if (form_of(*maker) == Form::Pack) return *maker;
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

void QuantisedRewrite::give(Node& node, Quantised result) {
  tensors_[node.output(0)] = result;
  remove(node);
}

void QuantisedRewrite::give(Node& node, Value* plain) {
  give(node, 0, plain);
  remove(node);
}

void QuantisedRewrite::give(Node& node, std::size_t output, Value* plain) {
  const ir::Facts& known = node.output(output)->facts();
  ir::Facts& facts = plain->facts();
  const bool lacks_facts = facts.dtype == DType::Undefined && !facts.dims;
  if (lacks_facts && ir::is_floating(known.dtype)) facts = {known.dtype, known.dims, nullptr};
  node.output(output)->replace_uses(plain);
}

const Steps* QuantisedRewrite::keep(Node& node) const {
  const Steps* steps = nullptr;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    const Quantised* found = find(node.input(i));
    if (!found) continue;
    if (!steps) steps = &found->steps;
    node.set_input(i, found->real);
  }
  return steps;
}

Quantised QuantisedRewrite::snap(Inserter& insert, Value* real, const Steps& steps) const {
  Value* low = insert.integer(steps.low());
  Value* high = insert.integer(steps.high());
  const bool tensors = steps.scale->type().is(Type::Kind::Tensor);
  Value* snapped = steps.axis ? insert.call("aten::fake_quantize_per_channel_affine",
                                            {real, steps.scale, steps.zero_point, steps.axis, low, high})
                              : insert.call(tensors ? "aten::fake_quantize_per_tensor_affine.tensor_qparams"
                                                    : "aten::fake_quantize_per_tensor_affine",
                                            {real, steps.scale, steps.zero_point, low, high});
  return {snapped, steps, nullptr};
}

Value* QuantisedRewrite::integers_of(Inserter& insert, Value* real, const Steps& steps) const {
  return insert.call(steps.scale->type().is(Type::Kind::Tensor) ? "quantized_decomposed::quantize_per_tensor.tensor"
                                                                : "quantized_decomposed::quantize_per_tensor",
                     {real, steps.scale, steps.zero_point, insert.integer(steps.low()), insert.integer(steps.high()),
                      insert.integer(static_cast<std::int64_t>(steps.dtype))});
}

Quantised QuantisedRewrite::from_integers(Inserter& insert, Value* integers, const Steps& steps) const {
  Value* low = insert.integer(steps.low());
  Value* high = insert.integer(steps.high());
  Value* dtype = insert.integer(static_cast<std::int64_t>(steps.dtype));
  const bool tensors = steps.scale->type().is(Type::Kind::Tensor);
  Value* real = steps.axis ? insert.call("quantized_decomposed::dequantize_per_channel",
                                         {integers, steps.scale, steps.zero_point, steps.axis, low, high, dtype})
                           : insert.call(tensors ? "quantized_decomposed::dequantize_per_tensor.tensor"
                                                 : "quantized_decomposed::dequantize_per_tensor",
                                         {integers, steps.scale, steps.zero_point, low, high, dtype});
  return {real, steps, integers};
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
  if (aten::is_quantised_alone(form) && kept_ && kept_(node)) return leave(node);
  if (form != Form::None && form != Form::Refused) return rewrites().at(form)(*this, node);
  const aten::Container container = aten::traits_of(node).container;
  const bool lists = container == aten::Container::List;
  // A list of packed parameters goes with them; whoever reads it asks these nodes.
  if ((lists || container == aten::Container::Append) && is_list_of_objects(*node.output())) return remove(node);
  if (lists) return visit_list(node);
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

// Leaves an operator in a branch to refuse_unquantisable(): F.interpolate asks for rank and mode, and one branch alone
// is for quantised tensors. Its result is taken for one of the operand's scale.
bool QuantisedRewrite::postpone(Node& node, const std::string& reason) {
  const bool is_in_branch = node.parent() != &graph_.block();
  const bool is_of_tensor = node.output_count() == 1 && node.output()->type().is(Type::Kind::Tensor);
  if (!is_in_branch || !is_of_tensor || writes(node)) return false;
  const Steps* steps = keep(node);
  if (!steps || steps->axis) return false;
  node.set_attribute(kReason, reason);
  mark(node.output(), {node.output(), *steps, nullptr});
  return true;
}

// The scale and zero point that a node names for its result.
std::optional<Steps> own_steps(const QuantisedRewrite& rewrite, Inserter& insert, const Node& node) {
  for (const auto& [scale, zero] :
       {std::pair("output_scale", "output_zero_point"), {"Y_scale_i", "Y_zero_point_i"}, {"scale", "zero_point"}}) {
    if (!node.input(scale) || !node.input(zero)) continue;
    return named_steps(rewrite, insert, node, scale, zero, {});
  }
  return std::nullopt;
}

void QuantisedRewrite::leave(Node& node) {
  Inserter insert(&node);
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    const Node& maker = *node.input(i)->node();
    if (!node.input(i)->type().is(Type::Kind::Object) || form_of(maker) != Form::Pack) continue;
    const Weights packed = weights_in(*this, insert, maker);
    std::vector<Value*> parts{packed.weight};
    if (packed.bias && packed.bias->type().is(Type::Kind::Tensor)) parts.push_back(packed.bias);
    node.set_input(i, insert.list(Type::list(Type::of(Type::Kind::Tensor)), parts));
  }
  const Steps* operand = keep(node);
  if (node.output_count() != 1 || !node.output()->type().is(Type::Kind::Tensor)) return;
  std::optional<Steps> steps = own_steps(*this, insert, node);
  if (!steps || form_of(node) == Form::FusedObserver) return;
  if (node.input("dtype")) {
    const auto dtype = static_cast<DType>(integer(node, "dtype"));
    steps->dtype = dtype == DType::QInt8 ? DType::Int8 : dtype == DType::QInt32 ? DType::Int32 : DType::UInt8;
  } else if (operand) {
    steps->dtype = operand->dtype;
  }
  mark(node.output(), {node.output(), *steps, nullptr});
}

// Gives a branch's results the form that both have.
bool QuantisedRewrite::joins(Node& node, std::size_t output, Inserter& insert) {
  Value* sides[] = {node.block(0)->outputs()[output], node.block(1)->outputs()[output]};
  const Quantised* first = find(sides[0]);
  const Quantised* second = find(sides[1]);
  if (!first && !second) return true;
  if (!first && !is_never(sides[0])) return false;
  if (!second && !is_never(sides[1])) return false;
  if (first && second && !same(first->steps, second->steps)) return false;
  const auto steps = copied(insert, (first ? first : second)->steps, first && second ? &second->steps : nullptr);
  if (!steps) return false;
  if (first) node.block(0)->return_node()->set_input(output, first->real);
  if (second) node.block(1)->return_node()->set_input(output, second->real);
  mark(node.output(output), {node.output(output), *steps, nullptr});
  return true;
}

// A list of what its items stand for.
void QuantisedRewrite::visit_list(Node& node) {
  std::vector<const Quantised*> items;
  for (const Value* in : node.inputs()) items.push_back(find(in));
  if (std::ranges::none_of(items, [](const Quantised* item) { return item != nullptr; })) return;
  if (std::ranges::any_of(items, [](const Quantised* item) { return item == nullptr; }))
    throw Unquantisable{"quantised and other tensors stand in one list"};
  const bool is_even =
      std::ranges::all_of(items, [&](const Quantised* item) { return same(item->steps, items[0]->steps); });
  const Steps steps = *keep(node);
  mark(node.output(), {node.output(), steps, nullptr, !is_even});
}

void QuantisedRewrite::visit_if(Node& node) {
  for (Block* block : node.blocks()) visit(*block);
  Inserter before(&node);
  for (std::size_t i = 0; i < node.output_count(); ++i)
    if (!joins(node, i, before)) throw Unquantisable{"its branches give tensors that are quantised in two ways"};
}

void QuantisedRewrite::visit_loop(Node& node) {
  Block& body = *node.block(0);
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    const Quantised* first = find(node.input(i + 2));
    if (!first) continue;
    const Steps steps = first->steps;
    node.set_input(i + 2, first->real);
    mark(body.inputs()[i + 1], {body.inputs()[i + 1], steps, nullptr});
    mark(node.output(i), {node.output(i), steps, nullptr});
  }
  visit(body);
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    const Quantised* before = find(node.output(i));
    const Quantised* after = find(body.outputs()[i + 1]);
    if (!before && !after) continue;
    if (!before || !after || !same(before->steps, after->steps))
      throw Unquantisable{"its turns give tensors that are quantised in two ways"};
    body.return_node()->set_input(i + 1, after->real);
  }
}

// The scale or zero point as a tensor of the dtype, of rank 0 but for channels.
Value* as_output(Inserter& insert, Value* part, DType dtype, bool is_single) {
  if (const ir::Constant* known = part->constant(); known && known->is_number())
    return insert.constant({dtype == DType::Float32 ? ir::Tensor::scalar(dtype, known->as_double())
                                                    : ir::Tensor::scalar(dtype, known->as_int64())});
  Value* code = insert.integer(static_cast<std::int64_t>(dtype));
  if (!part->type().is(Type::Kind::Tensor)) return insert.call("aten::scalar_tensor", {part, code});
  Value* converted = insert.call("aten::to.dtype", {part, code});
  return is_single ? insert.call("aten::reshape", {converted, insert.integers({})}) : converted;
}

// A quantised result becomes its integers, its scale and its zero point.
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
      const bool is_single = !found->steps.axis;
      if (found->is_uneven || out->type().is(Type::Kind::List))
        throw Unquantisable{"the program returns a list of quantised tensors"};
      Value* scale = as_output(insert, found->steps.scale, DType::Float32, is_single);
      Value* zero_point = as_output(insert, found->steps.zero_point, found->steps.dtype, is_single);
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
  std::reverse(gone_.begin(), gone_.end());
  for (Node* node : gone_) {
    const bool is_read = std::ranges::any_of(node->outputs(), [](const Value* out) { return !out->is_unused(); });
    if (is_read) throw ir::refusal(*node, "its result is kept where no quantised tensor can stand");
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
