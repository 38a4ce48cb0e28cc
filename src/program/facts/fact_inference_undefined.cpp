// Lists with items that no run reads, as those are that a program has not set yet. Such an item stands for no sample:
// where another list, or turn, has something at its place, that is shown instead.
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

// The list with what `other` holds in place of the items that no run reads; where that has not as many items, with any
// of both.
Sampled FactInference::filled(Sampled list, const Sampled& other) const {
  for (std::size_t sample = 0; has_never_ && sample < list.samples.size(); ++sample) {
    std::vector<DatumPtr> items = evaluator_.items(*list.samples[sample]);
    const std::vector<DatumPtr> others = evaluator_.items(*other.samples[sample]);
    const bool is_alike = items.size() == others.size();
    DatumPtr any = is_alike ? nullptr : any_read(items);
    if (!is_alike && !any) any = any_read(others);
    bool changed = false;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const DatumPtr& instead = is_alike ? others[i] : any;
      if (!instead || !evaluator_.is_never(*items[i]) || evaluator_.is_never(*instead)) continue;
      items[i] = instead;
      changed = true;
    }
    if (changed) list.samples[sample] = evaluator_.list(items);
  }
  return list;
}

// The list of which any item may be any other that is read.
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

// An item that some run reads, or null.
DatumPtr FactInference::any_read(const std::vector<DatumPtr>& items) const {
  const auto found = std::ranges::find_if(items, [&](const DatumPtr& item) { return !evaluator_.is_never(*item); });
  return found == items.end() ? nullptr : *found;
}

// Whether the node reads what no run does, and so is not run either.
bool FactInference::reads_never(const Node& node) const {
  const bool reads_items = aten::traits_of(node).container == Container::None;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    const Sampled& in = of(node.input(i));
    if (in.unreachable && !is_put_in_list(node, i)) return true;
    if (reads_items && node.input(i)->type().is(Type::Kind::List) && holds_never(in)) return true;
  }
  return false;
}

// What the evaluation of a node takes for an operand; where that is none of the program's values, it is kept in `made`.
const Sampled& FactInference::operand(const Node& node, std::size_t i, std::list<Sampled>& made) {
  const Sampled& in = of(node.input(i));
  if (in.unreachable && is_put_in_list(node, i)) {
    Sampled& never = made.emplace_back();
    if (!node.input(i)->type().is(Type::Kind::Tensor)) return never;  // unknown
    never.samples.assign(count_, evaluator_.never());
    never.meta = has_never_ = true;
    return never;
  }
  if (!node.input(i)->type().is(Type::Kind::List) || writes_argument(node, i) || !holds_never(in)) return in;
  // Which of the items it is about differs between runs.
  const bool is_open = std::ranges::any_of(node.inputs(), [&](const Value* other) {
    const bool is_of_open_form = other->type().is(Type::Kind::List) && !of(other).fixed_form;
    return (other->type().is_scalar() || is_of_open_form) && of(other).varies;
  });
  return is_open ? made.emplace_back(filled_up(in)) : in;
}

// A result that is such an item is one that no run reads; where only some samples are, it is not known.
void FactInference::settle_never(std::vector<Sampled>& outputs) const {
  for (Sampled& out : outputs) {
    const auto is_never = [&](const DatumPtr& sample) { return evaluator_.is_never(*sample); };
    if (std::ranges::none_of(out.samples, is_never)) continue;
    const bool all = std::ranges::all_of(out.samples, is_never);
    out = Sampled{};
    out.unreachable = all;
  }
}

// Lets a turn of a loop begin with what a later one hands on, where it begins with what no run reads; whether anything
// is new.
bool FactInference::begin_with_reached(std::vector<Sampled>& carried,
                                       const std::vector<std::vector<Sampled>>& turns) const {
  bool found = false;
  for (std::size_t k = 0; k < carried.size(); ++k) {
    for (const std::vector<Sampled>& turn : turns) {
      if (turn[k].unreachable || (!carried[k].unreachable && !holds_never(carried[k]))) continue;
      if (carried[k].unreachable || !turn[k].known()) {
        carried[k] = turn[k];
        found = true;
        continue;
      }
      Sampled now = filled(carried[k], turn[k]);
      found = found || now.samples != carried[k].samples;
      carried[k] = std::move(now);
    }
  }
  return found;
}

}  // namespace tonnx::program
