#include "program/facts/empty_axes.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "aten/containers.h"
#include "aten/size_checks.h"
#include "ir/constant_facts.h"
#include "ir/emptied_axes.h"
#include "ir/error.h"
#include "program/facts/interpreter.h"
#include "program/facts/refused_sizes.h"

namespace tonnx::program {

using ir::Facts;
using ir::Value;

namespace {

constexpr std::size_t kDataSamples = 2;

// True if a node uses the number, or the list as a whole; a number that is read from the list is a value of its own.
bool is_number_used(const Value& value) {
  return std::ranges::any_of(value.uses(), [&](const ir::Use& use) {
    return !value.type().is(ir::Type::Kind::List) ||
           !(aten::acts_as(*use.node, aten::Container::ListUnpack) || aten::acts_as(*use.node, aten::Container::Item));
  });
}

// True if the facts have a constant, which the value is not if it has the facts `other`.
bool has_other_constant(const Facts& facts, const Facts& other) {
  if (!facts.constant) return false;
  if (other.constant) return !same_constant(*facts.constant, *other.constant);
  return facts.dims && other.dims && facts.fixed_dims() != other.fixed_dims();
}

void note_differences(const InferredFacts& at_empty, InferredFacts& found, EmptyAxis& empty) {
  for (const auto& [value, facts] : found.values) {
    const Facts* other = at_empty.values.find(value);
    if (!other) continue;
    if (has_other_constant(facts, *other) && is_number_used(*value)) empty.differs = true;
    if (!facts.has_rank() || !other->has_rank() || facts.rank() != other->rank()) continue;
    for (std::size_t axis = 0; axis < facts.dims->size(); ++axis) {
      const ir::Dim &size = (*facts.dims)[axis], &size_at_empty = (*other->dims)[axis];
      if (size.is_fixed() && !size.same(size_at_empty)) found.emptied[value].insert(axis);
    }
  }
}

}  // namespace

void note_empty_axes(const ir::Graph& graph, ir::Evaluator& evaluator, const std::vector<InputAxis>& axes,
                     std::span<const ir::Constant> examples, const ir::ValueTable<Facts>& imported,
                     InferredFacts& found, EmptyAxis& empty) {
  for (const std::size_t data_samples : {std::size_t{0}, kDataSamples}) {
    SymbolTable table;
    table.sizes.emplace_back();
    Interpreter inference(graph, evaluator, std::move(table), data_samples, axes, examples, imported, nullptr);
    const auto fail = [&](const ir::Node* node, const std::string& message) {
      empty.differs = true;
      if (node) {
        empty.refusal = refusal_at(*node, message);
        empty.refusal->is_checked = aten::runtime_checks_empty(*node);
      }
      note_differences(inference.found(), found, empty);
    };
    try {
      note_differences(inference.run(), found, empty);
    } catch (const NeedsDataSamples&) {
      if (data_samples == 0) continue;
    } catch (const ImpossibleIteration&) {
    } catch (const SampleFailure& failure) {
      fail(failure.node, failure.message);
    } catch (const ir::Error& error) {
      if (error.code() == ir::Code::Internal) throw;
      fail(inference.last(), error.what());
    }
    return;
  }
}

void require_nonempty_axes(ir::Graph& program, const std::vector<InputAxis>& axes, const SampleHints& hints) {
  std::vector<std::int64_t> pairs;
  for (const auto& [symbol, empty] : hints.empty) {
    if (!empty.differs || (empty.refusal && is_checked(program, *empty.refusal))) continue;
    const auto axis = std::ranges::find_if(axes, [&](const InputAxis& a) {
      const ir::Polynomial size = a.size();
      const std::string* own = size.symbol();
      return own && *own == symbol && program.inputs()[a.input]->type().is(ir::Type::Kind::Tensor);
    });
    if (axis != axes.end())
      pairs.insert(pairs.end(), {static_cast<std::int64_t>(axis->input), static_cast<std::int64_t>(axis->axis)});
  }
  if (!pairs.empty()) program.block().return_node()->set_attribute(ir::kNonemptyAxes, std::move(pairs));
}

}  // namespace tonnx::program
