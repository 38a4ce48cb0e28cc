// Writes to containers that some runs skip, or apply to another container: invalidates all aliases that they may
// change.
#include <algorithm>
#include <memory>
#include <unordered_set>
#include <vector>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "ir/control_flow.h"
#include "ir/writes.h"
#include "program/containers/items.h"
#include "program/facts/fact_inference.h"

namespace tonnx::program {

using aten::Container;
using ir::Constant;
using ir::DatumPtr;
using ir::Facts;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

bool is_dict(const Value* value) { return value->type().is(Type::Kind::Dict); }

bool reads_one(Container form) {
  switch (form) {
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

// True if the user stores the value in a container.
bool is_stored_by(const ir::Use& use) {
  return is_put_away(use) || (use.index > 0 && aten::acts_as(*use.node, Container::SetDefault));
}

// True if the node does not read the values of a dict: it reads keys, writes, or passes the dict through.
bool reads_no_entry(const Node& node, std::size_t argument) {
  const aten::Traits& traits = aten::traits_of(node);
  switch (traits.container) {
    case Container::List:
    case Container::Tuple:
    case Container::Dict:
    case Container::Append:
    case Container::Insert:
    case Container::SetItem: return true;
    case Container::Length:
    case Container::Contains:
    case Container::Keys:
    case Container::Delete:
    case Container::Clear: return argument == 0;
    default: return traits.alias == aten::Alias::Same;
  }
}

}  // namespace

// The key that a node reads or sets if it is the same in every run, or null.
std::shared_ptr<const Constant> FactInference::key_of(const Node& node) const {
  if (node.input_count() < 2 || !is_dict(node.input())) return nullptr;
  if (const Constant* constant = node.input(1)->constant()) return std::make_shared<const Constant>(*constant);
  const Sampled& key = of(node.input(1));
  return key.known() && !key.varies ? evaluator_.describe(*key.samples.front()).constant : nullptr;
}

// True if the node sets a key that the dict has in every sample.
bool FactInference::sets_entry(const Node& node) {
  if (!aten::acts_as(node, Container::SetItem) || !is_dict(node.input()) || !of(node.input()).known()) return false;
  const auto key = key_of(node);
  const DatumPtr name = key ? evaluator_.constant(*key) : nullptr;
  const auto has_key = [&](const DatumPtr& dict) { return evaluator_.entry(*dict, *name) != nullptr; };
  return name && std::ranges::all_of(of(node.input()).samples, has_key);
}

bool FactInference::is_picked(const Value* value) const {
  for (const Node* node = value->node(); node && reads_one(aten::traits_of(*node).container);
       node = node->input()->node())
    if (node->input_count() > 1 && of(node->input(1)).varies) return true;
  return false;
}

void FactInference::spoil_entry(const DatumPtr& dict, std::shared_ptr<const Constant> key) {
  for (const Entry& known : spoiled_entries_)
    if (evaluator_.share_memory(*dict, *known.dict) && ir::same_constant(*key, *known.key)) return;
  spoiled_entries_.push_back({dict, std::move(key)});
}

// True if the node reads an entry of a dict that a write has invalidated.
bool FactInference::reads_spoiled(const Node& node, const std::vector<const Sampled*>& inputs) const {
  for (std::size_t i = 0; i < inputs.size() && !spoiled_entries_.empty(); ++i) {
    if (!is_dict(node.input(i)) || !inputs[i]->known() || reads_no_entry(node, i)) continue;
    const auto key = i == 0 && reads_one(aten::traits_of(node).container) ? key_of(node) : nullptr;
    for (const Entry& spoiled : spoiled_entries_)
      if (evaluator_.share_memory(*inputs[i]->samples.front(), *spoiled.dict) &&
          (!key || ir::same_constant(*key, *spoiled.key)))
        return true;
  }
  return false;
}

// Notes a write to an entry of a dict. Returns false for other nodes. In a block that may not run, the entry stays
// known if a tensor replaces one of the same dtype and sizes.
bool FactInference::note_entry(const Node& node, const std::vector<const Sampled*>& inputs) {
  if (!sets_entry(node)) return false;
  const auto key = key_of(node);
  const DatumPtr& dict = inputs[0]->samples.front();
  const bool is_picked_dict = is_picked(node.input());
  const bool was_spoiled = !is_picked_dict && std::erase_if(spoiled_entries_, [&](const Entry& spoiled) {
                                                return evaluator_.share_memory(*dict, *spoiled.dict) &&
                                                       ir::same_constant(*key, *spoiled.key);
                                              }) > 0;
  if (!inputs[2]->known() || is_picked_dict) {
    open_settings_.insert(&node);
    spoil_entry(dict, key);
    return true;
  }
  if (uncertain_ == 0) return true;
  const DatumPtr name = evaluator_.constant(*key);
  std::vector<DatumPtr> touched;
  bool differs = was_spoiled || has_resizes_ || open_settings_.contains(&node);
  for (std::size_t sample = 0; sample < count_; ++sample) {
    touched.push_back(evaluator_.entry(*inputs[0]->samples[sample], *name));
    touched.push_back(inputs[2]->samples[sample]);
    const Facts before = evaluator_.describe(*touched[2 * sample], 0),
                now = evaluator_.describe(*touched[2 * sample + 1], 0);
    const bool is_tensor = node.input(2)->type().is(Type::Kind::Tensor) && before.fixed_dims() && now.fixed_dims();
    differs = differs || !is_tensor || before.dtype != now.dtype || before.fixed_dims() != now.fixed_dims();
  }
  if (differs) {
    open_settings_.insert(&node);
    uncertain_entries_.push_back({dict, key});
  } else {
    for (const DatumPtr& tensor : touched) evaluator_.forget_content(*tensor);
  }
  return true;
}

// True if the container, or one in it, may be written to through this value or one that it is passed to or read into.
bool FactInference::may_be_written(const Value* value) const {
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

bool is_only_handed_on(const Value& container) {
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
           return holds_no_container(in->type()) || is_only_handed_on(*in);
         });
}

// True if anything may write to the container, through any alias.
bool FactInference::may_change(const Value* value) const {
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

// True if a value may be either of two distinct containers and one of them, or the value, may be written to.
bool FactInference::is_either(const Value* name, const Value* a, const Value* b, const Sampled& of_a,
                              const Sampled& of_b) const {
  const bool is_container = name->type().is(Type::Kind::List) || name->type().is(Type::Kind::Dict);
  return has_writes_ && is_container && of_a.known() && of_b.known() && !of_a.unreachable && !of_b.unreachable &&
         !evaluator_.share_memory(*of_a.samples.front(), *of_b.samples.front()) &&
         (may_be_written(name) || may_change(a) || may_change(b));
}

// The values of the type that a container may hold.
std::vector<const Value*> FactInference::held_of(const Type& type) const {
  std::vector<const Value*> held;
  for (const auto& [value, sampled] : values_) {
    const Node* node = value->node();
    if (!(value->type() == type) || !node || node->is("prim::Constant")) continue;
    if (reads_one(aten::traits_of(*node).container) || std::ranges::any_of(value->uses(), is_stored_by))
      held.push_back(value);
  }
  return held;
}

void FactInference::spoil_whole(const Value* value) {
  Sampled& sampled = values_[value];
  if (sampled.known()) spoiled_.push_back({sampled.samples.front(), true});
  sampled = Sampled{};
}

// Invalidates every container that the value may be, after a write to a container that is not known.
void FactInference::spoil_possible(const Value* container) {
  std::vector<const Value*> open = {container};
  std::unordered_set<const Value*> seen;
  while (!open.empty()) {
    const Value* value = open.back();
    open.pop_back();
    if (!seen.insert(value).second) continue;
    if (of(value).known()) {
      spoil_whole(value);
      continue;
    }
    const Node* node = value->node();
    if (!node) continue;
    if (const std::vector<Value*> origins = handed_from(*value); !origins.empty()) {
      open.insert(open.end(), origins.begin(), origins.end());
    } else if (aten::traits_of(*node).alias == aten::Alias::Same && node->input_count() > 0) {
      open.push_back(node->input());
    } else if (reads_one(aten::traits_of(*node).container)) {
      for (const Value* other : held_of(value->type())) open.push_back(other);
    }
  }
}

// A list or dict picked at a dynamic index or key and then written to may be any of the candidates: invalidates them.
void FactInference::note_picked_write(const Node& node, const std::vector<const Sampled*>& inputs) {
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
      if (of(value).known()) {
        items.push_back(of(value).samples.front());
      } else {
        spoil_possible(value);
      }
    }
    bool sets_known_keys = are_items;
    for (const DatumPtr& item : items) {
      const auto sets_key = [&](const Node* writer) {
        const bool sets = aten::acts_as(*writer, Container::SetItem) && is_dict(picked);
        const Constant* key = sets ? writer->input(1)->constant() : nullptr;
        return key && evaluator_.entry(*item, *evaluator_.constant(*key));
      };
      if (std::ranges::all_of(writers, sets_key)) {
        for (const Node* writer : writers) spoil_entry(item, key_of(*writer));
      } else {
        spoiled_.push_back({item, true});
        sets_known_keys = false;
      }
    }
    if (!sets_known_keys) spoil_whole(node.input());
  }
}

}  // namespace tonnx::program
