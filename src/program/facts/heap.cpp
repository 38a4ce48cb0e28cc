// Containers: a write makes their aliases vary, or invalidates them if some runs skip it or may write to others.
#include "program/facts/heap.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/control_flow.h"
#include "ir/writes.h"
#include "program/containers/items.h"

namespace tonnx::program {

using aten::Container;
using ir::Constant;
using ir::DatumPtr;
using ir::Node;
using ir::Type;
using ir::Value;

Heap::Heap(const ir::Graph& graph, ir::Evaluator& evaluator, const Lattice& lattice, AbstractState& state,
           bool has_writes)
    : graph_(graph),
      evaluator_(evaluator),
      lattice_(lattice),
      state_(state),
      count_(lattice.count()),
      data_count_(lattice.data_count()),
      has_writes_(has_writes),
      has_resizes_(has_writes && ir::any_node(graph.block(), resizes)) {
  if (has_writes_) sharing_.emplace(graph_);
}

namespace {

// True if the user stores the value in a container.
bool is_stored_by(const ir::Use& use) {
  return is_put_away(use) || (use.index > 0 && aten::acts_as(*use.node, Container::SetDefault));
}

}  // namespace

bool is_container(const Type& type) {
  return type.is(Type::Kind::List) || type.is(Type::Kind::Dict) || type.is(Type::Kind::Tuple);
}

bool takes_item(const Node& node) {
  switch (aten::traits_of(node).container) {
    case Container::Item:
    case Container::Get:
    case Container::Pop:
    case Container::PopItem:
    case Container::SetDefault:
    case Container::ListUnpack:
    case Container::TupleUnpack: return true;
    default: return false;
  }
}

bool is_made_in_block(const Value& tensor, const Node& node) {
  const Node* producer = tensor.node();
  const ir::Schema* schema = producer && producer->parent() == node.parent() ? producer->schema() : nullptr;
  if (!schema || schema->returns.empty() || aten::traits_of(*producer).alias != aten::Alias::Marked) return false;
  return std::ranges::all_of(schema->returns, [](const ir::Argument& result) { return result.alias_set.empty(); }) &&
         aten::traits_of(*producer).container == Container::None;
}

bool resizes(const Node& node) {
  if (!writes_argument(node, 0) || !node.input()->type().is(Type::Kind::Tensor)) return false;
  const aten::Write write = aten::write_of(node);
  return write == aten::Write::Shape || write == aten::Write::Resize || write == aten::Write::Memory ||
         write == aten::Write::Layout;
}

bool Heap::has_fixed_form(const Type& type, const Sampled& sampled) const {
  return !is_container(type) || (!forms_are_open_ && (sampled.fixed_form || !sampled.any_varies()));
}

// True if the written container has the same form in every run.
bool Heap::keeps_form(const Node& node, const std::vector<const Sampled*>& inputs) const {
  const Container form = aten::traits_of(node).container;
  const bool is_dict = node.input()->type().is(Type::Kind::Dict);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const bool is_value = (form == Container::Append && i == 1) || (form == Container::SetItem && i == 2);
    const bool selects =
        i > 0 && !is_value && !is_container(node.input(i)->type()) && !node.input(i)->type().is(Type::Kind::Tensor);
    if (selects && inputs[i]->any_varies()) return false;
    if (!has_fixed_form(node.input(i)->type(), *inputs[i])) return false;
  }
  switch (form) {
    case Container::Append:
    case Container::Extend:
    case Container::Insert:
    case Container::SetItem:
    case Container::Clear:
    case Container::Reverse:
    case Container::Pop:
    case Container::Delete: return true;
    case Container::SetDefault:
    case Container::Update: return is_dict;
    default: return false;
  }
}

void Heap::note_container_writes(const Node& node, const std::vector<const Sampled*>& inputs, bool sets_entry) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!writes_argument(node, i) || node.input(i)->type().is(Type::Kind::Tensor)) continue;
    Sampled& written = state_.values[node.input(i)];
    if (state_.uncertain > 0 && !sets_entry) uncertain_writes_.push_back(written.samples.front());
    bool varies = false;
    written.fixed_form = keeps_form(node, inputs);
    forms_are_open_ = forms_are_open_ || !written.fixed_form;
    for (const Sampled* in : inputs) {
      varies = varies || in->any_varies();
      written.depends_on_data = written.depends_on_data || in->depends_on_data;
    }
    if (!varies) continue;
    written.varies = true;
    written.fixed_keys = false;
    written.items.clear();
    invalidated_.push_back({written.samples.front(), false});
  }
}

void Heap::invalidate_uncertain_writes() {
  for (ir::DatumPtr& datum : uncertain_writes_) invalidated_.push_back({std::move(datum), true});
  uncertain_writes_.clear();
  for (Entry& entry : uncertain_entries_) invalidate_entry(entry.dict, std::move(entry.key));
  uncertain_entries_.clear();
}

void Heap::invalidate(Sampled& sampled) const {
  for (const Invalidated& invalidated : invalidated_) {
    if (!sampled.known()) return;
    if (!evaluator_.share_memory(*sampled.samples.front(), *invalidated.datum)) continue;
    if (invalidated.unknown) {
      sampled = Sampled{};
    } else {
      sampled.varies = true;
      sampled.fixed_keys = false;
      sampled.items.clear();
    }
  }
}

void Heap::invalidate_container(const Value* value) {
  Sampled& sampled = state_.values[value];
  if (sampled.known()) invalidated_.push_back({sampled.samples.front(), true});
  sampled = Sampled{};
}

void Heap::invalidate_list(const Node& node, std::vector<Sampled>& outputs) {
  invalidate_container(node.input());
  for (std::size_t o = 0; o < outputs.size(); ++o)
    if (node.output(o)->type() == node.input()->type()) outputs[o] = Sampled{};
}

// The values of the type that a container may hold.
std::vector<const Value*> Heap::held_of(const Type& type) const {
  std::vector<const Value*> held;
  for (const auto& [value, sampled] : state_.values) {
    const Node* node = value->node();
    if (!(value->type() == type) || !node || node->is("prim::Constant")) continue;
    if (takes_item(*node) || std::ranges::any_of(value->uses(), is_stored_by)) held.push_back(value);
  }
  return held;
}

void Heap::invalidate_possible(const Value* container) {
  std::vector<const Value*> open = {container};
  std::unordered_set<const Value*> seen;
  while (!open.empty()) {
    const Value* value = open.back();
    open.pop_back();
    if (!seen.insert(value).second) continue;
    if (state_.of(value).known()) {
      invalidate_container(value);
      if (!is_picked(value)) continue;  // the example's item of a list; other runs pick others
    }
    const Node* node = value->node();
    if (!node) continue;
    if (const std::vector<Value*> origins = handed_from(*value); !origins.empty()) {
      open.insert(open.end(), origins.begin(), origins.end());
    } else if (aten::traits_of(*node).alias == aten::Alias::Same && node->input_count() > 0) {
      open.push_back(node->input());
    } else if (takes_item(*node)) {
      for (const Value* other : held_of(value->type())) open.push_back(other);
    }
  }
}

void Heap::invalidate_written_containers(const ir::Block& block) {
  for_each_node(block, [&](Node* node) {
    for (std::size_t i = 0; i < node->input_count(); ++i) {
      if (!writes_argument(*node, i)) continue;
      const Type::Kind kind = node->input(i)->type().kind;
      if (kind != Type::Kind::List && kind != Type::Kind::Dict) continue;
      if (!sets_entry(*node)) invalidate_container(node->input(i));
    }
  });
}

void Heap::note_picked_write(const Node& node, const std::vector<const Sampled*>& inputs) {
  if (!has_writes_) return;
  for (const Value* picked : node.outputs()) {
    const Type& type = picked->type();
    if ((!type.is(Type::Kind::List) && !type.is(Type::Kind::Dict)) || !is_picked(picked)) continue;
    std::vector<const Node*> writers;
    for (const ir::Use& use : picked->uses())
      if (writes_argument(*use.node, use.index)) writers.push_back(use.node);
    if (writers.empty()) continue;
    const bool are_items = node.input()->type().is(Type::Kind::List) && !is_picked(node.input());
    std::vector<DatumPtr> items;
    if (are_items) items = evaluator_.items(*inputs[0]->samples.front());
    for (const Value* value : are_items ? std::vector<const Value*>() : held_of(type)) {
      if (state_.of(value).known()) {
        items.push_back(state_.of(value).samples.front());
      } else {
        invalidate_possible(value);
      }
    }
    bool sets_known_keys = are_items;
    for (const DatumPtr& item : items) {
      const auto sets_key = [&](const Node* writer) {
        const bool sets = aten::acts_as(*writer, Container::SetItem) && picked->type().is(Type::Kind::Dict);
        const Constant* key = sets ? state_.known.constant(writer->input(1)) : nullptr;
        return key && evaluator_.entry(*item, *evaluator_.constant(*key));
      };
      if (std::ranges::all_of(writers, sets_key)) {
        for (const Node* writer : writers) invalidate_entry(item, key_of(*writer));
      } else {
        invalidated_.push_back({item, true});
        sets_known_keys = false;
      }
    }
    if (!sets_known_keys) invalidate_container(node.input());
  }
}

// True if the container, or one in it, may be written to through this value or one that it is passed to or read into.
bool Heap::may_be_written(const Value* value) const {
  std::vector<const Value*> open = {value};
  std::unordered_set<const Value*> seen;
  while (!open.empty()) {
    const Value* name = open.back();
    open.pop_back();
    if (!seen.insert(name).second) continue;
    for (const ir::Use& use : name->uses()) {
      const Node& node = *use.node;
      if (writes_argument(node, use.index) || is_stored_by(use)) return true;
      if (const std::vector<Value*> results = handed_to(use); !results.empty()) {
        open.insert(open.end(), results.begin(), results.end());
      } else {
        for (const Value* out : node.outputs())
          if (!out->type().is(Type::Kind::Tensor) && !out->type().is_scalar()) open.push_back(out);
      }
    }
  }
  return false;
}

// True if anything may write to the container, through any alias.
bool Heap::may_change(const Value* value) const {
  if (may_be_written(value)) return true;
  const Container form = aten::traits_of(*value->node()).container;
  if (form == Container::List || form == Container::Dict || form == Container::Concat || form == Container::Part ||
      form == Container::Copy)
    return false;
  bool is_written = false;
  for_each_node(graph_.block(), [&](const Node* node) {
    for (std::size_t i = 0; i < node->input_count() && !is_written; ++i)
      is_written = writes_argument(*node, i) && node->input(i)->type() == value->type();
  });
  return is_written;
}

bool Heap::is_either(const Value* name, const Value* a, const Value* b, const Sampled& of_a,
                     const Sampled& of_b) const {
  const bool is_container = name->type().is(Type::Kind::List) || name->type().is(Type::Kind::Dict);
  return has_writes_ && is_container && of_a.known() && of_b.known() && !of_a.unreachable && !of_b.unreachable &&
         !evaluator_.share_memory(*of_a.samples.front(), *of_b.samples.front()) &&
         (may_be_written(name) || may_change(a) || may_change(b));
}

bool is_only_passed_through(const Value& container) {
  const Node& node = *container.node();
  const bool is_built = aten::acts_as(node, Container::List) || aten::acts_as(node, Container::Dict);
  const auto holds_no_container = [](const Type& item) {
    return item.is(Type::Kind::Tensor) || item.is_scalar() || item.is(Type::Kind::String);
  };
  const bool is_fresh = is_built || aten::acts_as(node, Container::Concat) || aten::acts_as(node, Container::Part) ||
                        aten::acts_as(node, Container::Copy);
  if (!is_fresh || container.uses().size() != 1) return false;
  if (holds_no_container(container.type().elements.back())) return true;
  return is_built && std::ranges::all_of(node.inputs(), [&](const Value* in) {
           return holds_no_container(in->type()) || is_only_passed_through(*in);
         });
}

}  // namespace tonnx::program
