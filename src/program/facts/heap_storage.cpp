// Storage of tensors: writes to their content and sizes, and whether results are views.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "aten/traits.h"
#include "aten/view_place.h"
#include "ir/writes.h"
#include "program/facts/heap.h"

namespace tonnx::program {

using ir::DatumPtr;
using ir::Node;
using ir::Type;
using ir::Value;

void Heap::drop_written_content(const Node& node, const std::vector<const Sampled*>& inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!writes_argument(node, i) || !node.input(i)->type().is(Type::Kind::Tensor) ||
        is_made_in_block(*node.input(i), node))
      continue;
    drop_content(*inputs[i]);
  }
}

void Heap::drop_possibly_written_content(const Node& node, const std::vector<const Sampled*>& inputs,
                                         bool is_evaluated) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!writes_argument(node, i) || !node.input(i)->type().is(Type::Kind::Tensor)) continue;
    if (inputs[i]->known() && !is_picked(node.input(i))) {
      if (!is_evaluated) drop_content(*inputs[i]);
      continue;
    }
    for (const auto& [value, sampled] : state_.values)
      if (sharing_->may_share(value, node.input(i))) drop_content(sampled);
  }
}

void Heap::drop_content(const Sampled& sampled) {
  for (const ir::DatumPtr& sample : sampled.samples) evaluator_.forget_content(*sample);
}

void Heap::drop_content_of_phi(const Value* phi, const Sampled& a, const Sampled& b) {
  if (!sharing_ || a.unreachable || b.unreachable || a.samples == b.samples || !sharing_->is_written(phi)) return;
  drop_content(a);
  drop_content(b);
}

void Heap::invalidate_resized(const Node& node) {
  invalidate_aliases(*node.input());
  for (Value* out : node.outputs()) state_.record(out, Sampled{});
}

// If a branch, a loop or an index selects one of several tensors that may share storage, the samples have only some of
// the aliases.
void Heap::invalidate_aliases(const Value& resized) {
  const ir::DatumPtr datum = state_.of(&resized).samples.front();
  const auto may_share = [&](const Value* value) { return sharing_ && sharing_->may_share(value, &resized); };
  const bool is_selected = std::ranges::any_of(
      state_.values, [&](const auto& known) { return may_share(known.first) && selects(known.first); });
  for (auto& [value, sampled] : state_.values)
    if (sampled.known() && (is_selected ? may_share(value) : shares(*sampled.samples.front(), *datum)))
      sampled = Sampled{};
}

// True for a result of a branch or loop, a loop-carried value, and an item at a dynamic index.
bool Heap::selects(const Value* value) const {
  const Node* node = value->node();
  const bool is_carried = node->edge_of() && node->edge_of()->owner();
  return is_carried || node->is("prim::If") || node->is("prim::Loop") || is_picked(value);
}

Heap::Sizes Heap::sizes_of(const std::vector<ir::DatumPtr>& samples) {
  Sizes sizes;
  for (const DatumPtr& sample : samples) sizes.push_back(evaluator_.describe(*sample, 0).fixed_dims());
  return sizes;
}

Heap::Sizes Heap::sizes_of_out(const Node& node) {
  const Value* out = has_writes_ ? node.input("out") : nullptr;
  return out && out->type().is(Type::Kind::Tensor) ? sizes_of(state_.of(out).samples) : Sizes();
}

void Heap::invalidate_resized_out(const Node& node, const Sizes& before, const std::vector<Sampled>& outputs) {
  if (before.empty() || outputs.size() != 1 || outputs[0].samples.empty()) return;
  if (sizes_of(outputs[0].samples) != before) invalidate_aliases(*node.input("out"));
}

bool Heap::shares(const ir::Datum& datum, const ir::Datum& other) {
  if (evaluator_.share_memory(datum, other)) return true;
  return std::ranges::any_of(evaluator_.items(datum), [&](const ir::DatumPtr& item) { return shares(*item, other); });
}

// The contiguous_offset() of a tensor if it is the same in all samples, or -1.
std::int64_t Heap::contiguous_offset(const Sampled& tensor) {
  const std::int64_t offset = evaluator_.contiguous_offset(*tensor.samples.front()).value_or(-1);
  const bool is_same = !tensor.has_open_layout && std::ranges::all_of(tensor.samples, [&](const DatumPtr& sample) {
    return evaluator_.contiguous_offset(*sample) == offset;
  });
  return is_same ? offset : -1;
}

// The tensor whose storage an operator reads by strides: instead of a permuted or reshaped view the contiguous tensor
// that it is a view of, if there is one that begins at the same offset.
const Value* Heap::contiguous_base(const Node& node) {
  Value* const* known = state_.found.read_instead.find(node.output(0));
  Value* const before = known ? *known : node.input();
  Value* whole = before;
  if (node.input("src") || ir::is_complex(evaluator_.describe(*state_.of(whole).samples.front(), 0).dtype))
    return whole;
  while (contiguous_offset(state_.of(whole)) < 0) {
    const Node* producer = whole->node();
    if (!producer || producer->input_count() == 0 || !aten::begins_with_argument(aten::traits_of(*producer)))
      return before;
    const Sampled &base = state_.of(producer->input()), &view = state_.of(whole);
    if (!base.known() || base.samples.size() != view.samples.size()) return before;
    for (std::size_t i = 0; i < base.samples.size(); ++i)
      if (!evaluator_.share_memory(*base.samples[i], *view.samples[i])) return before;
    whole = producer->input();
  }
  if (whole != node.input()) state_.found.read_instead[node.output(0)] = whole;
  return whole;
}

void Heap::note_layout(const Node& node) {
  const std::int64_t offset = contiguous_offset(state_.of(contiguous_base(node)));
  const std::int64_t* before = state_.found.memory_offsets.find(node.output(0));
  if (!before) before = node.attribute_as<std::int64_t>("memory_offset");
  state_.found.memory_offsets[node.output(0)] = before && *before != offset ? std::int64_t{-1} : offset;
}

// True if the operator returns a view or a copy, as the strides of the tensor decide.
bool Heap::depends_on_layout(const Node& node) {
  const Value* format = node.input("memory_format");
  const bool asks_for_format = format && !(format->constant() && format->constant()->is_none());
  return asks_for_format || node.is("aten::contiguous") || aten::traits_of(node).inverse == aten::Inverse::Reshape;
}

// True if an operator that copies the tensor in all samples may return a view at other sizes: if an axis whose size
// follows from symbols, but is not a symbol, has size 1. x[1::2] has one row if x has two or three.
bool Heap::may_be_view_at_other_sizes(const Node& node, const Sampled& in) {
  const auto& dims = state_.known.of(node.input()).dims;
  if (!dims || !depends_on_layout(node)) return false;
  const bool is_contiguous_call = node.is("aten::contiguous");
  const ir::Datum& tensor = *in.samples.front();
  const std::size_t axes = evaluator_.merged_strides(tensor, {}).size();
  const auto is_view = [&](std::span<const std::size_t> single) {
    const std::vector<std::int64_t> strides = evaluator_.merged_strides(tensor, single);
    return is_contiguous_call ? strides.empty() || strides == std::vector<std::int64_t>{1} : strides.size() < axes;
  };
  std::vector<std::size_t> open;
  bool follows = false;
  for (std::size_t axis = 0; axis < dims->size(); ++axis) {
    const ir::Dim& dim = (*dims)[axis];
    if (dim.is_fixed()) continue;
    open.push_back(axis);
    if (dim.is_symbolic() && dim.polynomial()->symbol()) continue;  // size 1 is a sample, if the program runs there
    follows = true;
    if (is_view(std::span(&axis, 1))) return true;
  }
  return follows && is_view(open);
}

void Heap::note_sharing(const Node& node, const Sampled& in, const Sampled& out) {
  std::int64_t shares = -2;
  for (std::size_t sample = 0; sample < count_ - data_count_; ++sample) {
    const std::int64_t s = evaluator_.share_memory(*in.samples[sample], *out.samples[sample]) ? 1 : 0;
    shares = shares == -2 || shares == s ? s : -1;
  }
  if (in.depends_on_data && data_count_) shares = -1;
  if (in.has_open_layout && depends_on_layout(node)) shares = -1;
  if (shares == 0 && may_be_view_at_other_sizes(node, in)) shares = -1;
  const std::int64_t* before = state_.found.shares_memory.find(node.output(0));
  state_.found.shares_memory[node.output(0)] = before && *before != shares ? std::int64_t{-1} : shares;
}

}  // namespace tonnx::program
