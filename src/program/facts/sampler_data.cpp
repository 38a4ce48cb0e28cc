// Finds the dims of a result that depend on data, also if the data samples agree on them: `y[i:i + 1]` has one row for
// each i in the samples, and none if i is out of range.
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <set>
#include <vector>

#include "aten/traits.h"
#include "ir/error.h"
#include "ir/writes.h"
#include "program/facts/sampler.h"

namespace tonnx::program {

using ir::Constant;
using ir::DatumPtr;
using ir::DType;
using ir::Facts;
using ir::Node;
using ir::Type;

namespace {

using Sizes = std::vector<std::int64_t>;

// Other values for a number that is `value` in a sample. Small ones are included, because many large steps or counts
// have the same result. Negative ones are not: they often have another meaning.
std::array<std::int64_t, 5> alternatives(std::int64_t value) { return {0, 1, 2, value + 1, value + 7}; }

std::array<double, 5> alternatives(double value) { return {0.3, 1.0, value / 64, value + 1, value + 7}; }

bool is_data_number(const Sampled& in, std::size_t item) {
  return in.depends_on_data && (item < in.items.size() ? in.items[item] != 0 : in.varies);
}

}  // namespace

// Evaluates the node for the sizes of its results. Empty if it fails on these arguments.
std::optional<std::vector<DatumPtr>> Sampler::results_on(const Node& node, const std::vector<DatumPtr>& arguments) {
  std::vector<DatumPtr> results;
  try {
    if (evaluator_.evaluate(node, arguments, results, ir::Evaluator::Wanted::Sizes) == ir::Evaluator::Outcome::NoRule)
      return std::nullopt;
  } catch (const ir::Error& error) {
    if (error.code() != ir::Code::Program) throw;
    return std::nullopt;
  }
  return results;
}

// Returns the sizes of each result. Empty if the node fails on these arguments.
std::optional<std::vector<Sizes>> Sampler::result_sizes(const Node& node, const std::vector<DatumPtr>& arguments) {
  const auto results = results_on(node, arguments);
  if (!results) return std::nullopt;
  std::vector<Sizes> sizes;
  for (const DatumPtr& result : *results)
    sizes.push_back(result ? evaluator_.describe(*result, 0).fixed_dims().value_or(Sizes()) : Sizes());
  return sizes;
}

// Returns copies of the arguments, in each of which one number is replaced by an alternative.
std::vector<std::vector<DatumPtr>> Sampler::other_numbers(const std::vector<DatumPtr>& arguments, std::size_t index,
                                                          const Sampled& in, std::size_t item) {
  std::vector<std::vector<DatumPtr>> variants;
  const Facts facts = evaluator_.describe(*arguments[index]);
  if (!facts.constant) return variants;
  const auto* list = facts.constant->get<Constant::List>();
  const Constant& number = list ? list->items.at(item) : *facts.constant;
  if (!is_data_number(in, item)) return variants;
  const auto add = [&](const Constant& other) {
    Constant changed = *facts.constant;
    (list ? std::get<Constant::List>(changed.value).items.at(item) : changed) = other;
    variants.push_back(arguments);
    variants.back()[index] = evaluator_.constant(changed);
  };
  if (const auto* whole = number.get<std::int64_t>())
    for (const std::int64_t other : alternatives(*whole)) add({other});
  if (const auto* real = number.get<double>())
    for (const double other : alternatives(*real)) add({other});
  return variants;
}

// Returns copies of the arguments in which a tensor has few or many elements along its data-dependent axes.
std::vector<std::vector<DatumPtr>> Sampler::other_sizes(const std::vector<DatumPtr>& arguments, std::size_t index,
                                                        const Sampled& in) {
  std::vector<std::vector<DatumPtr>> variants;
  const Facts facts = evaluator_.describe(*arguments[index], 0);
  const auto example = evaluator_.describe(*in.samples.front(), 0).fixed_dims();
  const auto sizes = facts.fixed_dims();
  if (!sizes || !example || example->size() != sizes->size() || example == sizes) return variants;
  constexpr std::int64_t kMany = 1009;  // x[8:] is empty if there are few
  constexpr double kMostElements = 1 << 24;
  for (const std::int64_t size : {std::int64_t{0}, std::int64_t{1}, kMany}) {
    Sizes other = *sizes;
    for (std::size_t d = 0; d < other.size(); ++d)
      if ((*example)[d] != other[d]) other[d] = size;
    if (std::accumulate(other.begin(), other.end(), 1.0, std::multiplies()) > kMostElements) continue;
    variants.push_back(arguments);
    variants.back()[index] = evaluator_.meta(facts.dtype, other);
  }
  return variants;
}

// Returns, per argument, the variants of the arguments with its alternatives, and with other sizes if `with_sizes`.
std::vector<Sampler::Variants> Sampler::other_arguments(const Node& node, const std::vector<const Sampled*>& inputs,
                                                        const std::vector<DatumPtr>& arguments, bool with_sizes) {
  std::vector<Variants> changes;
  std::size_t tensors = 0, tensor = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Type& type = node.input(i)->type();
    if (type.is(Type::Kind::Tensor)) {
      ++tensors;
      tensor = i;
    } else if (inputs[i]->depends_on_data) {
      const Facts facts = evaluator_.describe(*arguments[i]);
      const auto* list = facts.constant ? facts.constant->get<Constant::List>() : nullptr;
      for (std::size_t item = 0; item < (list ? list->items.size() : 1); ++item)
        changes.push_back(other_numbers(arguments, i, *inputs[i], item));
    }
  }
  if (with_sizes && tensors == 1) changes.push_back(other_sizes(arguments, tensor, *inputs[tensor]));
  std::erase_if(changes, [](const auto& variants) { return variants.empty(); });
  return changes;
}

// The sizes of the tensors in the list that the node returns. Empty if it fails, or if their ranks differ.
std::optional<std::vector<Sizes>> Sampler::item_sizes(const Node& node, const std::vector<DatumPtr>& arguments) {
  const auto results = results_on(node, arguments);
  if (!results || results->empty() || !results->front()) return std::nullopt;
  return sizes_in(*results->front());
}

std::optional<std::vector<Sizes>> Sampler::sizes_in(const ir::Datum& list) const {
  std::vector<Sizes> sizes;
  for (const DatumPtr& item : evaluator_.items(list)) {
    const auto dims = item ? evaluator_.describe(*item, 0).fixed_dims() : std::nullopt;
    if (!dims || (!sizes.empty() && sizes.front().size() != dims->size())) return std::nullopt;
    sizes.push_back(*dims);
  }
  return sizes.empty() ? std::nullopt : std::optional(std::move(sizes));
}

// Varies the data-dependent dims of the items of a returned list in the data samples. The lengths stay.
void Sampler::open_items(const Node& node, const std::vector<Variants>& changes, const std::vector<DatumPtr>& arguments,
                         Sampled& output) {
  const auto example = output.known() ? sizes_in(*output.samples.front()) : std::nullopt;
  if (!example) return;
  const auto base = item_sizes(node, arguments);
  const auto along = [](const std::vector<Sizes>& items, std::size_t axis) {
    std::set<std::int64_t> sizes;
    for (const Sizes& item : items) sizes.insert(item[axis]);
    return sizes;
  };
  std::vector<bool> open(example->front().size(), false);
  // If the node fails in the sample (pieces that do not add up), each size along its axis may differ.
  const ir::Value* axis_input = node.input("dim");
  const auto axis = state_.known.integer(axis_input).value_or(0);
  for (std::size_t d = 0; !base && d < open.size(); ++d)
    open[d] = !axis_input ||
              static_cast<std::int64_t>(d) == (axis < 0 ? axis + static_cast<std::int64_t>(open.size()) : axis);
  for (const Variants& variants : base ? changes : std::vector<Variants>())
    for (const auto& variant : variants) {
      const auto sizes = item_sizes(node, variant);
      if (!sizes || sizes->front().size() != open.size()) continue;
      for (std::size_t d = 0; d < open.size(); ++d) open[d] = open[d] || along(*sizes, d) != along(*base, d);
    }
  if (std::find(open.begin(), open.end(), true) == open.end()) return;
  for (std::size_t sample = count_ - data_count_; sample < count_; ++sample) {
    std::vector<DatumPtr> items = evaluator_.items(*output.samples[sample]);
    for (std::size_t k = 0; k < items.size(); ++k) {
      const Facts facts = evaluator_.describe(*items[k], 0);
      const auto known = facts.fixed_dims();
      if (!known || known->size() != open.size()) continue;
      Sizes sizes = *known;
      for (std::size_t d = 0; d < sizes.size(); ++d)
        if (open[d] && (k >= example->size() || (*example)[k][d] == sizes[d]))
          sizes[d] += static_cast<std::int64_t>(sample - (count_ - data_count_)) + 1;
      items[k] = evaluator_.meta(facts.dtype, sizes);
    }
    output.samples[sample] = evaluator_.list(items);
  }
  output.varies = output.depends_on_data = true;
}

// Marks the dims of each result that differ for a variant. Returns false if the node fails on `arguments`.
bool Sampler::note_sensitive(const Node& node, const std::vector<Variants>& changes,
                             const std::vector<DatumPtr>& arguments, std::vector<std::vector<bool>>& open) {
  const auto base = result_sizes(node, arguments);
  if (!base) return false;
  for (std::size_t o = 0; o < open.size(); ++o) {
    if (open[o].empty()) open[o].resize((*base)[o].size(), false);
    if (open[o].size() != (*base)[o].size()) return false;  // another rank
  }
  for (const Variants& variants : changes)
    for (const auto& variant : variants) {
      const auto sizes = result_sizes(node, variant);
      for (std::size_t o = 0; sizes && o < open.size(); ++o) {
        if ((*sizes)[o].size() != open[o].size()) continue;
        for (std::size_t d = 0; d < open[o].size(); ++d) open[o][d] = open[o][d] || (*sizes)[o][d] != (*base)[o][d];
      }
    }
  return true;
}

void Sampler::vary_what_data_decide(const Node& node, const std::vector<const Sampled*>& inputs,
                                    std::vector<Sampled>& outputs) {
  if (!data_count_ || writes(node) || outputs.empty()) return;
  const bool returns_tensors = std::all_of(node.outputs().begin(), node.outputs().end(),
                                           [](const ir::Value* out) { return out->type().is(Type::Kind::Tensor); });
  const bool returns_list = outputs.size() == 1 && node.output()->type().is_tensor_list() &&
                            aten::traits_of(node).container == aten::Container::None;
  if (!returns_tensors && !returns_list) return;
  std::vector<DatumPtr> arguments;
  for (const Sampled* in : inputs) arguments.push_back(in->samples.back());  // all numbers are known in a data sample
  const std::vector<Variants> changes = other_arguments(node, inputs, arguments);
  if (changes.empty()) return;
  if (returns_list) return open_items(node, changes, arguments, outputs.front());
  std::vector<std::vector<bool>> open(outputs.size());
  if (!note_sensitive(node, changes, arguments, open)) return;
  // A bound on a size may hide other bounds at the example sizes: x[:, x.size(0):n] of a square x is empty.
  for (std::size_t sample = 1; sample + data_count_ < count_; ++sample) {
    bool equals_example = true;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Type& type = node.input(i)->type();
      const bool is_number = !type.is(Type::Kind::Tensor) && inputs[i]->depends_on_data;
      const DatumPtr& shown = inputs[i]->samples[sample];
      const bool has_constant = !is_number || evaluator_.describe(*shown).constant;
      arguments[i] = has_constant ? shown : inputs[i]->samples.back();
      equals_example = equals_example && (is_number || shown == inputs[i]->samples.front());
    }
    if (!equals_example) note_sensitive(node, other_arguments(node, inputs, arguments, false), arguments, open);
  }
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    if (!outputs[o].known()) continue;
    const auto example = evaluator_.describe(*outputs[o].samples.front(), 0).fixed_dims();
    for (std::size_t sample = count_ - data_count_; sample < count_; ++sample) {
      const auto shown = evaluator_.describe(*outputs[o].samples[sample], 0).fixed_dims();
      const bool comparable = example && shown && example->size() == open[o].size() && shown->size() == open[o].size();
      for (std::size_t d = 0; d < open[o].size(); ++d)
        open[o][d] = open[o][d] && comparable && (*shown)[d] == (*example)[d];
    }
    lattice_.vary(outputs[o], open[o]);
  }
}

// The dims of a data-dependent result that depend on the data.
std::vector<bool> Sampler::data_dims(const Node& node, std::size_t output, const std::vector<const Sampled*>& inputs,
                                     std::size_t rank) {
  using aten::DataDims;
  std::vector<bool> out(rank, false);
  if (rank == 0) return out;
  const DataDims which = aten::traits_of(node).data_dims;
  if (which == DataDims::FirstButInverse && output == 1) return out;
  if (which == DataDims::First || which == DataDims::FirstButInverse) {
    out[0] = true;
    return out;
  }
  if (which == DataDims::Indexed && inputs.size() == 2) {
    const auto indices = evaluator_.items(*inputs[1]->samples.front());
    std::size_t before = 0;
    std::size_t width = 0;
    std::size_t groups = 0;
    bool inside = false;
    for (const auto& index : indices) {
      const Facts facts = evaluator_.describe(*index, 0);
      const bool is_none = !facts.dims || (facts.constant && facts.constant->is_none());
      if (is_none) {
        before += groups == 0;
        inside = false;
        continue;
      }
      groups += !inside;
      inside = true;
      const bool mask = facts.dtype == DType::Bool || facts.dtype == DType::UInt8;
      width = std::max(width, mask ? 1 : facts.dims->size());
    }
    const std::size_t begin = groups > 1 ? 0 : before;
    for (std::size_t d = begin; d < begin + width && d < rank; ++d) out[d] = true;
    return out;
  }
  out.assign(rank, true);
  return out;
}

void Sampler::vary_outputs(const Node& node, const std::vector<const Sampled*>& inputs, std::vector<Sampled>& outputs) {
  lattice_.require_data_samples();
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    Sampled& out = outputs[o];
    if (!out.known()) continue;
    const Facts facts = evaluator_.describe(*out.samples.front());
    if (node.output(o)->type().is(Type::Kind::Tensor) && facts.dims) {
      out.varies = false;
      out.meta = true;
      lattice_.vary(out, data_dims(node, o, inputs, facts.dims->size()));
      continue;
    }
    out.varies = out.depends_on_data = true;
    out.items.clear();
    const auto* whole = facts.constant ? facts.constant->get<std::int64_t>() : nullptr;
    const auto* real = facts.constant ? facts.constant->get<double>() : nullptr;
    for (std::size_t k = 0; k < data_count_ && (whole || real); ++k)
      out.samples[count_ - data_count_ + k] =
          evaluator_.constant(whole ? Constant{other_number(*whole, k)} : Constant{other_number(*real, k)});
    if (whole || real) continue;
    const auto items = evaluator_.items(*out.samples.front());
    if (items.empty() || !evaluator_.describe(*items.front(), 0).dims) continue;
    out.meta = true;
    std::vector<std::vector<ir::DatumPtr>> columns(data_count_);
    for (const auto& item : items) {
      Sampled element;
      element.samples.assign(count_, item);
      const auto dims = evaluator_.describe(*item, 0).dims;
      if (dims) lattice_.vary(element, data_dims(node, o, inputs, dims->size()));
      for (std::size_t k = 0; k < data_count_; ++k) columns[k].push_back(element.samples[count_ - data_count_ + k]);
    }
    for (std::size_t k = 0; k < data_count_; ++k) {
      const ir::DatumPtr list = evaluator_.list(columns[k]);
      if (!list) {
        out.samples.clear();
        break;
      }
      out.samples[count_ - data_count_ + k] = list;
    }
  }
}

void Sampler::open_rank(Sampled& squeezed, const Sampled& in, const std::vector<std::size_t>& axes) {
  lattice_.require_data_samples();
  squeezed.meta = squeezed.depends_on_data = true;
  for (std::size_t k = 0; k < data_count_; ++k) {
    const std::size_t sample = count_ - data_count_ + k;
    const Facts before = evaluator_.describe(*in.samples[sample], 0);
    const auto sizes = before.fixed_dims();
    if (!sizes) continue;
    std::vector<std::int64_t> dims;
    for (std::size_t axis = 0; axis < sizes->size(); ++axis) {
      const bool is_open = std::find(axes.begin(), axes.end(), axis) != axes.end();
      if (is_open ? k == 0 : (*sizes)[axis] != 1) dims.push_back(is_open && (*sizes)[axis] == 1 ? 2 : (*sizes)[axis]);
    }
    squeezed.samples[sample] = evaluator_.meta(before.dtype, dims);
  }
}

}  // namespace tonnx::program
