// The results of a node that fails, or cannot be evaluated, in some samples or in all.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "aten/containers.h"
#include "aten/result_facts.h"
#include "aten/result_type.h"
#include "aten/traits.h"
#include "ir/merge.h"
#include "program/facts/sampler.h"

namespace tonnx::program {

using ir::DatumPtr;
using ir::Dim;
using ir::DType;
using ir::Facts;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

// True if the samples differ in the rank of an argument.
bool has_open_rank(const Node& node, const ir::FactsView& known) {
  return std::ranges::any_of(node.inputs(),
                             [&](const Value* in) { return in->type().is(Type::Kind::Tensor) && !known.of(in).dims; });
}

// True if the node broadcasts tensors of a list literal.
bool broadcasts_list(const Node& node) {
  return node.is("aten::broadcast_tensors") && aten::acts_as(*node.input()->node(), aten::Container::List);
}

// The size arguments of a reshape, -1 for computed ones. Empty if they are not a list literal.
std::optional<std::vector<std::int64_t>> size_arguments(const Node& node, const ir::FactsView& known) {
  if (aten::traits_of(node).inverse != aten::Inverse::Reshape || node.input_count() < 2) return std::nullopt;
  std::vector<const ir::Constant*> items;
  const ir::Constant* whole = known.constant(node.input(1));
  if (const auto* list = whole ? whole->get<ir::Constant::List>() : nullptr) {
    for (const ir::Constant& size : list->items) items.push_back(&size);
  } else if (const Node* list = node.input(1)->node(); list && aten::acts_as(*list, aten::Container::List)) {
    for (const Value* size : list->inputs()) items.push_back(known.constant(size));
  } else {
    return std::nullopt;
  }
  std::vector<std::int64_t> sizes;
  for (const ir::Constant* item : items) {
    const auto* number = item ? item->get<std::int64_t>() : nullptr;
    sizes.push_back(number ? *number : -1);
  }
  return sizes;
}

// Merges facts of two sources. Contradictory facts are dropped.
std::vector<Facts> merged(std::vector<Facts> facts, const std::vector<Facts>& others) {
  for (std::size_t i = 0; i < facts.size(); ++i)
    if (ir::merge(facts[i], others[i])) facts[i] = Facts();
  return facts;
}

// The dims of a result of rank `rank` that are not literals of a reshape.
std::vector<bool> computed_dims(const Node& node, std::size_t rank, const ir::FactsView& known) {
  std::vector<bool> open(rank, true);
  if (const auto sizes = size_arguments(node, known); sizes && sizes->size() == rank)
    for (std::size_t i = 0; i < rank; ++i) open[i] = (*sizes)[i] < 0;
  return open;
}

}  // namespace

// True if the samples differ in the rank of an argument, and the node does not specify that of its result.
bool Sampler::may_have_other_rank(const Node& node) const {
  return has_open_rank(node, state_.known) && !size_arguments(node, state_.known);
}

Sampled Sampler::pieces_of_any_size(const Node& node) {
  const Sampled& whole = state_.of(node.input());
  const Facts facts = whole.known() ? evaluator_.describe(*whole.samples.front(), 0) : Facts();
  if (!facts.dims || !node.input(1)->type().is_number_list() || has_open_rank(node, state_.known)) return {};
  const auto axis = state_.known.index(node.input(2), facts.dims->size());
  if (!axis) return {};
  lattice_.require_data_samples();
  Sampled out;
  for (std::size_t sample = 0; sample < count_; ++sample) {
    const std::int64_t size = (*evaluator_.describe(*whole.samples[sample], 0).fixed_dims())[*axis];
    const std::int64_t wanted =
        lattice_.is_data_sample(sample) ? 2 + static_cast<std::int64_t>(sample + data_count_ - count_) : 1;
    const std::int64_t piece = wanted <= size ? wanted : 0;
    std::vector<DatumPtr> arguments = {whole.samples[sample], nullptr, state_.of(node.input(2)).samples[sample]};
    arguments[1] = evaluator_.constant({ir::Constant::List{{{piece}, {size - piece}}}});
    std::vector<DatumPtr> pieces;
    if (evaluator_.evaluate(node, arguments, pieces) != ir::Evaluator::Outcome::Done) return {};
    const auto count = static_cast<std::size_t>(wanted + 1);
    out.samples.push_back(evaluator_.list(std::vector(count, evaluator_.items(*pieces.front()).front())));
    if (!out.samples.back()) return {};
  }
  out.meta = whole.meta;
  out.varies = out.depends_on_data = true;
  return out;
}

std::vector<Facts> Sampler::known_facts(const Node& node, const std::vector<const Sampled*>& inputs) {
  std::vector<Facts> known = aten::result_facts(node, state_.known);
  const auto is_complete = [](const Facts& facts) { return facts.dims && facts.dtype != DType::Undefined; };
  // The broadcasting rule is complete.
  if (known.size() == 1 && is_complete(known.front()) && aten::elementwise_facts(node, state_.known).dims) return known;
  return merged(std::move(known), facts_at_other_sizes(node, inputs));
}

// Sets the outputs to tensors with these facts. Returns false if one lacks dtype or rank.
bool Sampler::set_facts(const Node& node, std::span<const Facts> known, std::vector<Sampled>& outputs) {
  if (outputs.empty()) return false;
  std::vector<Sampled> results;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    std::optional<Sampled> out =
        node.output(o)->type().is(Type::Kind::Tensor) ? lattice_.samples_with(known[o]) : std::nullopt;
    if (!out) return false;
    results.push_back(*std::move(out));
  }
  outputs = std::move(results);
  return true;
}

bool Sampler::set_known(const Node& node, const std::vector<const Sampled*>& inputs, std::vector<Sampled>& outputs) {
  if (broadcasts_list(node)) return set_broadcast_items(node, outputs.front());
  return set_facts(node, known_facts(node, inputs), outputs);
}

// The same for a node that fails at the example sizes. Returns false also if it runs at no other sizes.
bool Sampler::runs_at_other_sizes(const Node& node, const std::vector<const Sampled*>& inputs,
                                  std::vector<Sampled>& outputs) {
  const std::vector<Facts> elsewhere = facts_at_other_sizes(node, inputs);
  const auto is_found = [](const Facts& facts) { return facts.dtype != DType::Undefined; };
  return std::ranges::all_of(elsewhere, is_found) &&
         set_facts(node, merged(aten::result_facts(node, state_.known), elsewhere), outputs);
}

// The same for a list of tensors that are broadcast to one shape.
bool Sampler::set_broadcast_items(const Node& node, Sampled& list) {
  const std::span<Value* const> tensors = node.input()->node()->inputs();
  const auto dims = aten::broadcast_dims(tensors, state_.known);
  std::vector<Sampled> items;
  for (const Value* tensor : tensors) {
    std::optional<Sampled> item = lattice_.samples_with({state_.known.of(tensor).dtype, dims, nullptr});
    if (!item) return false;
    items.push_back(*std::move(item));
  }
  for (std::size_t sample = 0; sample < count_; ++sample) {
    std::vector<DatumPtr> tensors_here;
    for (const Sampled& item : items) tensors_here.push_back(item.samples[sample]);
    list.samples.push_back(evaluator_.list(tensors_here));
  }
  list.meta = list.varies = list.depends_on_data = true;
  return true;
}

// Sets the known dims of failed samples, and varies the other dims.
void Sampler::vary_failed(const Node& node, const Facts& known, Sampled& out, const std::vector<std::size_t>& failed) {
  const Facts facts = evaluator_.describe(*out.samples.front(), 0);
  if (!facts.dims) return;
  std::vector<bool> open = computed_dims(node, facts.dims->size(), state_.known);
  if (known.dims && known.dims->size() == open.size()) {
    for (const std::size_t sample : failed) {
      std::vector<std::int64_t> sizes = *facts.fixed_dims();
      for (std::size_t d = 0; d < open.size(); ++d)
        if (const ir::Polynomial* size = (*known.dims)[d].polynomial())
          sizes[d] = size->value(lattice_.table().names, lattice_.table().sizes[sample]).value_or(sizes[d]);
      out.samples[sample] = evaluator_.meta(facts.dtype, sizes);
    }
    for (std::size_t d = 0; d < open.size(); ++d) open[d] = open[d] && (*known.dims)[d].is_unknown();
  }
  lattice_.vary(out, open);
}

// The same for the tensors in a list.
void Sampler::vary_failed_items(const Node& node, Sampled& out) {
  lattice_.require_data_samples();
  const auto common =
      broadcasts_list(node) ? aten::broadcast_dims(node.input()->node()->inputs(), state_.known) : std::nullopt;
  CarriedChange change;
  for (const DatumPtr& item : evaluator_.items(*out.samples.front())) {
    std::vector<bool> open(evaluator_.describe(*item, 0).dims.value_or(std::vector<Dim>()).size(), true);
    if (common && common->size() == open.size())
      for (std::size_t d = 0; d < open.size(); ++d) open[d] = (*common)[d].is_unknown();
    change.items.push_back(std::move(open));
  }
  lattice_.vary_items(out, change);
}

// Sets the result of a reshape that fails at the sizes of all samples, as in a branch that only empty tensors take.
// Returns false if its size arguments do not determine the rank.
bool Sampler::reshape_as_spelled(const Node& node, std::vector<Sampled>& outputs) {
  auto sizes = size_arguments(node, state_.known);
  const DType dtype = state_.known.of(node.input()).dtype;
  if (!sizes || dtype == DType::Undefined) return false;
  const std::vector<bool> open = computed_dims(node, sizes->size(), state_.known);
  for (std::int64_t& size : *sizes) size = size < 0 ? 2 : size;
  outputs[0].samples.assign(count_, evaluator_.meta(dtype, *sizes));
  outputs[0].meta = true;
  lattice_.vary(outputs[0], open);
  return true;
}

std::vector<DType> Sampler::dtypes_at_any_rank(const Node& node) {
  constexpr std::size_t kRanks = 6;
  std::vector<DType> dtypes(node.output_count(), DType::Undefined);
  const auto is_tensor = [](const ir::Value* value) { return value->type().is(Type::Kind::Tensor); };
  if (std::ranges::none_of(node.outputs(), is_tensor)) return dtypes;
  std::vector<std::size_t> unknown;
  std::set<std::int64_t> sizes = {1, 2};
  std::vector<DatumPtr> arguments;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    const Sampled& in = state_.of(node.input(i));
    arguments.push_back(in.known() ? in.samples.front() : nullptr);
    if (in.unreachable) return dtypes;
    if (!is_tensor(node.input(i))) {
      if (!in.known()) return dtypes;
    } else if (in.known()) {
      for (const std::int64_t size :
           evaluator_.describe(*in.samples.front(), 0).fixed_dims().value_or(std::vector<std::int64_t>()))
        sizes.insert(size);
    } else {
      if (state_.known.of(node.input(i)).dtype == DType::Undefined) return dtypes;
      unknown.push_back(i);
    }
  }
  bool has_axes = false;
  std::vector<bool> is_open(dtypes.size(), false);
  const auto try_arguments = [&](bool with_axes) {
    const auto results = results_on(node, arguments);
    if (!results || results->size() != dtypes.size()) return;
    has_axes = has_axes || with_axes;
    for (std::size_t o = 0; o < dtypes.size(); ++o) {
      const DType dtype =
          (*results)[o] && is_tensor(node.output(o)) ? evaluator_.describe(*(*results)[o], 0).dtype : DType::Undefined;
      is_open[o] = is_open[o] || dtype == DType::Undefined || (dtypes[o] != DType::Undefined && dtypes[o] != dtype);
      dtypes[o] = dtype;
    }
  };
  // The tensor `single`, if any, is 0-dimensional while the others are not.
  const auto show = [&](std::size_t rank, std::int64_t size, std::size_t single) {
    for (const std::size_t i : unknown)
      arguments[i] = evaluator_.meta(state_.known.of(node.input(i)).dtype,
                                     std::vector<std::int64_t>(i == single ? 0 : rank, size));
    try_arguments(rank > 0);
  };
  for (std::size_t rank = 0; rank < kRanks; ++rank)
    for (const std::int64_t size : sizes)
      if (rank > 0 || size == 1) show(rank, size, SIZE_MAX);
  for (const std::size_t single : unknown)
    if (unknown.size() > 1) show(2, 2, single);
  for (std::size_t o = 0; o < dtypes.size(); ++o)
    if (is_open[o] || !has_axes) dtypes[o] = DType::Undefined;
  return dtypes;
}

}  // namespace tonnx::program
