// Evaluates nodes without blocks.
#include <algorithm>
#include <cstdint>
#include <list>
#include <optional>
#include <vector>

#include "aten/containers.h"
#include "aten/result_facts.h"
#include "aten/traits.h"
#include "ir/writes.h"
#include "program/containers/items.h"
#include "program/control/single_axes.h"
#include "program/facts/interpreter.h"

namespace tonnx::program {

using aten::Container;
using ir::DatumPtr;
using ir::DType;
using ir::Facts;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

// True for operators whose result's elements are random or undefined: they have sizes, but no value.
bool has_no_value(const Node& node) {
  const aten::Traits& traits = aten::traits_of(node);
  return traits.is_undefined || (aten::is_random(node) && !aten::may_alias(traits));
}

// True if the node returns an int or a float and has no side effect.
bool returns_number(const Node& node) {
  const auto is = [&](Type::Kind kind) { return node.output()->type().is(kind); };
  return node.output_count() == 1 && (is(Type::Kind::Int) || is(Type::Kind::Float)) && !writes(node);
}

}  // namespace

// True if the facts of all tensor operands are current: those of a tensor resized in place are not.
bool Interpreter::knows_tensors(const Node& node) const {
  return std::ranges::all_of(node.inputs(), [&](const Value* in) {
    const Type& type = in->type();
    const bool holds_items = !type.is_scalar() && !type.elements.empty() && !type.elements[0].is_scalar();
    const bool holds_tensors = type.is(Type::Kind::Tensor) || holds_items;
    return !holds_tensors || state_.of(in).known();
  });
}

void Interpreter::set_unknown(const Node& node, bool no_rule) {
  if (returns_number(node)) return record_any_number(node);
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    if (!writes_argument(node, i)) continue;
    const Type::Kind kind = node.input(i)->type().kind;
    if (kind == Type::Kind::Tensor) {
      // A write keeps the sizes of its argument.
      if (node.output_count() > 0 && node.output(0)->type().is(Type::Kind::Tensor) &&
          state_.of(node.input(i)).known()) {
        state_.record(node.output(0), state_.of(node.input(i)));
        return;
      }
    } else {
      heap_.invalidate_possible(node.input(i));
    }
  }
  std::vector<Sampled> outputs(node.output_count());
  if (no_rule)
    for (std::size_t o = 0; o < outputs.size(); ++o) outputs[o] = sampler_.imported_samples(*node.output(o));
  std::vector<const Sampled*> inputs;
  for (const Value* in : node.inputs()) inputs.push_back(&state_.of(in));
  if (outputs.size() == 1 && !outputs[0].known() && knows_tensors(node)) sampler_.set_known(node, inputs, outputs);
  if (aten::traits_of(node).inverse == aten::Inverse::Split && !outputs[0].known())
    outputs[0] = sampler_.pieces_of_any_size(node);
  if (!writes(node) && std::ranges::any_of(outputs, [](const Sampled& out) { return !out.known(); })) {
    const bool is_any_rank = std::ranges::any_of(inputs, [](const Sampled* in) { return !in->known(); });
    const std::vector<DType> dtypes = is_any_rank ? sampler_.dtypes_at_any_rank(node) : std::vector<DType>();
    const std::vector<Facts> known =
        is_any_rank ? aten::result_facts(node, state_.known) : sampler_.known_facts(node, inputs);
    for (std::size_t o = 0; o < outputs.size(); ++o)
      outputs[o].dtype = is_any_rank && dtypes[o] != DType::Undefined ? dtypes[o] : known[o].dtype;
  }
  for (std::size_t o = 0; o < outputs.size(); ++o) state_.record(node.output(o), std::move(outputs[o]));
}

// Records a scalar result as dynamic.
void Interpreter::record_any_number(const Node& node) {
  lattice_.require_data_samples();
  const bool is_int = node.output()->type().is(Type::Kind::Int);
  std::vector<Sampled> outputs(1);
  outputs[0].samples.assign(count_, evaluator_.constant(is_int ? ir::Constant{std::int64_t{2}} : ir::Constant{2.0}));
  sampler_.vary_outputs(node, {}, outputs);
  state_.record(node.output(), std::move(outputs[0]));
}

// True if the node reads an undefined value, so no run executes it.
bool Interpreter::reads_undefined(const Node& node) const {
  const bool reads_items = aten::traits_of(node).container == Container::None;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    const Sampled& in = state_.of(node.input(i));
    if (in.unreachable && !is_put_in_list(node, i)) return true;
    if (reads_items && node.input(i)->type().is(Type::Kind::List) && lattice_.has_undefined_items(in)) return true;
  }
  return false;
}

// The abstract value with which a node's operand is evaluated; stored in `temporaries` if no value of the program has
// it.
const Sampled& Interpreter::operand(const Node& node, std::size_t i, std::list<Sampled>& temporaries) {
  const Sampled& in = state_.of(node.input(i));
  if (in.unreachable && is_put_in_list(node, i)) {
    Sampled& undefined = temporaries.emplace_back();
    if (!node.input(i)->type().is(Type::Kind::Tensor)) return undefined;  // unknown
    undefined.samples.assign(count_, evaluator_.never());
    undefined.meta = lattice_.has_undefined = true;
    return undefined;
  }
  if (!node.input(i)->type().is(Type::Kind::List) || writes_argument(node, i) || !lattice_.has_undefined_items(in))
    return in;
  // The runs differ in the items that the node reads.
  const bool is_open = std::ranges::any_of(node.inputs(), [&](const Value* other) {
    const bool is_of_open_form = other->type().is(Type::Kind::List) && !state_.of(other).fixed_form;
    return (other->type().is_scalar() || is_of_open_form) && state_.of(other).varies;
  });
  return is_open ? temporaries.emplace_back(lattice_.filled_up(in)) : in;
}

// A result that is undefined in all samples is unreachable. One that is undefined in some samples is unknown.
void Interpreter::mark_undefined(std::vector<Sampled>& outputs) const {
  for (Sampled& out : outputs) {
    const auto is_never = [&](const DatumPtr& sample) { return evaluator_.is_never(*sample); };
    if (std::ranges::none_of(out.samples, is_never)) continue;
    const bool all = std::ranges::all_of(out.samples, is_never);
    out = Sampled{};
    out.unreachable = all;
  }
}

void Interpreter::evaluate(const Node& node) {
  std::vector<const Sampled*> inputs;
  bool unknown = false;
  if (!writes(node) && reads_undefined(node)) {
    for (const Value* out : node.outputs()) {
      state_.values[out] = Sampled{};
      state_.values[out].unreachable = true;
    }
    return;
  }
  std::list<Sampled> temporaries;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    const Value* in = node.input(i);
    // Writes through an alias since the value was recorded.
    if (heap_.has_invalid_containers() && (in->type().is(Type::Kind::List) || in->type().is(Type::Kind::Dict)))
      heap_.invalidate(state_.values[in]);
    inputs.push_back(&operand(node, i, temporaries));
    unknown = unknown || !inputs.back()->known();
  }
  const std::optional<Sampled> any = unknown ? std::nullopt : lists_.any_taken(node, inputs);
  if (any && aten::acts_as(node, aten::Container::Item)) {
    inputs[0] = &*any;
    unknown = !any->known();
  }
  const bool sets_entry = heap_.note_entry(node, inputs);
  if (unknown && sets_entry) return;
  unknown = unknown || heap_.reads_invalid(node, inputs);
  if (has_writes_) heap_.drop_possibly_written_content(node, inputs, !unknown);
  if (unknown) {
    for (const Value* out : node.outputs()) state_.values[out] = Sampled{};
    // The samples have only some of the possible items.
    const bool is_any_item = any && !any->known() && aten::acts_as(node, aten::Container::Item);
    return is_any_item && !returns_number(node) ? state_.record(node.output(), *any) : set_unknown(node);
  }
  if (state_.uncertain > 0) {
    if (resizes(node) && !is_made_in_block(*node.input(), node)) return heap_.invalidate_resized(node);
    heap_.drop_written_content(node, inputs);
  }
  std::vector<Sampled> outputs(node.output_count());
  bool invalidates_list = lists_.writes_any_index(node, inputs);
  const bool removes_item =
      (aten::acts_as(node, aten::Container::Pop) || aten::acts_as(node, aten::Container::Delete)) &&
      node.input()->type().is(Type::Kind::List) && inputs[0]->fixed_ends;
  std::vector<std::vector<DatumPtr>> before;  // the items of a list that the node removes one from
  for (std::size_t sample = 0; removes_item && sample < count_; ++sample)
    before.push_back(evaluator_.items(*inputs[0]->samples[sample]));
  const Sampled whole = removes_item ? *inputs[0] : Sampled{};
  auto outcome = ir::Evaluator::Outcome::Done;
  const Heap::Sizes out_sizes = heap_.sizes_of_out(node);
  sampler_.evaluate_samples(node, inputs, outputs, outcome, unknown);
  // Later reads have the shape of the source. The facts stay those of earlier reads until replace_memory() renames the
  // tensor.
  const bool sets_storage = state_.uncertain == 0 && aten::write_of(node) == aten::Write::Memory &&
                            inputs.size() == 2 && node.input(1)->type().is(Type::Kind::Tensor);
  if (sets_storage) state_.values[node.input()] = Sampled(*inputs[1]);
  if (has_writes_ && (unknown || outcome == ir::Evaluator::Outcome::NoRule))
    heap_.drop_possibly_written_content(node, inputs, false);
  if (unknown || outcome == ir::Evaluator::Outcome::NoRule) return set_unknown(node, !unknown);
  decisions_.note_thresholds(node, inputs, outputs);
  mark_undefined(outputs);
  heap_.invalidate_resized_out(node, out_sizes, outputs);
  if (!outputs.empty() && std::ranges::all_of(outputs, &Sampled::unreachable)) {
    for (std::size_t o = 0; o < outputs.size(); ++o) state_.record(node.output(o), std::move(outputs[o]));
    return;
  }
  if (has_no_value(node) && !writes(node)) {
    for (Sampled& out : outputs) {
      for (DatumPtr& sample : out.samples) {
        const Facts facts = evaluator_.describe(*sample, 0);
        if (const auto dims = facts.fixed_dims()) sample = evaluator_.meta(facts.dtype, *dims);
      }
      out.meta = true;
    }
  }
  if (const auto open = single_axes(node, state_.known).open; !open.empty())
    sampler_.open_rank(outputs.at(0), *inputs[0], open);
  mark_varying(node, inputs, outputs);
  heap_.note_container_writes(node, inputs, sets_entry);
  for (std::size_t o = 0; o < outputs.size(); ++o)
    if (!node.output(o)->type().is(Type::Kind::Tensor) && !node.output(o)->type().is_scalar())
      heap_.invalidate(outputs[o]);
  if (outcome == ir::Evaluator::Outcome::DataDependent) {
    sampler_.vary_outputs(node, inputs, outputs);
  } else {
    sampler_.vary_what_data_decide(node, inputs, outputs);
  }
  const auto repeated = repeated_list(node);
  const bool is_part = repeated || aten::acts_as(node, aten::Container::Part);
  if (is_part && outputs[0].known()) lists_.open_part(node, inputs, outputs[0]);
  lists_.note_fixed_ends(node, inputs, outputs);
  for (std::size_t o = 0; o < outputs.size(); ++o)
    if (node.output(o)->type().is(Type::Kind::List)) outputs[o].is_mixed = lattice_.may_be_mixed(inputs, outputs[o]);
  if (any) {
    lists_.set_any_taken(node, *inputs[0], *any, outputs);
  } else if (is_part) {
    lists_.add_lost_items(node, *inputs[repeated.value_or(0)], outputs[0]);
  }
  if (removes_item && state_.of(node.input()).known())
    invalidates_list =
        invalidates_list || std::ranges::any_of(lists_.lost_items(node, whole, before, state_.of(node.input())),
                                                [](const auto& items) { return !items.empty(); });
  if (invalidates_list) heap_.invalidate_list(node, outputs);
  const aten::Traits& traits = aten::traits_of(node);
  const bool may_alias = has_writes_ && aten::may_alias(traits) && !outputs.empty() && outputs[0].known();
  if (may_alias) heap_.note_sharing(node, *inputs[0], outputs[0]);
  if (traits.reads_memory) heap_.note_layout(node);
  for (std::size_t o = 0; o < outputs.size(); ++o) state_.record(node.output(o), std::move(outputs[o]));
  heap_.note_picked_write(node, inputs);
}

}  // namespace tonnx::program
