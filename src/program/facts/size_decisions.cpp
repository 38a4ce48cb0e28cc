// Notes the comparisons and divisions on which sizes depend (thresholds.h).
#include "program/facts/size_decisions.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "aten/containers.h"
#include "aten/decisions.h"
#include "aten/traits.h"

namespace tonnx::program {

using aten::Decision;
using ir::Node;

namespace {

constexpr std::size_t kCompared = 4;  // items of a list operand, as of min()
constexpr double kLargest = 1e15;     // largest number that may be a size
constexpr double kLargestMask = 1e9;  // largest mask
std::vector<double> difference(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> result = a;
  for (std::size_t i = 0; i < result.size(); ++i) result[i] -= b[i];
  return result;
}

// The kind of a comparison in which one number cuts the other.
Thresholds::Kind kind_of_cut(const std::vector<double>& a, const std::vector<double>& b) {
  const auto is_constant = [](const std::vector<double>& numbers) {
    return std::ranges::count(numbers, numbers.front()) == std::ssize(numbers);
  };
  return is_constant(a) || is_constant(b) ? Thresholds::Kind::CutByConstant : Thresholds::Kind::Cut;
}

}  // namespace

// The values of the scalar operands, and of the first items of list operands.
std::vector<std::vector<double>> SizeDecisions::operands(const std::vector<const Sampled*>& inputs) const {
  std::vector<std::vector<double>> result;
  for (const Sampled* in : inputs)
    for (std::size_t item = 0; item < kCompared; ++item) {
      auto found = lattice_.numbers(*in, item);
      if (!found || (item > 0 && *found == result.back())) break;
      result.push_back(std::move(*found));
    }
  return result;
}

bool SizeDecisions::is_claimed(const std::optional<std::vector<double>>& sizes) const {
  if (!sizes) return false;
  if (std::ranges::any_of(*sizes, [](double size) { return !(std::abs(size) < kLargest); })) return false;
  std::vector<std::int64_t> whole(sizes->begin(), sizes->end());
  // A number may be negative: shift it to fit it as a size.
  const std::int64_t least = std::min<std::int64_t>(*std::ranges::min_element(whole), 0);
  for (std::int64_t& size : whole) size -= least;
  return !fit(lattice_.table(), whole).is_unknown();
}

void SizeDecisions::note_thresholds(const Node& node, const std::vector<const Sampled*>& inputs,
                                    const std::vector<Sampled>& outputs) {
  if (!thresholds_ || outputs.empty() || (outputs.size() > 1 && !node.is("aten::divmod"))) return;
  const aten::Inverse inverse = aten::traits_of(node).inverse;
  if (inverse == aten::Inverse::Split || inverse == aten::Inverse::Chunk || inverse == aten::Inverse::Sections)
    return note_pieces(node, inputs, outputs[0]);
  if (inverse == aten::Inverse::Slice || aten::acts_as(node, aten::Container::Part))
    return note_cut(node, inputs, outputs[0]);
  const Decision decision = aten::decision_of(node);
  if (decision == Decision::Windows || decision == Decision::Unfolding) return note_steps(node, outputs[0]);
  if (decision == Decision::None || decision == Decision::Truth) return;
  if (std::ranges::none_of(outputs, [&](const Sampled& out) { return is_claimed(lattice_.numbers(out)); })) return;
  std::vector<std::vector<double>> compared = operands(inputs);
  if (decision == Decision::Quotient) {
    if (compared.size() == 2) thresholds_->note_divided(std::move(compared[0]), compared[1].front());
    return;
  }
  if (decision == Decision::Rounding) {
    if (!compared.empty()) note_rounded(node, std::move(compared[0]));
    return;
  }
  if (decision == Decision::Bits) return note_bits(node, std::move(compared));
  if (decision == Decision::Range && compared.size() > 2) {
    thresholds_->note_divided(difference(compared[1], compared[0]), compared[2].front());
    compared.resize(2);
  }
  for (std::size_t a = 0; a < compared.size(); ++a)
    for (std::size_t b = a + 1; b < compared.size(); ++b)
      thresholds_->note(difference(compared[a], compared[b]), decision == Decision::Condition
                                                                  ? Thresholds::Kind::Jump
                                                                  : kind_of_cut(compared[a], compared[b]));
}

// A number that is rounded down, up or to the nearest integer.
void SizeDecisions::note_rounded(const Node& node, std::vector<double> number) {
  const bool is_halved = node.is("aten::round");
  for (double& value : number) value += is_halved ? 0.5 : 0;
  thresholds_->note_divided(std::move(number), 1);
}

// Bit operations on integers. The bits change at powers of two.
void SizeDecisions::note_bits(const Node& node, std::vector<std::vector<double>> numbers) {
  if (numbers.size() != 2) return;
  const bool is_shift = node.is("aten::__rshift__");
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    const double mask = std::abs(numbers[1 - i].front());
    if (mask > kLargestMask || (is_shift && (i > 0 || mask > 30))) continue;
    const auto whole = static_cast<std::uint64_t>(mask);
    thresholds_->note_divided(numbers[i],
                              is_shift ? std::exp2(mask) : static_cast<double>(std::bit_ceil(whole + (whole & 1))));
  }
}

bool SizeDecisions::claims_choice(const ir::Value& a, const ir::Value& b, const Sampled& chosen) const {
  if (!thresholds_) return false;
  const auto& of_a = state_.known.of(&a).dims;
  const auto& of_b = state_.known.of(&b).dims;
  if (!a.type().is(ir::Type::Kind::Tensor)) return is_claimed(lattice_.numbers(chosen));
  if (!of_a || !of_b || of_a->size() != of_b->size()) return true;
  for (std::size_t axis = 0; axis < of_a->size(); ++axis)
    if (!(*of_a)[axis].same((*of_b)[axis]) && is_claimed(lattice_.sizes_along(chosen, axis))) return true;
  return false;
}

void SizeDecisions::note_condition(const ir::Value& condition) {
  if (!thresholds_) return;
  const Node* node = condition.node();
  if (!node) return;
  const Decision decision = aten::decision_of(*node);
  if (decision == Decision::Condition) {
    const auto compared = operands({&state_.of(node->input(0)), &state_.of(node->input(1))});
    if (compared.size() == 2) thresholds_->note(difference(compared[0], compared[1]), Thresholds::Kind::Jump);
  } else if (decision == Decision::Truth) {
    for (const ir::Value* part : node->inputs()) note_condition(*part);
  } else if (node->is("prim::If")) {
    note_condition(*node->input());
    for (const ir::Block* block : node->blocks()) note_condition(*block->outputs()[condition.index()]);
  }
}

// Windows with a stride drop a remainder.
void SizeDecisions::note_steps(const Node& node, const Sampled& result) {
  const auto& dims = state_.known.of(node.input()).dims;
  if (!dims || !result.known()) return;
  if (aten::decision_of(node) == Decision::Unfolding) {
    if (const auto axis = state_.known.index(node.input(1), dims->size()))
      note_step(node, result, *axis, *axis, state_.of(node.input("step")), 0);
    return;
  }
  const Sampled* strides = &state_.of(node.input("stride"));
  const auto count_of = [&](const Sampled& list) { return list.known() ? evaluator_.count(*list.samples.front()) : 0; };
  if (count_of(*strides) == 0 && node.input("kernel_size")) strides = &state_.of(node.input("kernel_size"));
  const std::size_t count = count_of(*strides);
  const auto sizes = evaluator_.describe(*result.samples.front(), 0).fixed_dims();
  if (!sizes || dims->size() < count || sizes->size() < count) return;
  for (std::size_t item = 0; item < count; ++item)
    note_step(node, result, dims->size() - count + item, sizes->size() - count + item, *strides, item);
}

void SizeDecisions::note_step(const Node& node, const Sampled& result, std::size_t axis, std::size_t result_axis,
                              const Sampled& steps, std::size_t item) {
  const auto step = lattice_.numbers(steps, item);
  if (!step || step->front() < 2 || !is_claimed(lattice_.sizes_along(result, result_axis))) return;
  if (auto size = lattice_.sizes_along(state_.of(node.input()), axis))
    thresholds_->note_divided(std::move(*size), step->front());
}

// A split changes if there are two pieces instead of one, and with the size of the last one.
void SizeDecisions::note_pieces(const Node& node, const std::vector<const Sampled*>& inputs, const Sampled& pieces) {
  const auto& dims = state_.known.of(node.input()).dims;
  const auto axis = dims && inputs.size() > 2 ? state_.known.index(node.input(2), dims->size()) : std::nullopt;
  const auto piece = lattice_.numbers(*inputs[1]);
  if (!axis || !piece) return;
  const auto size_of = [&](bool last) {
    return lattice_.in_sizes(pieces, [&](const ir::Datum& list) -> std::optional<double> {
      const auto items = evaluator_.items(list);
      const auto sizes =
          items.empty() ? std::nullopt : evaluator_.describe(last ? *items.back() : *items.front(), 0).fixed_dims();
      return sizes ? std::optional(static_cast<double>((*sizes)[*axis])) : std::nullopt;
    });
  };
  if (!is_claimed(size_of(false)) && !is_claimed(size_of(true))) return;
  auto size = lattice_.sizes_along(*inputs[0], *axis);
  if (!size) return;
  if (aten::traits_of(node).inverse == aten::Inverse::Split)
    thresholds_->note(difference(*size, *piece), Thresholds::Kind::Jump);
  thresholds_->note_divided(std::move(*size), piece->front());
}

// Notes the bounds of a slice: each against both ends of the axis, and one against the other.
void SizeDecisions::note_cut(const Node& node, const std::vector<const Sampled*>& inputs, const Sampled& part) {
  const bool is_list = aten::acts_as(node, aten::Container::Part);
  const auto& dims = state_.known.of(node.input()).dims;
  const auto axis = dims && !is_list ? state_.known.index(node.input(1), dims->size()) : std::nullopt;
  if (!is_list && !axis) return;
  const auto size_of = [&](const Sampled& sampled) {
    const auto length = [&](const ir::Datum& list) {
      return std::optional(static_cast<double>(evaluator_.count(list)));
    };
    return is_list ? lattice_.in_sizes(sampled, length) : lattice_.sizes_along(sampled, *axis);
  };
  const auto size = size_of(*inputs[0]);
  if (!size || !is_claimed(size_of(part))) return;
  std::vector<std::vector<double>> bounds;
  for (const std::size_t i : {std::size_t{2} - is_list, std::size_t{3} - is_list}) {
    auto bound = i < inputs.size() ? lattice_.numbers(*inputs[i]) : std::nullopt;
    if (!bound) continue;
    const Thresholds::Kind kind = kind_of_cut(*bound, *bound);
    thresholds_->note(*bound, Thresholds::Kind::Jump);
    for (std::size_t sample = 0; sample < bound->size(); ++sample)
      if ((*bound)[sample] < 0) (*bound)[sample] += (*size)[sample];
    thresholds_->note(*bound, kind);
    thresholds_->note(difference(*bound, *size), kind);
    bounds.push_back(std::move(*bound));
  }
  if (bounds.size() == 2) thresholds_->note(difference(bounds[0], bounds[1]), Thresholds::Kind::Cut);
  const std::size_t last = std::size_t{4} - is_list;
  if (const auto step = last < inputs.size() ? lattice_.numbers(*inputs[last]) : std::nullopt)
    thresholds_->note_divided(*size, step->front());
}

void SizeDecisions::note_trips(std::vector<double> trips) {
  if (!thresholds_) return;
  const Thresholds::Kind kind = kind_of_cut(trips, trips);
  thresholds_->note(std::move(trips), kind);
}

}  // namespace tonnx::program
