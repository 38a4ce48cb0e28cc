// Memory: what shares it, and where what reads it by strides begins.
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

// contiguous_offset() of a tensor that is so in all samples, or -1.
std::int64_t FactInference::contiguous_offset(const Sampled& tensor) {
  const std::int64_t offset = evaluator_.contiguous_offset(*tensor.samples.front()).value_or(-1);
  const bool is_one = std::ranges::all_of(
      tensor.samples, [&](const DatumPtr& sample) { return evaluator_.contiguous_offset(*sample) == offset; });
  return is_one ? offset : -1;
}

// What an operator reads by strides of a view in another order or shape, it reads of the contiguous tensor behind the
// view, if there is one that begins where the view does.
void FactInference::read_behind_views(Node& node) {
  Value* whole = node.input();
  if (node.input("src") || ir::is_complex(evaluator_.describe(*of(whole).samples.front(), 0).dtype)) return;
  while (contiguous_offset(of(whole)) < 0) {
    const Node* made = whole->node();
    if (!made || made->input_count() == 0 || !aten::begins_with_argument(aten::traits_of(*made))) return;
    const Sampled &base = of(made->input()), &view = of(whole);
    if (!base.known() || base.samples.size() != view.samples.size()) return;
    for (std::size_t i = 0; i < base.samples.size(); ++i)
      if (!evaluator_.share_memory(*base.samples[i], *view.samples[i])) return;
    whole = made->input();
  }
  if (whole != node.input()) node.set_input(0, whole);
}

// The attribute "memory_offset" of operators that read memory: contiguous_offset() of the first argument wherever the
// program was ever evaluated, or -1.
void FactInference::note_layout(Node& node) {
  read_behind_views(node);
  const auto* before = node.attribute_as<std::int64_t>("memory_offset");
  const std::int64_t offset = contiguous_offset(of(node.input()));
  node.set_attribute("memory_offset", before && *before != offset ? std::int64_t{-1} : offset);
}

// Whether what gives a copy of a tensor in all samples would give a view of it where an axis has size 1 that follows
// symbols, and is no symbol itself: x[1::2] has one row where x has two or three.
bool FactInference::may_be_view_elsewhere(const Node& node, const Sampled& in) {
  const bool keeps_form = node.is("aten::contiguous");
  const auto& dims = node.input()->facts().dims;
  if (!dims || (!keeps_form && aten::traits_of(node).inverse != aten::Inverse::Reshape)) return false;
  const ir::Datum& tensor = *in.samples.front();
  const std::size_t axes = evaluator_.merged_strides(tensor, {}).size();
  const auto is_view = [&](std::span<const std::size_t> single) {
    const std::vector<std::int64_t> left = evaluator_.merged_strides(tensor, single);
    return keeps_form ? left.empty() || left == std::vector<std::int64_t>{1} : left.size() < axes;
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
