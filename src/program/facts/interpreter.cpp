// Evaluates blocks and branches. If a condition is dynamic, both branches are evaluated and their results joined.
#include "program/facts/interpreter.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "ir/error.h"
#include "ir/merge.h"
#include "ir/observer.h"
#include "ir/refusal.h"
#include "ir/writes.h"
#include "program/control/raising.h"

namespace tonnx::program {

using ir::Constant;
using ir::DatumPtr;
using ir::Dim;
using ir::Facts;
using ir::Node;
using ir::Type;
using ir::Value;

Interpreter::Interpreter(const ir::Graph& graph, ir::Evaluator& evaluator, SymbolTable table, std::size_t data_samples,
                         const std::vector<InputAxis>& open, std::span<const Constant> examples,
                         const ir::ValueTable<Facts>& imported, Thresholds* thresholds)
    : graph_(graph),
      evaluator_(evaluator),
      open_(open),
      has_writes_(ir::has_writes(graph)),
      lattice_(evaluator, std::move(table), data_samples, open, has_writes_),
      state_(lattice_, evaluator, imported),
      heap_(graph, evaluator, lattice_, state_, has_writes_),
      sampler_(evaluator, lattice_, state_, open, examples, has_writes_),
      lists_(evaluator, lattice_, state_),
      decisions_(evaluator, lattice_, state_, thresholds),
      count_(lattice_.count()),
      data_count_(data_samples) {}

InferredFacts Interpreter::run() {
  const auto begin = [&](const Value* value) { state_.found.values[value].dtype = state_.imported.at(value).dtype; };
  for_each_node(graph_.block(), [&](const Node* node) {
    if (!node->is("prim::Constant")) std::ranges::for_each(node->outputs(), begin);
    for (const ir::Block* block : node->blocks()) std::ranges::for_each(block->inputs(), begin);
  });
  for (const Value* weight : graph_.weights()) {
    Sampled sampled;
    sampled.samples.assign(count_, evaluator_.meta(*weight->weight()));
    sampled.meta = true;
    state_.record(weight, std::move(sampled));
  }
  const auto inputs = graph_.inputs();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    state_.record(inputs[i], sampler_.input_samples(i, *inputs[i]));
    if (!inputs[i]->type().is_tensor_list()) continue;
    Facts of_items = state_.imported.at(inputs[i]);
    for (const InputAxis& axis : open_)
      if (axis.input == i) (*of_items.dims)[axis.axis] = Dim(axis.size());
    state_.found.values[inputs[i]] = std::move(of_items);
  }
  if (!run_block(graph_.block()))
    throw ir::Error(ir::Code::Program, "the program always raises an exception on the example inputs");
  note_ranks();
  note_item_counts();
  note_unreached();
  return std::move(state_.found);
}

void Interpreter::note_unreached() {
  for_each_node(graph_.block(), [&](const Node* node) {
    const auto is_unreached = [&](const Value* out) { return state_.of(out).unreachable && !state_.is_recorded(*out); };
    if (node->output_count() > 0 && std::ranges::all_of(node->outputs(), is_unreached))
      state_.found.marks.unreached.insert(*node->output(0));
  });
}

std::set<const Value*> Interpreter::needed_undefined() const {
  std::set<const Value*> needed;
  const auto add = [&](const Value* value) {
    if (value && state_.of(value).unreachable) needed.insert(value);
  };
  std::ranges::for_each(graph_.outputs(), add);
  for (const Node* node : graph_.block().nodes())
    if (node->blocks().empty()) std::ranges::for_each(node->inputs(), add);
  return needed;
}

void Interpreter::note_ranks() {
  for (const Value* out : graph_.outputs()) {
    const Sampled& sampled = state_.of(out);
    std::set<std::int64_t> found;
    for (const DatumPtr& sample : sampled.samples) {
      const Facts facts = evaluator_.describe(*sample, 0);
      found.insert(facts.dims ? facts.rank() : -1);
    }
    state_.found.output_ranks.push_back(found.size() == 1 ? *found.begin() : -1);
  }
}

void Interpreter::note_item_counts() {
  for (const Value* out : graph_.outputs())
    if (out->type().is(Type::Kind::List)) state_.found.marks.item_counts[out] = returned_count(*out);
}

// The length of a list if it is the same in every run, or -1. An operator that returns an item per item of a list keeps
// its length.
std::int64_t Interpreter::returned_count(const Value& list) const {
  const auto count_of = [&](const Value& value) -> std::int64_t {
    const Sampled& sampled = state_.of(&value);
    if (!sampled.known()) return -1;
    const std::size_t count = evaluator_.count(*sampled.samples.front());
    const bool same =
        std::ranges::all_of(sampled.samples, [&](const auto& s) { return evaluator_.count(*s) == count; });
    return same ? static_cast<std::int64_t>(count) : -1;
  };
  const std::int64_t count = count_of(list);
  if (count < 0 || heap_.has_fixed_form(list.type(), state_.of(&list))) return count;
  const Node& node = *list.node();
  const Value* given = node.input_count() > 0 ? node.input(0) : nullptr;
  const bool is_mapped = given && given->type().is_tensor_list() &&
                         heap_.has_fixed_form(given->type(), state_.of(given)) && count_of(*given) == count;
  return is_mapped ? count : -1;
}

bool Interpreter::run_block(const ir::Block& block) {
  for (Node* node : block.nodes())
    if (ir::checkpoint(); !visit(*node)) return false;
  return true;
}

bool Interpreter::run_uncertain(const ir::Block& block) {
  try {
    return run_block(block);
  } catch (const ImpossibleIteration&) {
    return false;
  }
}

namespace {

ir::Error raises(const Node& node) {
  std::string reason = "the program raises an exception on the example inputs";
  if (const std::string message = message_raised(node); !message.empty()) reason += ": " + message;
  return refusal(node, reason + "; use example inputs on which it runs", ir::Code::Program);
}

}  // namespace

// Runs a branch. A condition on sizes alone excludes the samples that take the other branch.
std::pair<bool, const Node*> Interpreter::run_branch(const Node& node, std::size_t side) {
  const AbstractState::Reach reach(state_);
  if (!state_.of(node.input()).depends_on_data) {
    const std::vector<bool> taken = state_.taken_in_samples(node.input());
    for (std::size_t sample = 0; sample < taken.size(); ++sample)
      if (taken[sample] != (side == 0)) state_.unreached[sample] = true;
  }
  return run_branch(*node.block(side));
}

// Returns whether the branch completes, and the node that raises if not; null if an operator cannot run in it.
std::pair<bool, const Node*> Interpreter::run_branch(const ir::Block& block) {
  raised_ = nullptr;
  const bool completes = run_uncertain(block);
  heap_.invalidate_uncertain_writes();
  return {completes, completes ? nullptr : raised_};
}

bool Interpreter::visit(const Node& node) {
  last_ = &node;
  if (node.is("prim::Constant")) {
    const Constant* constant = node.output()->constant();
    state_.values[node.output()] = constant ? lattice_.constant_samples(*constant) : Sampled{};
    return true;
  }
  if (node.is("prim::Uninitialized")) {
    for (const Value* out : node.outputs()) state_.values[out].unreachable = true;
    return true;
  }
  if (node.is("prim::If")) return visit_if(node);
  if (node.is("prim::Loop")) return visit_loop(node);
  if (node.is("prim::RaiseException")) {
    if (state_.uncertain == 0) throw raises(node);
    raised_ = &node;
    return false;
  }
  evaluate(node);
  return true;
}

// Excludes the samples whose sizes make the program raise. `alive` is the value of the condition in the others.
void Interpreter::note_raise(const Node& node, bool alive, const Node& raise) {
  const Value* condition = node.input();
  if (state_.of(condition).depends_on_data) {
    if (std::ranges::find(raised_on_data_, &raise) == raised_on_data_.end()) raised_on_data_.push_back(&raise);
    return;
  }
  const std::vector<bool> taken = state_.taken_in_samples(condition);
  if (state_.uncertain > 0) {
    for (std::size_t sample = 1; sample < taken.size(); ++sample) {
      if (taken[sample] == alive) continue;
      state_.note_inside(raise, sample, message_raised(raise));
      state_.unreached[sample] = true;  // for the nodes that follow
    }
    return;
  }
  std::vector<std::size_t> failed;
  for (std::size_t sample = 1; sample < taken.size() && !lattice_.is_data_sample(sample); ++sample)
    if (taken[sample] != alive) failed.push_back(sample);
  if (!failed.empty()) throw SampleFailure{&raise, failed, message_raised(raise)};
  decisions_.note_condition(*condition);
}

bool Interpreter::visit_if(const Node& node) {
  if (const auto taken = state_.certain(node.input())) {
    const ir::Block* block = node.block(*taken ? 0 : 1);
    if (!run_block(*block)) return false;
    for (std::size_t i = 0; i < node.output_count(); ++i) state_.record(node.output(i), state_.of(block->outputs()[i]));
    return true;
  }
  for (const ir::Block* block : node.blocks()) heap_.invalidate_written_containers(*block);
  ++state_.uncertain;
  const auto [first, first_raised] = run_branch(node, 0);
  const auto [second, second_raised] = run_branch(node, 1);
  raised_ = second_raised ? second_raised : first_raised;
  --state_.uncertain;
  if (!first && !second) {
    if (state_.uncertain == 0)
      throw refusal(node, "both branches of the condition raise an exception", ir::Code::Program);
    return false;
  }
  const auto taken = state_.on_example(node.input());
  if (state_.uncertain == 0 && taken && !(*taken ? first : second)) throw raises(raised_ ? *raised_ : node);
  if (first != second && raised_) note_raise(node, first, *raised_);
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    const Value* a = node.block(0)->outputs()[i];
    const Value* b = node.block(1)->outputs()[i];
    const Value* out = node.output(i);
    if (!first || !second) {
      Sampled alive = state_.of(first ? a : b);
      state_.record(out, std::move(alive));
      continue;
    }
    heap_.drop_content_of_phi(out, state_.of(a), state_.of(b));
    const bool is_undefined = state_.of(a).unreachable || state_.of(b).unreachable;
    const bool are_fresh = is_only_passed_through(*a) && is_only_passed_through(*b);
    const bool is_open = !are_fresh && heap_.is_either(out, a, b, state_.of(a), state_.of(b));
    state_.record(out, is_open ? lattice_.unknown_of(std::vector{state_.of(a), state_.of(b)})
                               : lattice_.join(state_.of(a), state_.of(b), state_.taken_in_samples(node.input())));
    if (is_undefined) continue;
    if (decisions_.claims_choice(*a, *b, state_.of(out))) decisions_.note_condition(*node.input());
    state_.found.values[out] = ir::join(ir::join(state_.known.of(a), state_.known.of(b)), state_.known.of(out));
  }
  return true;
}

}  // namespace tonnx::program
