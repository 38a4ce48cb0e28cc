// Decides which results of a node are constant and which depend on sizes or on tensor data.
#include <algorithm>
#include <optional>
#include <unordered_set>
#include <vector>

#include "aten/identity.h"
#include "aten/traits.h"
#include "ir/control_flow.h"
#include "program/containers/entries.h"
#include "program/facts/interpreter.h"
#include "program/writes/views.h"

namespace tonnx::program {

using aten::Container;
using ir::Facts;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

// True for a scalar, or a list of scalars or of such lists.
bool holds_numbers(const Type& type) {
  return type.is(Type::Kind::List) ? holds_numbers(type.elements.at(0)) : type.is_scalar();
}

bool any_open_dim(const Facts& facts) {
  return !facts.dims || std::ranges::any_of(*facts.dims, [](const ir::Dim& d) { return !d.is_fixed(); });
}

// Adds the objects that a value may be, following copies and phis. Returns false if it may be an item of a container.
bool find_objects(const Value* value, std::unordered_set<const Value*>& objects) {
  std::unordered_set<const Value*> seen;
  std::vector<const Value*> open = {value};
  while (!open.empty()) {
    const Value* current = open.back();
    open.pop_back();
    const Node* producer = current->node();
    if (!seen.insert(current).second) continue;
    if (const std::vector<Value*> origins = handed_from(*current); !origins.empty()) {
      open.insert(open.end(), origins.begin(), origins.end());
    } else if (producer && aten::traits_of(*producer).alias == aten::Alias::Same) {
      open.push_back(producer->input());
    } else if (producer && aten::traits_of(*producer).container != Container::None) {
      return false;
    } else {
      objects.insert(current);
    }
  }
  return true;
}

// True if `is` between the two values is dynamic; otherwise the example decides. Later passes rebuild containers.
bool may_be_either(const Node& question, const ir::FactsView& known) {
  const Value *a = question.input(0), *b = question.input(1);
  if (known.is_none(a) || known.is_none(b)) return false;
  if (is_container(a->type()) || is_container(b->type())) return true;
  if (a == b) return false;
  std::unordered_set<const Value*> one, other;
  if (!find_objects(a, one) || !find_objects(b, other)) return true;
  // A single object was created in the current iteration of all loops around it.
  if (one.size() == 1 && one == other) return false;
  return std::ranges::any_of(one, [&](const Value* object) { return other.contains(object); });
}

}  // namespace

// True if the node splits a tensor into the same number of pieces in every run.
bool Interpreter::returns_fixed_count(const Node& node, const std::vector<const Sampled*>& inputs) const {
  if (inputs.size() > 1 && is_container(node.input(1)->type()))
    return heap_.has_fixed_form(node.input(1)->type(), *inputs[1]);
  for (std::size_t i = 1; i < inputs.size(); ++i)
    if (inputs[i]->any_varies()) return false;
  if (aten::traits_of(node).inverse == aten::Inverse::Sections) return true;
  const auto& dims = state_.known.of(node.input()).dims;
  const auto axis = dims ? state_.known.index(node.input(node.input_count() - 1), dims->size()) : std::nullopt;
  return axis && (*dims)[*axis].is_fixed();
}

// True if the containers that a node returns have the same form in every run.
bool Interpreter::returns_fixed_form(const Node& node, const std::vector<const Sampled*>& inputs) {
  const aten::Traits& traits = aten::traits_of(node);
  const Container form = traits.container;
  if (makes_dict_of_pairs(node) && node.output()->type().elements.at(0).is(Type::Kind::String))
    return inputs.empty() || heap_.has_fixed_form(node.input()->type(), *inputs[0]);
  if (traits.gives_sizes) return state_.dims_now(node.input()).has_value();
  if (traits.alias == aten::Alias::Same) return heap_.has_fixed_form(node.input()->type(), *inputs[0]);
  switch (traits.inverse) {
    case aten::Inverse::Unbind:
    case aten::Inverse::Split:
    case aten::Inverse::Chunk:
    case aten::Inverse::Sections: return returns_fixed_count(node, inputs);
    default: break;
  }
  switch (form) {
    case Container::List:
    case Container::Tuple:
    case Container::Dict:
    case Container::ListUnpack:
    case Container::TupleUnpack:
    case Container::Item:
    case Container::Concat:
    case Container::Copy:
    case Container::Keys:
    case Container::Values:
    case Container::Items:
    case Container::Part: break;
    default: return false;
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const bool selects =
        ((form == Container::Item || form == Container::Part) && i > 0) || (form == Container::Dict && i % 2 == 0);
    if (selects ? inputs[i]->any_varies() : !heap_.has_fixed_form(node.input(i)->type(), *inputs[i])) return false;
  }
  return true;
}

void Interpreter::mark_varying(const Node& node, const std::vector<const Sampled*>& inputs,
                               std::vector<Sampled>& outputs) {
  bool varies = false;
  bool data = false;
  bool meta = false;
  bool has_open_layout =
      has_writes_ && lists_.takes_any_item(node) && inputs[0]->known() && lattice_.has_several_layouts(*inputs[0]);
  for (const Sampled* in : inputs) {
    has_open_layout = has_open_layout || in->has_open_layout;
    varies = varies || in->any_varies();
    data = data || in->depends_on_data;
    meta = meta || in->meta;
  }
  bool open = false;
  const aten::Traits& traits = aten::traits_of(node);
  if (!traits.size_blind)
    for (const Value* in : node.inputs())
      open = open || (in->type().is(Type::Kind::Tensor) && any_open_dim(state_.known.of(in)));
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    Sampled& out = outputs[o];
    const Type& type = node.output(o)->type();
    const bool is_tensor = type.is(Type::Kind::Tensor);
    out.meta = (meta || out.meta) && !holds_numbers(type);
    // A tensor computed from scalars has data, even if it takes its device or dtype from a tensor without.
    if (is_tensor && out.meta && varies && out.known() && evaluator_.describe(*out.samples.front()).constant)
      out.meta = false;
    out.varies = out.varies || varies || open;
    out.depends_on_data = out.depends_on_data || data;
    if (is_tensor && out.meta) {
      out.varies = false;           // its data are unknown
      out.depends_on_data = false;  // note_facts() derives it from the sizes
    }
  }
  const bool is_contiguous = node.is("aten::contiguous") && names_plain_order(node);
  for (std::size_t o = 0; o < outputs.size() && !is_contiguous; ++o)
    outputs[o].has_open_layout = has_open_layout && !node.output(o)->type().is_scalar();
  if (outputs.empty()) return;
  const bool fixed = returns_fixed_form(node, inputs);
  for (std::size_t o = 0; o < outputs.size(); ++o)
    outputs[o].fixed_form = fixed && is_container(node.output(o)->type());
  Sampled& out = outputs.front();
  if (const auto deciding = aten::deciding_bool(node.kind()); deciding && node.output()->type().is(Type::Kind::Bool)) {
    for (const Value* in : node.inputs())
      if (state_.certain(in) == deciding) out.varies = out.depends_on_data = false;
  }
  if (traits.type_only && state_.dims_now(node.input())) out.varies = out.depends_on_data = false;
  if (node.is("aten::is_contiguous") && names_plain_order(node) && !heap_.has_resizes() &&
      lies_in_order(*node.input(), state_.known))
    out.varies = out.depends_on_data = false;
  if (aten::identity_of(node.kind()) != aten::Identity::None && may_be_either(node, state_.known))
    out.varies = out.depends_on_data = true;
  if (traits.gives_sizes && !inputs.empty()) {
    const auto dims = state_.dims_now(node.input());
    if (node.input_count() == 1) {
      out.varies = !dims;
      if (dims)
        for (const ir::Dim& dim : *dims) out.items.push_back(dim.is_fixed() ? 0 : 1);
      out.varies = out.any_varies();
    } else {
      const auto axis = dims ? state_.known.index(node.input(1), dims->size()) : std::nullopt;
      out.varies =
          inputs[1]->any_varies() || (axis ? !(*dims)[*axis].is_fixed() : any_open_dim(state_.known.of(node.input())));
    }
    out.depends_on_data = inputs[0]->depends_on_data && out.varies;
  } else if (traits.container == Container::Length && node.input()->type().is(Type::Kind::Tensor)) {
    const auto dims = state_.dims_now(node.input());
    out.varies = !dims || dims->empty() || !dims->front().is_fixed();
    out.depends_on_data = out.depends_on_data && out.varies;
  } else if (traits.container == Container::Length && is_container(node.input()->type())) {
    out.varies = !heap_.has_fixed_form(node.input()->type(), *inputs[0]);
    out.depends_on_data = out.depends_on_data && out.varies;
  } else if (traits.container == Container::Contains && node.input()->type().is(Type::Kind::Dict)) {
    out.varies = !heap_.has_fixed_form(node.input()->type(), *inputs[0]) || inputs[1]->any_varies();
    out.depends_on_data = out.depends_on_data && out.varies;
  } else if (traits.container == Container::Keys && heap_.has_fixed_form(node.input()->type(), *inputs[0])) {
    out.varies = out.depends_on_data = false;
  } else if (traits.container == Container::Items) {
    out.fixed_keys = heap_.has_fixed_form(node.input()->type(), *inputs[0]);
  } else if (traits.container == Container::List || traits.container == Container::Tuple) {
    for (const Sampled* in : inputs) out.items.push_back(in->any_varies());
  } else if (traits.container == Container::ListUnpack || traits.container == Container::TupleUnpack) {
    for (std::size_t o = 0; o < outputs.size(); ++o)
      if (!outputs[o].meta || !node.output(o)->type().is(Type::Kind::Tensor))
        outputs[o].varies = inputs[0]->item_varies(o);
    if (inputs[0]->fixed_keys) out.varies = out.depends_on_data = false;
  } else if (traits.container == Container::Item && inputs[0]->fixed_keys &&
             node.output()->type().is(Type::Kind::Tuple)) {
    out.fixed_keys = !inputs[1]->any_varies();
  } else if (traits.container == Container::Item && inputs.size() == 2 && !inputs[0]->items.empty() &&
             !inputs[1]->any_varies() && !out.meta) {
    if (const auto item = state_.known.index(node.input(1), inputs[0]->items.size()))
      out.varies = inputs[0]->item_varies(*item);
  }
}

}  // namespace tonnx::program
