// Replaces an operator along a dynamic axis by a branch for each axis.
//
// Needs facts, and a program without writes. The model stops at an axis that the tensor does not have, as the program
// does. If the operator cannot run along an axis, the program raises, and the model takes the branch of another axis.
// Operators that return a scalar, such as aten::size, and those with an unknown rank are not changed:
//
//   %r = aten::softmax(%x, %d)   rank 2      %w = aten::__getitem__([0, 1], %d)
//                                            %c = aten::eq(%w, 0)
//                                            %r = prim::If(%c)
//                                              block0: %a = aten::softmax(%x, 0) -> (%a)
//                                              block1: %b = aten::softmax(%x, 1) -> (%b)
//
// An operator on a vector needs no branch. It reads item %d of a tensor whose only item is the vector:
//
//   %r = aten::softmax(%x, %d)   rank 1      %w = aten::unsqueeze(%x, 0)
//                                            %v = aten::select(%w, 0, %d)
//                                            %r = aten::softmax(%v, 0)
#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/schema.h"
#include "ir/writes.h"
#include "program/control/branch_per_value.h"
#include "program/control/passes.h"
#include "program/control/raising.h"
#include "program/edit.h"
#include "program/facts/marks.h"
#include "program/nodes_where.h"

namespace tonnx::program {

using ir::Node;
using ir::Type;
using ir::Value;

namespace {

constexpr std::int64_t kMostAxes = 8;
// The names that schemas have for an argument that is an axis or a list of axes.
constexpr std::array<std::string_view, 12> kAxisNames = {
    "dim", "dims", "dim0", "dim1", "dim2", "axis", "axis0", "axis1", "start_dim", "end_dim", "dimension", "source"};
constexpr std::string_view kDestination = "destination";

bool is_axis(const ir::Argument& argument) {
  return argument.name == kDestination ||
         std::find(kAxisNames.begin(), kAxisNames.end(), argument.name) != kAxisNames.end();
}

bool is_dynamic_int(const Value* value) { return value->type().is(Type::Kind::Int) && !value->constant(); }

bool is_list(const Value* value) { return value->node() && aten::acts_as(*value->node(), aten::Container::List); }

// The position of an axis: an argument, or an item of an argument that is a list.
struct AxisPosition {
  std::size_t argument;
  std::optional<std::size_t> item;
};

std::optional<AxisPosition> dynamic_axis(const Node& node) {
  const ir::Schema* schema = node.schema();
  // In private operators of LibTorch (`_name`), and in those of other libraries, the names may mean something else.
  if (!schema || node.domain() != "aten" || node.op().front() == '_') return std::nullopt;
  const bool spells_sizes = aten::traits_of(node).spells_sizes;  // aten::tile calls its factors "dims"
  for (std::size_t i = 0; i < node.input_count() && i < schema->arguments.size(); ++i) {
    if (!is_axis(schema->arguments[i])) continue;
    const Value* in = node.input(i);
    if (is_dynamic_int(in)) return AxisPosition{i, std::nullopt};
    if (spells_sizes || !in->type().is(Type::Kind::List) || !is_list(in)) continue;
    const auto items = in->node()->inputs();
    for (std::size_t k = 0; k < items.size(); ++k)
      if (is_dynamic_int(items[k])) return AxisPosition{i, k};
  }
  return std::nullopt;
}

// The number of possible axes; none if a rank is unknown. The largest rank counts, that of the result included, because
// it has the axis that an operator adds. For lists of axes, and for operators that split or merge axes, the axis is one
// of an operand.
std::optional<std::int64_t> axes_of(const Node& node, const AxisPosition& position) {
  std::int64_t most = 0;
  bool known = true;
  const auto note = [&](const Value* value) {
    if (!value->type().is(Type::Kind::Tensor)) return;
    known = known && value->facts().dims;
    if (known) most = std::max(most, static_cast<std::int64_t>(value->facts().dims->size()));
  };
  for (const Value* in : node.inputs()) {
    note(in);
    if (in->type().is_tensor_list()) {
      if (!is_list(in)) return std::nullopt;
      for (const Value* item : in->node()->inputs()) note(item);
    }
  }
  const bool of_operand = position.item || aten::traits_of(node).inverse == aten::Inverse::Reshape ||
                          node.schema()->arguments[position.argument].name == "dimension";
  if (!of_operand) note(node.output(0));
  if (!known || most > kMostAxes) return std::nullopt;
  return std::max<std::int64_t>(most, 1);
}

class Branches {
 public:
  Branches(Node& node, AxisPosition position, std::int64_t axes) : node_(node), position_(position), axes_(axes) {}

  void run() {
    Inserter insert(&node_);
    Value* const axis = list() ? list()->input(*position_.item) : node_.input(position_.argument);
    if (axes_ == 1) check_only_axis(insert, axis);
    const auto along = [&](Inserter& inside, std::size_t k) { return copy(inside, static_cast<std::int64_t>(k)); };
    for (Value* out : node_.outputs()) out->set_facts({});  // of the Ifs
    const Selector selector = Selector::by_index(axes_ == 1 ? axis : insert.normalised_index(axis, axes_));
    const std::vector<Value*> results =
        branch_per_candidate(insert, node_, selector, static_cast<std::size_t>(axes_), along);
    for (std::size_t o = 0; o < results.size(); ++o) node_.output(o)->replace_uses(results[o]);
    node_.erase();
  }

 private:
  Node* list() const { return position_.item ? node_.input(position_.argument)->node() : nullptr; }

  // For operands of rank 0 or 1: makes the model stop if `axis` is neither 0 nor -1.
  void check_only_axis(Inserter& insert, Value* axis) {
    for (std::size_t i = 0; i < node_.input_count(); ++i) {
      Value* in = node_.input(i);
      if (in->type().is(Type::Kind::Tensor)) return node_.set_input(i, insert.only_item(in, axis));
      if (!in->type().is_tensor_list() || in->node()->input_count() == 0) continue;
      std::vector<Value*> items(in->node()->inputs().begin(), in->node()->inputs().end());
      items[0] = insert.only_item(items[0], axis);
      return node_.set_input(i, insert.list(in->type(), items));
    }
  }

  std::vector<Value*> copy(Inserter& insert, std::int64_t axis) {
    Value* fixed = insert.integer(axis);
    if (const Node* construct = list()) {
      std::vector<Value*> items(construct->inputs().begin(), construct->inputs().end());
      items[*position_.item] = fixed;
      fixed = insert.list(construct->output()->type(), items);
    }
    ValueMap map;
    Node* chosen = copy_node(node_, map);
    chosen->set_attribute(kChosenAxis, axis);
    chosen->set_input(position_.argument, fixed);
    insert.insert(chosen);
    return {chosen->outputs().begin(), chosen->outputs().end()};
  }

  Node& node_;
  AxisPosition position_;
  std::int64_t axes_;
};

// True if an operator that failed at all samples fails at all sizes: its scalars are constant, and all dims of its
// tensors are fixed; or it has one tensor, which lacks the axis or has a fixed size along it.
bool always_fails(const Node& node, std::int64_t axis) {
  std::vector<const Value*> tensors;
  bool known = true;
  const auto note = [&](const Value* value) {
    if (value->type().is(Type::Kind::Tensor)) {
      tensors.push_back(value);
    } else if (!value->type().is(Type::Kind::None)) {
      known = known && value->constant();
    }
  };
  for (const Value* in : node.inputs()) {
    if (in->constant() || !is_list(in)) {
      note(in);
    } else {
      for (const Value* item : in->node()->inputs()) note(item);
    }
  }
  const auto is_fixed = [](const Value* value) { return value->facts().fixed_dims().has_value(); };
  if (!known || tensors.empty()) return false;
  if (std::all_of(tensors.begin(), tensors.end(), is_fixed)) return true;
  const auto& dims = tensors.front()->facts().dims;
  if (tensors.size() > 1 || !dims) return false;
  return axis >= static_cast<std::int64_t>(dims->size()) || (*dims)[static_cast<std::size_t>(axis)].is_fixed();
}

// Raises before operators along a chosen axis that fail in every run.
bool raise_where_always_fails(ir::Graph& graph, const FactMarks& marks) {
  const std::vector<Node*> failing = nodes_where(graph, [&](const Node* node) {
    const auto* axis = node->attribute_as<std::int64_t>(kChosenAxis);
    const bool* runs = axis ? marks.runs.find(node->output(0)) : nullptr;
    return runs && !*runs && !dynamic_axis(*node) && always_fails(*node, *axis);
  });
  for (Node* node : failing) {
    raise_before(*node);
    node->remove_attribute(kChosenAxis);
  }
  return !failing.empty();
}

}  // namespace

bool choose_axes(ir::Graph& graph, const Kept& kept, const FactMarks& marks) {
  struct Choice {
    Node* node;
    AxisPosition position;
    std::int64_t axes;
  };
  if (has_writes(graph)) return false;
  std::vector<Choice> choices;
  for_each_node(graph.block(), [&](Node* node) {
    if (node->output_count() == 0 || node->output(0)->type().is_scalar() || (kept && kept(*node))) return;
    const auto position = dynamic_axis(*node);
    const auto axes = position ? axes_of(*node, *position) : std::nullopt;
    if (axes) choices.push_back({node, *position, *axes});
  });
  if (raise_where_always_fails(graph, marks)) return true;
  for (const Choice& choice : choices) Branches(*choice.node, choice.position, choice.axes).run();
  return !choices.empty();
}

}  // namespace tonnx::program
