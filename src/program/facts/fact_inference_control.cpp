// Evaluates blocks and branches. If a condition is dynamic, both branches are evaluated and their results joined.
#include <algorithm>
#include <string>

#include "ir/constant_facts.h"
#include "ir/merge.h"
#include "ir/observer.h"
#include "ir/refusal.h"
#include "ir/writes.h"
#include "program/control/raising.h"
#include "program/facts/fact_inference.h"

namespace tonnx::program {

using ir::Constant;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

ir::Error raises(const Node& node) {
  std::string reason = "the program raises an exception on the example inputs";
  if (const std::string message = message_raised(node); !message.empty()) reason += ": " + message;
  return refusal(node, reason + "; use example inputs on which it runs", ir::Code::Program);
}

}  // namespace

// Runs a branch. A condition on sizes alone excludes the samples that take the other branch.
std::pair<bool, const Node*> FactInference::run_branch(const Node& node, std::size_t side) {
  const Reach reach(*this);
  if (!of(node.input()).depends_on_data) {
    const std::vector<bool> taken = taken_in_samples(node.input());
    for (std::size_t sample = 0; sample < taken.size(); ++sample)
      if (taken[sample] != (side == 0)) unreached_[sample] = true;
  }
  return run_branch(*node.block(side));
}

// Notes a sample at which a node fails and whose sizes may reach it. In a loop only the first iteration counts.
void FactInference::note_inside(const Node& node, std::size_t sample, const std::string& message) {
  if (further_turn_ || sample == 0 || is_data_sample(sample) || unreached_[sample]) return;
  const auto has_node = [&](const SampleFailure& failure) { return failure.node == &node; };
  auto found = std::ranges::find_if(failures_inside_, has_node);
  if (found == failures_inside_.end()) found = failures_inside_.insert(found, {&node, {}, message});
  if (std::ranges::find(found->samples, sample) == found->samples.end()) found->samples.push_back(sample);
}

bool FactInference::run_block(const ir::Block& block) {
  for (Node* node : block.nodes())
    if (ir::checkpoint(); !visit(*node)) return false;
  return true;
}

bool FactInference::run_uncertain(const ir::Block& block) {
  try {
    return run_block(block);
  } catch (const ImpossibleTurn&) {
    return false;
  }
}

// Returns whether the branch completes, and the node that raises if not; null if an operator cannot run in it.
std::pair<bool, const Node*> FactInference::run_branch(const ir::Block& block) {
  raised_ = nullptr;
  const bool completes = run_uncertain(block);
  forget_uncertain_writes();
  return {completes, completes ? nullptr : raised_};
}

bool FactInference::visit(Node& node) {
  if (node.is("prim::Constant")) {
    const Constant* constant = node.output()->constant();
    if (constant) {
      values_[node.output()] = constant_samples(*constant);
    } else {
      values_[node.output()] = Sampled{};
    }
    return true;
  }
  if (node.is("prim::Uninitialized")) {
    for (const Value* out : node.outputs()) values_[out].unreachable = true;
    return true;
  }
  if (node.is("prim::If")) return visit_if(node);
  if (node.is("prim::Loop")) return visit_loop(node);
  if (node.is("prim::RaiseException")) {
    if (uncertain_ == 0) throw raises(node);
    raised_ = &node;
    return false;
  }
  evaluate(node);
  return true;
}

void FactInference::forget_written_lists(const ir::Block& block) {
  for_each_node(block, [&](Node* node) {
    for (std::size_t i = 0; i < node->input_count(); ++i) {
      if (!writes_argument(*node, i)) continue;
      const Type::Kind kind = node->input(i)->type().kind;
      if (kind != Type::Kind::List && kind != Type::Kind::Dict) continue;
      if (!sets_entry(*node)) spoil_whole(node->input(i));
    }
  });
}

// Excludes the samples whose sizes make the program raise. `alive` is the value of the condition in the others.
void FactInference::note_raise(const Node& node, bool alive, const Node& raise) {
  const Value* condition = node.input();
  if (of(condition).depends_on_data) {
    if (std::ranges::find(raised_on_data_, &raise) == raised_on_data_.end()) raised_on_data_.push_back(&raise);
    return;
  }
  const std::vector<bool> taken = taken_in_samples(condition);
  if (uncertain_ > 0) {
    for (std::size_t sample = 1; sample < taken.size(); ++sample) {
      if (taken[sample] == alive) continue;
      note_inside(raise, sample, message_raised(raise));
      unreached_[sample] = true;  // for the nodes that follow
    }
    return;
  }
  std::vector<std::size_t> failed;
  for (std::size_t sample = 1; sample < taken.size() && !is_data_sample(sample); ++sample)
    if (taken[sample] != alive) failed.push_back(sample);
  if (!failed.empty()) throw SampleFailure{&raise, failed, message_raised(raise)};
  if (thresholds_) note_condition(*condition);
}

bool FactInference::visit_if(Node& node) {
  if (const auto taken = certain(node.input())) {
    const ir::Block* block = node.block(*taken ? 0 : 1);
    if (!run_block(*block)) return false;
    for (std::size_t i = 0; i < node.output_count(); ++i) record(node.output(i), of(block->outputs()[i]));
    return true;
  }
  for (const ir::Block* block : node.blocks()) forget_written_lists(*block);
  ++uncertain_;
  const auto [first, first_raised] = run_branch(node, 0);
  const auto [second, second_raised] = run_branch(node, 1);
  raised_ = second_raised ? second_raised : first_raised;
  --uncertain_;
  if (!first && !second) {
    if (uncertain_ == 0) throw refusal(node, "both branches of the condition raise an exception", ir::Code::Program);
    return false;
  }
  const auto taken = on_example(node.input());
  if (uncertain_ == 0 && taken && !(*taken ? first : second)) throw raises(raised_ ? *raised_ : node);
  if (first != second && raised_) note_raise(node, first, *raised_);
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    const Value* a = node.block(0)->outputs()[i];
    const Value* b = node.block(1)->outputs()[i];
    Value* out = node.output(i);
    if (!first || !second) {
      Sampled alive = of(first ? a : b);
      record(out, std::move(alive));
      continue;
    }
    forget_chosen(out, of(a), of(b));
    const bool is_undefined = of(a).unreachable || of(b).unreachable;
    const bool are_fresh = is_only_handed_on(*a) && is_only_handed_on(*b);
    const bool is_open = !are_fresh && is_either(out, a, b, of(a), of(b));
    record(out, is_open ? unknown_of(std::vector{of(a), of(b)}) : join(of(a), of(b), taken_in_samples(node.input())));
    if (is_undefined) continue;
    if (claims_choice(*a, *b, of(out))) note_condition(*node.input());
    out->set_facts(ir::join(ir::join(a->facts(), b->facts()), out->facts()));
  }
  return true;
}

}  // namespace tonnx::program
