// Lists with undefined items, such as those that the program has not set yet. If another list or iteration has a
// defined item at the index, that item is used instead.
#include <algorithm>
#include <list>
#include <vector>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/writes.h"
#include "program/containers/items.h"
#include "program/facts/fact_inference.h"

namespace tonnx::program {

using aten::Container;
using ir::DatumPtr;
using ir::Node;
using ir::Type;
using ir::Value;

bool FactInference::holds_never(const Sampled& list) const {
  if (!has_never_) return false;
  const auto is_never = [&](const DatumPtr& item) { return evaluator_.is_never(*item); };
  return std::ranges::any_of(
      list.samples, [&](const DatumPtr& sample) { return std::ranges::any_of(evaluator_.items(*sample), is_never); });
}

// Replaces the undefined items of the list by the items of `other`; if the lengths differ, by any defined item of both.
Sampled FactInference::filled(Sampled list, const Sampled& other) const {
  for (std::size_t sample = 0; has_never_ && sample < list.samples.size(); ++sample) {
    std::vector<DatumPtr> items = evaluator_.items(*list.samples[sample]);
    const std::vector<DatumPtr> others = evaluator_.items(*other.samples[sample]);
    const bool has_same_length = items.size() == others.size();
    DatumPtr any = has_same_length ? nullptr : any_read(items);
    if (!has_same_length && !any) any = any_read(others);
    bool changed = false;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const DatumPtr& replacement = has_same_length ? others[i] : any;
      if (!replacement || !evaluator_.is_never(*items[i]) || evaluator_.is_never(*replacement)) continue;
      items[i] = replacement;
      changed = true;
    }
    if (changed) list.samples[sample] = evaluator_.list(items);
  }
  return list;
}

// Replaces the undefined items by a defined item of the list.
Sampled FactInference::filled_up(Sampled list) const {
  for (DatumPtr& sample : list.samples) {
    std::vector<DatumPtr> items = evaluator_.items(*sample);
    const DatumPtr any = any_read(items);
    if (!any) continue;
    std::ranges::replace_if(items, [&](const DatumPtr& item) { return evaluator_.is_never(*item); }, any);
    sample = evaluator_.list(items);
  }
  return list;
}

// A defined item, or null.
DatumPtr FactInference::any_read(const std::vector<DatumPtr>& items) const {
  const auto found = std::ranges::find_if(items, [&](const DatumPtr& item) { return !evaluator_.is_never(*item); });
  return found == items.end() ? nullptr : *found;
}

// True if the node reads an undefined value, so no run executes it.
bool FactInference::reads_never(const Node& node) const {
  const bool reads_items = aten::traits_of(node).container == Container::None;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    const Sampled& in = of(node.input(i));
    if (in.unreachable && !is_put_in_list(node, i)) return true;
    if (reads_items && node.input(i)->type().is(Type::Kind::List) && holds_never(in)) return true;
  }
  return false;
}

// The abstract value with which a node's operand is evaluated; stored in `temporaries` if no value of the program has
// it.
const Sampled& FactInference::operand(const Node& node, std::size_t i, std::list<Sampled>& temporaries) {
  const Sampled& in = of(node.input(i));
  if (in.unreachable && is_put_in_list(node, i)) {
    Sampled& undefined = temporaries.emplace_back();
    if (!node.input(i)->type().is(Type::Kind::Tensor)) return undefined;  // unknown
    undefined.samples.assign(count_, evaluator_.never());
    undefined.meta = has_never_ = true;
    return undefined;
  }
  if (!node.input(i)->type().is(Type::Kind::List) || writes_argument(node, i) || !holds_never(in)) return in;
  // The runs differ in the items that the node reads.
  const bool is_open = std::ranges::any_of(node.inputs(), [&](const Value* other) {
    const bool is_of_open_form = other->type().is(Type::Kind::List) && !of(other).fixed_form;
    return (other->type().is_scalar() || is_of_open_form) && of(other).varies;
  });
  return is_open ? temporaries.emplace_back(filled_up(in)) : in;
}

// A result that is undefined in all samples is unreachable. One that is undefined in some samples is unknown.
void FactInference::settle_never(std::vector<Sampled>& outputs) const {
  for (Sampled& out : outputs) {
    const auto is_never = [&](const DatumPtr& sample) { return evaluator_.is_never(*sample); };
    if (std::ranges::none_of(out.samples, is_never)) continue;
    const bool all = std::ranges::all_of(out.samples, is_never);
    out = Sampled{};
    out.unreachable = all;
  }
}

// Replaces undefined parts of the loop-carried values by those of later iterations. Returns true if anything changed.
bool FactInference::begin_with_reached(std::vector<Sampled>& carried,
                                       const std::vector<std::vector<Sampled>>& iterations) const {
  bool found = false;
  for (std::size_t k = 0; k < carried.size(); ++k) {
    for (const std::vector<Sampled>& iteration : iterations) {
      if (iteration[k].unreachable || (!carried[k].unreachable && !holds_never(carried[k]))) continue;
      if (carried[k].unreachable || !iteration[k].known()) {
        carried[k] = iteration[k];
        found = true;
        continue;
      }
      Sampled now = filled(carried[k], iteration[k]);
      found = found || now.samples != carried[k].samples;
      carried[k] = std::move(now);
    }
  }
  return found;
}

}  // namespace tonnx::program
