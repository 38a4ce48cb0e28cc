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
#include "ir/observer.h"
#include "program/facts/interpreter.h"
#include "program/facts/refused_sizes.h"

namespace tonnx::program {

using ir::Facts;
using ir::Value;

namespace {

constexpr std::size_t kMostTogether = 5;  // symbols of one size

// True if the size is 0 when these symbols are.
bool is_empty(const ir::Polynomial& size, const std::set<std::string>& symbols) {
  std::map<std::string, ir::Polynomial> zeros;
  for (const std::string& name : symbols) zeros.emplace(name, 0);
  return size.with(zeros).constant() == 0;
}

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

void note_differences(const InferredFacts& at_empty, InferredFacts& found, EmptyAxes& empty) {
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

// True if all outputs are tensors without elements when these symbols are 0.
bool has_empty_outputs(const ir::Graph& program, const std::set<std::string>& symbols) {
  return std::ranges::all_of(program.outputs(), [&](const Value* out) {
    return out->type().is(ir::Type::Kind::Tensor) && out->facts().dims &&
           std::ranges::any_of(*out->facts().dims, [&](const ir::Dim& dim) {
             return dim.polynomial() && is_empty(*dim.polynomial(), symbols);
           });
  });
}

bool must_fail(const ir::Graph& program, const std::set<std::string>& symbols, const EmptyAxes& empty) {
  if (empty.differs) return true;
  if (!empty.failed) return false;
  const auto is_unchecked = [&](const SizeRefusal& refusal) {
    return !is_checked(program, refusal) || !is_present(program, refusal);
  };
  if (empty.failed_elsewhere || empty.refusals.empty()) return true;
  const auto refusal = std::ranges::find_if(empty.refusals, is_unchecked);
  if (refusal == empty.refusals.end()) return false;
  const bool is_harmless = std::ranges::all_of(
      empty.refusals, [&](const SizeRefusal& one) { return one.returns_empty || !is_unchecked(one); });
  if (!is_harmless || !has_empty_outputs(program, symbols)) return true;
  ir::log(ir::Level::Info, [&] {
    std::string names;
    for (const std::string& symbol : symbols) names += (names.empty() ? "" : " and ") + symbol;
    return refusal->site + ": the program fails if " + names + (symbols.size() > 1 ? " are" : " is") +
           " 0, where the model returns tensors without elements";
  });
  return false;
}

}  // namespace

void note_empty_axes(const ir::Graph& graph, ir::Evaluator& evaluator, const std::vector<InputAxis>& axes,
                     std::span<const ir::Constant> examples, const ir::ValueTable<Facts>& imported,
                     InferredFacts& found, EmptyAxes& empty) {
  for (const std::size_t data_samples : {std::size_t{0}, kDataSamples}) {
    SymbolTable table;
    table.sizes.emplace_back();
    Interpreter inference(graph, evaluator, std::move(table), data_samples, axes, examples, imported, nullptr);
    const auto fail = [&](const ir::Node* node, const std::string& message) {
      empty.failed = true;
      if (!node) empty.failed_elsewhere = true;
      if (node) {
        SizeRefusal& refusal = empty.refusals.emplace_back(refusal_at(*node, message));
        refusal.is_checked = aten::runtime_checks_empty(*node);
        refusal.returns_empty = aten::infers_size(*node);
      }
      note_differences(inference.found(), found, empty);
    };
    // Passes may have moved an operator that reads an undefined value out of a branch.
    const auto needs_at_example = [&](const std::set<const Value*>& needed) {
      std::vector<InputAxis> at_example = axes;
      for (InputAxis& axis : at_example) axis.follows = axis.example;
      SymbolTable without;
      without.sizes.emplace_back();
      Interpreter other(graph, evaluator, std::move(without), data_samples, at_example, examples, imported, nullptr);
      other.run();
      return std::ranges::includes(other.needed_undefined(), needed);
    };
    try {
      note_differences(inference.run(), found, empty);
      const std::set<const Value*> needed = inference.needed_undefined();
      if (!needed.empty() && !needs_at_example(needed)) empty.failed = empty.failed_elsewhere = true;
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

std::set<std::set<std::string>> emptied_together(const std::set<std::string>& symbols, const InferredFacts& found) {
  std::set<std::set<std::string>> sets;
  const auto add_of = [&](const ir::Polynomial& size) {
    const std::set<std::string> of = size.symbols();
    if (of.size() < 2 || of.size() > kMostTogether) return;
    const std::vector<std::string> names(of.begin(), of.end());
    for (std::size_t chosen = 1; chosen < std::size_t{1} << names.size(); ++chosen) {
      std::set<std::string> set;
      for (std::size_t i = 0; i < names.size(); ++i)
        if (chosen >> i & 1) set.insert(names[i]);
      const bool are_free = std::ranges::includes(symbols, set);
      if (set.size() > 1 && are_free && is_empty(size, set) &&
          std::ranges::none_of(set, [&](const std::string& name) { return is_empty(size, {name}); }))
        sets.insert(std::move(set));
    }
  };
  for (const auto& [value, facts] : found.values)
    for (std::size_t axis = 0; facts.dims && axis < facts.dims->size(); ++axis)
      if (const ir::Polynomial* size = (*facts.dims)[axis].polynomial()) add_of(*size);
  if (symbols.size() > 1) sets.insert(symbols);
  return sets;
}

void require_nonempty_axes(ir::Graph& program, const std::vector<InputAxis>& axes, const SampleHints& hints) {
  std::vector<std::int64_t> triples;
  std::int64_t count = 0;
  for (const auto& [symbols, empty] : hints.empty) {
    if (!must_fail(program, symbols, empty)) continue;
    std::vector<std::int64_t> own;
    for (const std::string& symbol : symbols) {
      const auto axis = std::ranges::find_if(axes, [&](const InputAxis& a) {
        const ir::Polynomial size = a.size();
        const std::string* name = size.symbol();
        return name && *name == symbol && program.inputs()[a.input]->type().is(ir::Type::Kind::Tensor);
      });
      if (axis == axes.end()) continue;
      own.insert(own.end(), {count, static_cast<std::int64_t>(axis->input), static_cast<std::int64_t>(axis->axis)});
    }
    if (own.size() != 3 * symbols.size()) continue;
    triples.insert(triples.end(), own.begin(), own.end());
    ++count;
  }
  if (!triples.empty()) program.block().return_node()->set_attribute(ir::kNonemptyAxes, std::move(triples));
}

}  // namespace tonnx::program
