// Storage: which results share it with an argument, and the offsets at which operators that read it by strides begin.
#include <algorithm>
#include <cstdint>
#include <span>

#include "aten/traits.h"
#include "aten/view_place.h"
#include "program/facts/fact_inference.h"

namespace tonnx::program {

using ir::DatumPtr;
using ir::Node;
using ir::Value;

// The contiguous_offset() of a tensor if it is the same in all samples, or -1.
std::int64_t FactInference::contiguous_offset(const Sampled& tensor) {
  const std::int64_t offset = evaluator_.contiguous_offset(*tensor.samples.front()).value_or(-1);
  const bool is_same = std::ranges::all_of(
      tensor.samples, [&](const DatumPtr& sample) { return evaluator_.contiguous_offset(*sample) == offset; });
  return is_same ? offset : -1;
}

// Replaces the argument of an operator that reads storage by strides: a permuted or reshaped view becomes the
// contiguous tensor that it is a view of, if there is one that begins at the same offset.
void FactInference::read_behind_views(Node& node) {
  Value* whole = node.input();
  if (node.input("src") || ir::is_complex(evaluator_.describe(*of(whole).samples.front(), 0).dtype)) return;
  while (contiguous_offset(of(whole)) < 0) {
    const Node* producer = whole->node();
    if (!producer || producer->input_count() == 0 || !aten::begins_with_argument(aten::traits_of(*producer))) return;
    const Sampled &base = of(producer->input()), &view = of(whole);
    if (!base.known() || base.samples.size() != view.samples.size()) return;
    for (std::size_t i = 0; i < base.samples.size(); ++i)
      if (!evaluator_.share_memory(*base.samples[i], *view.samples[i])) return;
    whole = producer->input();
  }
  if (whole != node.input()) node.set_input(0, whole);
}

// Sets the attribute "memory_offset" of operators that read storage: the contiguous_offset() of the first argument if
// it is the same in all evaluations of the node, or -1.
void FactInference::note_layout(Node& node) {
  read_behind_views(node);
  const auto* before = node.attribute_as<std::int64_t>("memory_offset");
  const std::int64_t offset = contiguous_offset(of(node.input()));
  node.set_attribute("memory_offset", before && *before != offset ? std::int64_t{-1} : offset);
}

// True if an operator that copies the tensor in all samples may return a view at other sizes: if an axis whose size
// follows from symbols, but is not a symbol, has size 1. x[1::2] has one row if x has two or three.
bool FactInference::may_be_view_elsewhere(const Node& node, const Sampled& in) {
  const bool is_contiguous_call = node.is("aten::contiguous");
  const auto& dims = node.input()->facts().dims;
  if (!dims || (!is_contiguous_call && aten::traits_of(node).inverse != aten::Inverse::Reshape)) return false;
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

void FactInference::note_sharing(Node& node, const Sampled& in, const Sampled& out) {
  std::int64_t shares = -2;
  for (std::size_t sample = 0; sample < count_ - data_count_; ++sample) {
    const std::int64_t s = evaluator_.share_memory(*in.samples[sample], *out.samples[sample]) ? 1 : 0;
    shares = shares == -2 || shares == s ? s : -1;
  }
  if (in.depends_on_data && data_count_) shares = -1;
  if (shares == 0 && may_be_view_elsewhere(node, in)) shares = -1;
  if (!sharing_seen_.insert(&node).second) {
    const auto* before = node.attribute_as<std::int64_t>("shares_memory");
    if (!before || *before != shares) shares = -1;
  }
  node.set_attribute("shares_memory", shares);
}

}  // namespace tonnx::program
