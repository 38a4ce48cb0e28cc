// Control flow in a walk: branches and loops that are known, and those that are not.
#include <algorithm>

#include "ir/constant_facts.h"
#include "ir/merge.h"
#include "program/place.h"
#include "program/walk.h"

namespace tonnx::program {

using ir::Constant;
using ir::DatumPtr;
using ir::Facts;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

constexpr std::int64_t kIterations = 4096;  // a loop of known length is followed this far

ir::Error raises(const Node& node) {
  const Constant* constant = node.input_count() > 0 ? node.input(0)->constant() : nullptr;
  const auto* words = constant ? constant->get<std::string>() : nullptr;
  std::string text = "the program raises an exception on the example inputs";
  if (words && !words->empty()) text += ": " + *words;
  return refusal(node, text, ir::Code::Program);
}

}  // namespace

bool Walk::run_block(const ir::Block& block) {
  for (Node* node : block.nodes())
    if (!visit(*node)) return false;
  return true;
}

bool Walk::visit(Node& node) {
  if (node.is("prim::Constant")) {
    const Constant* constant = node.output()->constant();
    if (constant) {
      env_[node.output()] = constant_entry(*constant);
    } else {
      env_[node.output()] = Entry{};
    }
    return true;
  }
  if (node.is("prim::Uninitialized")) {
    for (const Value* out : node.outputs()) env_[out].never = true;
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

void Walk::forget_written_lists(const ir::Block& block) {
  for_each_node(block, [&](Node* node) {
    for (std::size_t i = 0; i < node->input_count(); ++i) {
      if (!writes_argument(*node, i)) continue;
      const Type::Kind kind = node->input(i)->type().kind;
      if (kind == Type::Kind::List || kind == Type::Kind::Dict) env_[node->input(i)] = Entry{};
    }
  });
}

bool Walk::visit_if(Node& node) {
  if (const auto taken = certain(node.input())) {
    const ir::Block* block = node.block(*taken ? 0 : 1);
    if (!run_block(*block)) return false;
    for (std::size_t i = 0; i < node.output_count(); ++i) record(node.output(i), entry(block->outputs()[i]));
    return true;
  }
  for (const ir::Block* block : node.blocks()) forget_written_lists(*block);
  ++uncertain_;
  const bool first = run_block(*node.block(0));
  forget_uncertain_writes();
  const Node* const first_raised = raised_;
  const bool second = run_block(*node.block(1));
  forget_uncertain_writes();
  --uncertain_;
  if (!first && !second) {
    if (uncertain_ == 0)
      throw refusal(node, "both branches of the condition raise an exception", ir::Code::Program);
    return false;
  }
  const auto taken = on_example(node.input());
  if (uncertain_ == 0 && taken && !(*taken ? first : second)) throw raises(*taken ? *first_raised : *raised_);
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    const Value* a = node.block(0)->outputs()[i];
    const Value* b = node.block(1)->outputs()[i];
    Value* out = node.output(i);
    if (!first || !second) {
      Entry alive = entry(first ? a : b);
      record(out, std::move(alive));
      continue;
    }
    const bool either = entry(a).never || entry(b).never;
    record(out, join(entry(a), entry(b)));
    if (either) continue;
    out->set_facts(ir::join(ir::join(a->facts(), b->facts()), out->facts()));
  }
  return true;
}

bool Walk::same_items(const Entry& a, const Entry& b) {
  for (std::size_t lane = 0; lane < lanes_; ++lane) {
    const auto x = evaluator_.items(*a.lanes[lane]);
    const auto y = evaluator_.items(*b.lanes[lane]);
    if (x.size() != y.size()) return false;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Facts f = evaluator_.describe(*x[i], 0);
      const Facts g = evaluator_.describe(*y[i], 0);
      if (f.dtype != g.dtype || f.fixed_dims() != g.fixed_dims()) return false;
    }
  }
  return true;
}

// What is either a or b: a's lanes, with sizes that are not the same in both shown as unknown.
Entry Walk::join(const Entry& a, const Entry& b) {
  if (a.never || b.never) return a.never ? b : a;
  if (!a.known() || !b.known()) return {};
  Entry out = a;
  Entry left = a;
  Entry right = b;
  const Facts f = facts_of(left);
  const Facts g = facts_of(right);
  const bool is_container = !f.dims && !g.dims;
  if (is_container) {
    if (f.constant && g.constant && same_constant(*f.constant, *g.constant)) return out;
    const bool scalars = f.constant && g.constant && f.constant->value.index() == g.constant->value.index();
    if (!scalars && !same_items(a, b)) return {};
    if (!scalars && evaluator_.items(*a.lanes.front()).empty()) return {};
    if (scalars) {
      // Numbers: let the data lanes show the other side's.
      require_data_lanes();
      out.lanes[lanes_ - 1] = b.lanes.front();
    }
    out.tainted = out.data = true;
    out.meta = a.meta || b.meta;
    out.items.clear();
    return out;
  }
  if (f.dtype != g.dtype || !f.dims || !g.dims || f.dims->size() != g.dims->size()) return {};
  out.meta = a.meta || b.meta;
  out.data = a.data || b.data;
  if (f.constant && g.constant && same_constant(*f.constant, *g.constant)) return out;
  if (!out.meta) {
    out.tainted = out.data = true;
    out.items.clear();
    if (f.dims->empty()) {
      // A number: let the data lanes show the other side's.
      require_data_lanes();
      out.lanes[lanes_ - 1] = b.lanes.front();
      return out;
    }
  }
  std::vector<bool> unknown;
  for (std::size_t d = 0; d < f.dims->size(); ++d) unknown.push_back(!(*f.dims)[d].same((*g.dims)[d]));
  perturb(out, unknown);
  return out;
}

bool Walk::visit_loop(Node& node) {
  const ir::Block& body = *node.block(0);
  std::vector<Entry> carried;
  for (std::size_t i = 2; i < node.input_count(); ++i) carried.push_back(entry(node.input(i)));
  const auto trips = certain_integer(node.input(0));
  auto condition = certain(node.input(1));
  std::int64_t i = 0;
  for (; trips && condition && *condition && i < *trips; ++i) {
    if (i == kIterations) return loop_unknown(node, std::move(carried), i);
    record(body.inputs()[0], number(i));
    for (std::size_t k = 0; k < carried.size(); ++k) record(body.inputs()[k + 1], carried[k]);
    if (!run_block(body)) return false;
    for (std::size_t k = 0; k < carried.size(); ++k) carried[k] = entry(body.outputs()[k + 1]);
    condition = certain(body.outputs()[0]);
  }
  if (!trips || !condition) return loop_unknown(node, std::move(carried), i);
  for (std::size_t k = 0; k < carried.size(); ++k) record(node.output(k), carried[k]);
  return true;
}

// Turns of a loop, each with what the one before left; what is noted to change is shown as unknown in all of them.
std::vector<std::vector<Entry>> Walk::run_turns(const ir::Block& body, const std::vector<Entry>& carried,
                                                const std::vector<Change>& changes, std::int64_t first) {
  constexpr std::size_t kTurns = 3;
  std::vector<std::vector<Entry>> turns = {carried};
  const int outer_turn = turn_depth_;
  ++uncertain_;
  for (std::size_t turn = 0; turn < kTurns; ++turn) {
    Entry index = number(first + static_cast<std::int64_t>(turn));
    index.tainted = index.data = true;
    record(body.inputs()[0], std::move(index));
    for (std::size_t k = 0; k < carried.size(); ++k) {
      Entry& now = turns.back()[k];
      show_change(now, changes[k], body.inputs()[k + 1]->type());
      record(body.inputs()[k + 1], now);
    }
    turn_depth_ = turn > 0 ? uncertain_ : 0;
    try {
      if (!run_block(body)) break;
    } catch (const ImpossibleTurn&) {
      break;
    }
    std::vector<Entry> next;
    for (std::size_t k = 0; k < carried.size(); ++k) next.push_back(entry(body.outputs()[k + 1]));
    turns.push_back(std::move(next));
  }
  turn_depth_ = outer_turn;
  --uncertain_;
  return turns;
}

void Walk::show_change(Entry& entry, const Change& change, const Type& type) {
  if (!entry.known()) return;
  if (change.form) {
    entry = Entry{};
    return;
  }
  const Facts facts = facts_of(entry);
  const bool is_tensor = facts.dims && type.is(Type::Kind::Tensor);
  if (change.value && is_tensor && !entry.meta) {
    for (DatumPtr& lane : entry.lanes) {
      const Facts of_lane = evaluator_.describe(*lane, 0);
      if (const auto sizes = of_lane.fixed_dims()) lane = evaluator_.meta(of_lane.dtype, *sizes);
    }
    entry.meta = true;
  } else if (change.value && !is_tensor) {
    entry.tainted = entry.data = true;
    entry.items.clear();
  }
  if (facts.dims && facts.dims->size() == change.dims.size()) perturb(entry, change.dims);
}

// Whether the turns show a change that is not noted yet. A chain of values handed on from one to the next is followed by
// asking again, so that no turn beyond those run can bring anything new.
bool Walk::note_changes(std::vector<std::vector<Entry>>& turns, std::vector<Change>& changes) {
  bool found = false;
  const auto note = [&](bool& mark) {
    found = found || !mark;
    mark = true;
  };
  for (std::size_t k = 0; k < changes.size(); ++k) {
    Change& change = changes[k];
    Entry& start = turns.front()[k];
    if (!start.known() || start.never) continue;
    const Facts before = facts_of(start);
    if (before.dims && change.dims.empty()) change.dims.assign(before.dims->size(), false);
    for (std::size_t t = 1; t < turns.size(); ++t) {
      Entry& later = turns[t][k];
      if (later.never || change.form) continue;
      const Facts after = facts_of(later);
      const bool same_form = later.known() && after.dtype == before.dtype && after.dims.has_value() == before.dims.has_value() &&
                             (!after.dims || after.dims->size() == before.dims->size());
      if (!same_form) {
        note(change.form);
        continue;
      }
      const bool same_value = before.constant && after.constant && same_constant(*before.constant, *after.constant);
      const bool shows = !start.meta && !start.tainted;
      if (shows && (later.tainted || later.meta || (before.constant && !same_value))) note(change.value);
      for (std::size_t d = 0; after.dims && d < change.dims.size(); ++d)
        if (!change.dims[d] && !(*before.dims)[d].is_unknown() && !(*after.dims)[d].same((*before.dims)[d])) {
          found = true;
          change.dims[d] = true;
        }
    }
  }
  return found;
}

// The rest of a loop whose end is not known.
bool Walk::loop_unknown(Node& node, std::vector<Entry> carried, std::int64_t first) {
  require_data_lanes();
  const ir::Block& body = *node.block(0);
  forget_written_lists(body);
  for (std::size_t k = 0; k < carried.size(); ++k) {
    // A carried list the body changes in place is forgotten as well.
    const Value* inner = body.inputs()[k + 1];
    if (inner->type().is(Type::Kind::Tensor)) continue;
    const bool written = std::any_of(inner->uses().begin(), inner->uses().end(), [](const ir::Use& use) {
      return writes_argument(*use.node, use.index);
    });
    if (written || (first == 0 && !entry(node.input(k + 2)).known())) carried[k] = Entry{};
  }
  std::vector<Change> changes(carried.size());
  std::vector<std::vector<Entry>> turns;
  do {
    turns = run_turns(body, carried, changes, first);
    forget_uncertain_writes();
  } while (note_changes(turns, changes));
  for (std::size_t k = 0; k < carried.size(); ++k) {
    Entry out = turns.back()[k];
    if (out.never) {
      record(node.output(k), std::move(out));
      continue;
    }
    bool known = true;
    for (auto& turn : turns) {
      if (turn[k].never) turn[k] = out;
      known = known && turn[k].known();
    }
    if (!known) {
      record(node.output(k), Entry{});
      continue;
    }
    Facts facts = facts_of(out);
    if (facts.dims && !facts.dims->empty()) {
      for (const auto& turn : turns) {
        if (!out.known()) break;
        out = join(out, turn[k]);
      }
    } else {
      // Numbers and lists: each data lane sees another number of turns.
      bool equal = facts.constant != nullptr;
      for (const auto& turn : turns) {
        Entry other = turn[k];
        const Facts f = facts_of(other);
        if (f.dtype != facts.dtype || f.dims.has_value() != facts.dims.has_value()) known = false;
        equal = equal && f.constant && same_constant(*f.constant, *facts.constant);
      }
      if (!known) {
        record(node.output(k), Entry{});
        continue;
      }
      if (!equal && !(facts.dims && out.meta)) {
        out.tainted = out.data = true;
        out.items.clear();
        for (std::size_t d = 0; d < data_lanes_; ++d) {
          const std::size_t turn = d == 0 ? 0 : turns.size() / 2;
          out.lanes[lanes_ - data_lanes_ + d] = turns[turn][k].lanes.front();
        }
      }
    }
    record(node.output(k), std::move(out));
  }
  return true;
}

}  // namespace tonnx::program
