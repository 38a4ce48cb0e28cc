// Entries of dicts: a write to one key leaves the other entries known.
#include <algorithm>
#include <memory>
#include <vector>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "program/containers/items.h"
#include "program/facts/heap.h"

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
std::shared_ptr<const Constant> Heap::key_of(const Node& node) const {
  if (node.input_count() < 2 || !is_dict(node.input())) return nullptr;
  if (const Constant* constant = state_.known.constant(node.input(1)))
    return std::make_shared<const Constant>(*constant);
  const Sampled& key = state_.of(node.input(1));
  return key.known() && !key.varies ? evaluator_.describe(*key.samples.front()).constant : nullptr;
}

// True if the node sets a key that the dict has in every sample.
bool Heap::sets_entry(const Node& node) {
  if (!aten::acts_as(node, Container::SetItem) || !is_dict(node.input()) || !state_.of(node.input()).known())
    return false;
  const auto key = key_of(node);
  const DatumPtr name = key ? evaluator_.constant(*key) : nullptr;
  const auto has_key = [&](const DatumPtr& dict) { return evaluator_.entry(*dict, *name) != nullptr; };
  return name && std::ranges::all_of(state_.of(node.input()).samples, has_key);
}

bool Heap::is_picked(const Value* value) const {
  for (const Node* node = value->node(); node && takes_item(*node); node = node->input()->node())
    if (node->input_count() > 1 && state_.of(node->input(1)).varies) return true;
  return false;
}

void Heap::invalidate_entry(const DatumPtr& dict, std::shared_ptr<const Constant> key) {
  for (const Entry& known : invalid_entries_)
    if (evaluator_.share_memory(*dict, *known.dict) && ir::same_key(*key, *known.key)) return;
  invalid_entries_.push_back({dict, std::move(key)});
}

bool Heap::reads_invalid(const Node& node, const std::vector<const Sampled*>& inputs) const {
  for (std::size_t i = 0; i < inputs.size() && !invalid_entries_.empty(); ++i) {
    if (!is_dict(node.input(i)) || !inputs[i]->known() || reads_no_entry(node, i)) continue;
    const auto key = i == 0 && takes_item(node) ? key_of(node) : nullptr;
    for (const Entry& invalidated : invalid_entries_)
      if (evaluator_.share_memory(*inputs[i]->samples.front(), *invalidated.dict) &&
          (!key || ir::same_key(*key, *invalidated.key)))
        return true;
  }
  return false;
}

bool Heap::note_entry(const Node& node, const std::vector<const Sampled*>& inputs) {
  if (!sets_entry(node)) return false;
  const auto key = key_of(node);
  const DatumPtr& dict = inputs[0]->samples.front();
  const bool is_picked_dict = is_picked(node.input());
  const bool was_invalid = !is_picked_dict && std::erase_if(invalid_entries_, [&](const Entry& invalidated) {
                                                return evaluator_.share_memory(*dict, *invalidated.dict) &&
                                                       ir::same_key(*key, *invalidated.key);
                                              }) > 0;
  if (!inputs[2]->known() || is_picked_dict) {
    open_settings_.insert(&node);
    invalidate_entry(dict, key);
    return true;
  }
  if (state_.uncertain == 0) return true;
  const DatumPtr name = evaluator_.constant(*key);
  std::vector<DatumPtr> touched;
  bool differs = was_invalid || has_resizes_ || open_settings_.contains(&node);
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

}  // namespace tonnx::program
