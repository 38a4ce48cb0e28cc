// Control flow: branches and loops that are known, and those that are not.
#include <algorithm>
#include <cstdint>
#include <limits>

#include "ir/constant_facts.h"
#include "ir/merge.h"
#include "ir/refusal.h"
#include "ir/writes.h"
#include "program/fact_inference.h"
#include "program/simplify.h"

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
  const std::string* words = node.input_count() > 0 ? ir::constant_text(node.input(0)) : nullptr;
  std::string text = "the program raises an exception on the example inputs";
  if (words && !words->empty()) text += ": " + *words;
  return refusal(node, text, ir::Code::Program);
}

}  // namespace

bool FactInference::run_block(const ir::Block& block) {
  for (Node* node : block.nodes())
    if (!visit(*node)) return false;
  return true;
}

bool FactInference::run_uncertain(const ir::Block& block) {
  try {
    return run_block(block);
  } catch (const ImpossibleTurn&) {
    return false;
  }
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

bool FactInference::visit_if(Node& node) {
  if (const auto taken = certain(node.input())) {
    const ir::Block* block = node.block(*taken ? 0 : 1);
    if (!run_block(*block)) return false;
    for (std::size_t i = 0; i < node.output_count(); ++i) record(node.output(i), of(block->outputs()[i]));
    return true;
  }
  for (const ir::Block* block : node.blocks()) forget_written_lists(*block);
  ++uncertain_;
  const bool first = run_uncertain(*node.block(0));
  forget_uncertain_writes();
  const Node* const first_raised = raised_;
  const bool second = run_uncertain(*node.block(1));
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
      Sampled alive = of(first ? a : b);
      record(out, std::move(alive));
      continue;
    }
    forget_chosen(out, of(a), of(b));
    const bool either = of(a).unreachable || of(b).unreachable;
    const bool are_new = is_only_handed_on(*a) && is_only_handed_on(*b);
    const bool is_open = !are_new && is_either(out, a, b, of(a), of(b));
    record(out, is_open ? Sampled{} : join(of(a), of(b), taken_in_samples(node.input())));
    if (either) continue;
    out->set_facts(ir::join(ir::join(a->facts(), b->facts()), out->facts()));
  }
  return true;
}

bool FactInference::same_items(const Sampled& a, const Sampled& b) {
  for (std::size_t sample = 0; sample < count_; ++sample)
    if (!is_like(*a.samples[sample], *b.samples[sample])) return false;
  return true;
}

// Whether two values are of one dtype and size, as many items or the same keys, and all that is in them is.
bool FactInference::is_like(const ir::Datum& a, const ir::Datum& b) {
  const Facts f = evaluator_.describe(a, 0), g = evaluator_.describe(b, 0);
  if (f.dtype != g.dtype || f.fixed_dims() != g.fixed_dims()) return false;
  if (f.dims) return true;
  const auto is_none = [](const Facts& facts) { return facts.constant && facts.constant->is_none(); };
  if (is_none(f) != is_none(g)) return false;
  const auto x = evaluator_.items(a), y = evaluator_.items(b);
  const auto are_like = [&](const DatumPtr& one, const DatumPtr& other) { return is_like(*one, *other); };
  if (!std::ranges::equal(x, y, are_like)) return false;
  const auto keys = evaluator_.keys(a), others = evaluator_.keys(b);
  for (std::size_t i = 0; i < keys.size() && i < others.size(); ++i) {
    const Facts key = evaluator_.describe(*keys[i]), other = evaluator_.describe(*others[i]);
    if (!key.constant || !other.constant || !same_constant(*key.constant, *other.constant)) return false;
    if (!is_like(*evaluator_.entry(a, *keys[i]), *evaluator_.entry(b, *others[i]))) return false;
  }
  return keys.size() == others.size();
}

// What is known of the content of a sample, or of an item of it, no longer is.
void FactInference::drop_content(Sampled& sampled) {
  const auto drop = [&](DatumPtr& datum) {
    const Facts facts = evaluator_.describe(*datum, std::numeric_limits<std::int64_t>::max());
    const auto sizes = facts.fixed_dims();
    if (!facts.constant || !sizes) return false;
    datum = evaluator_.meta(facts.dtype, *sizes);
    return true;
  };
  for (DatumPtr& sample : sampled.samples) {
    if (drop(sample)) continue;
    std::vector<DatumPtr> items = evaluator_.items(*sample);
    bool changed = false;
    for (DatumPtr& item : items) changed = drop(item) || changed;
    if (DatumPtr list = changed ? evaluator_.list(items) : nullptr) sample = std::move(list);
  }
}

// Whether both are lists, not of one length, whose items are tensors that all have one dtype and one shape.
bool FactInference::are_alike(const Sampled& a, const Sampled& b) {
  bool of_one_length = true, has_items = false;
  for (std::size_t sample = 0; sample < count_; ++sample) {
    auto items = evaluator_.items(*a.samples[sample]);
    const auto more = evaluator_.items(*b.samples[sample]);
    of_one_length = of_one_length && items.size() == more.size();
    items.insert(items.end(), more.begin(), more.end());
    if (items.empty()) continue;
    has_items = true;
    const Facts first = evaluator_.describe(*items.front(), 0);
    if (!first.fixed_dims()) return false;
    for (const DatumPtr& item : items) {
      const Facts facts = evaluator_.describe(*item, 0);
      if (facts.dtype != first.dtype || facts.fixed_dims() != first.fixed_dims()) return false;
    }
  }
  return has_items && !of_one_length;
}

// Of lists not of one length whose items are tensors of one dtype and rank: a list of such tensors, of any sizes where theirs
// differ. Unknown where they are none.
Sampled FactInference::join_unlike(Sampled out, const Sampled& a, const Sampled& b, const ir::Datum& other) {
  bool of_one_length = true;
  Facts first;
  std::vector<bool> differs;
  std::vector<std::vector<std::int64_t>> shown;
  for (std::size_t sample = 0; sample < count_; ++sample) {
    auto items = evaluator_.items(*a.samples[sample]);
    const auto more = evaluator_.items(*b.samples[sample]);
    of_one_length = of_one_length && items.size() == more.size();
    items.insert(items.end(), more.begin(), more.end());
    for (std::size_t i = 0; i < items.size(); ++i) {
      const Facts facts = evaluator_.describe(*items[i], 0);
      const auto sizes = facts.fixed_dims();
      if (!sizes) return {};
      if (sample == 0 && i == 0) first = facts;
      if (facts.dtype != first.dtype || sizes->size() != first.dims->size()) return {};
      if (i == 0) shown.push_back(*sizes);
      differs.resize(sizes->size(), false);
      for (std::size_t d = 0; d < sizes->size(); ++d) differs[d] = differs[d] || (*sizes)[d] != shown.back()[d];
    }
    if (items.empty()) return {};
  }
  if (of_one_length) return {};
  require_data_samples();
  Sampled item;
  for (const auto& sizes : shown) item.samples.push_back(evaluator_.meta(first.dtype, sizes));
  perturb(item, differs);
  for (std::size_t sample = 0; sample < count_; ++sample) {
    const ir::Datum& of_length = sample + 1 == count_ ? other : *out.samples[sample];
    const std::size_t length = std::max<std::size_t>(evaluator_.items(of_length).size(), 1);
    out.samples[sample] = evaluator_.list(std::vector(length, item.samples[sample]));
    if (!out.samples[sample]) return {};
  }
  out.meta = out.varies = out.depends_on_data = true;
  out.fixed_form = false;
  out.items.clear();
  return out;
}

// Whether both are tensors and not of one rank.
bool FactInference::is_open(const Facts& f, const Facts& g, const Sampled& a, const Sampled& b) const {
  if (f.dims && g.dims) return f.dims->size() != g.dims->size();
  return evaluator_.describe(*a.samples.front(), 0).dims && evaluator_.describe(*b.samples.front(), 0).dims;
}

// a, of which a data sample shows a rank of b that is another one.
Sampled FactInference::join_ranks(const Sampled& a, const Sampled& b) {
  if (!a.meta && b.meta) return join_ranks(b, a);
  require_data_samples();
  Sampled out = a;
  out.meta = out.depends_on_data = true;
  out.varies = false;
  const std::size_t rank = evaluator_.describe(*a.samples.front(), 0).dims->size();
  const auto differs = [&](const ir::DatumPtr& sample) {
    const Facts facts = evaluator_.describe(*sample, 0);
    return facts.dims && facts.dims->size() != rank;
  };
  drop_content(out);
  if (std::any_of(a.samples.begin(), a.samples.end(), differs)) return out;
  auto other = std::prev(b.samples.end());  // sizes of one sample belong together
  if (!differs(*other)) other = std::find_if(b.samples.begin(), b.samples.end(), differs);
  if (other == b.samples.end()) return {};
  out.samples.back() = *other;
  drop_content(out);
  return out;
}

// Which samples take the first branch; none where the samples do not tell the condition.
std::vector<bool> FactInference::taken_in_samples(const Value* condition) const {
  std::vector<bool> taken;
  for (const DatumPtr& sample : of(condition).samples) {
    const Facts facts = evaluator_.describe(*sample);
    const bool* value = facts.constant ? facts.constant->get<bool>() : nullptr;
    if (!value) return {};
    taken.push_back(*value);
  }
  return taken;
}

// A sample of either that is not like `shown`, of as many items or of the same content; b's first where all are.
ir::DatumPtr FactInference::another(const ir::Datum& shown, const Sampled& b, const Sampled& a) {
  const std::size_t count = evaluator_.items(shown).size();
  const Facts facts = evaluator_.describe(shown);
  const auto differs = [&](const DatumPtr& sample) {
    if (evaluator_.items(*sample).size() != count) return true;
    const Facts here = evaluator_.describe(*sample);
    return facts.constant && here.constant && !same_constant(*facts.constant, *here.constant);
  };
  for (const Sampled* side : {&b, &a}) {
    const auto found = std::find_if(side->samples.begin(), side->samples.end(), differs);
    if (found != side->samples.end()) return *found;
  }
  return b.samples.front();
}

// What is either a or b: in each sample the one that it takes, or a's where that is not told, with sizes that are not the
// same in both shown as unknown.
Sampled FactInference::join(const Sampled& a, const Sampled& b, const std::vector<bool>& takes_first) {
  if (a.unreachable || b.unreachable) return a.unreachable ? b : a;
  if (!a.known() || !b.known()) return {};
  if (!holds_never(a) && !holds_never(b)) return join_known(a, b, takes_first);
  return has_writes_ ? Sampled{} : join_known(filled(a, b), filled(b, a), takes_first);
}

Sampled FactInference::join_known(const Sampled& a, const Sampled& b, const std::vector<bool>& takes_first) {
  Sampled out = a;
  const bool has_chosen = !takes_first.empty() && (!has_writes_ || evaluator_.describe(*a.samples.front(), 0).dims);
  for (std::size_t sample = 0; has_chosen && sample < count_; ++sample)
    if (!takes_first[sample]) out.samples[sample] = b.samples[sample];
  const bool is_swapped = has_chosen && !takes_first.front();
  const DatumPtr other = another(*out.samples.front(), is_swapped ? a : b, is_swapped ? b : a);
  Sampled left = a;
  Sampled right = b;
  const Facts f = facts_of(left);
  const Facts g = facts_of(right);
  out.fixed_form = a.fixed_form && b.fixed_form;
  if (is_open(f, g, a, b)) return f.dtype == g.dtype ? join_ranks(a, b) : Sampled{};
  const bool is_container = !f.dims && !g.dims;
  if (is_container) {
    if (f.constant && g.constant && same_constant(*f.constant, *g.constant)) return out;
    const bool scalars = f.constant && g.constant && f.constant->value.index() == g.constant->value.index();
    if (!scalars && are_alike(a, b)) {
      require_data_samples();
      out.samples.back() = other;
      out.varies = out.depends_on_data = true;
      out.meta = a.meta || b.meta;
      out.items.clear();
      out.fixed_form = false;
      if (out.meta) drop_content(out);
      return out;
    }
    if (!scalars && !same_items(a, b)) return join_unlike(out, a, b, *other);
    if (!scalars && evaluator_.items(*a.samples.front()).empty()) return {};
    if (evaluator_.items(*other).size() != evaluator_.items(*out.samples.front()).size()) out.fixed_form = false;
    // Numbers: let the data samples show the other side's.
    require_data_samples();
    if (scalars || (!a.meta && !b.meta)) out.samples[count_ - 1] = other;
    out.varies = out.depends_on_data = true;
    out.meta = a.meta || b.meta;
    out.items.clear();
    if (out.meta) drop_content(out);
    return out;
  }
  if (f.dtype != g.dtype || !f.dims || !g.dims) return {};
  out.meta = a.meta || b.meta;
  out.depends_on_data = a.depends_on_data || b.depends_on_data;
  if (f.constant && g.constant && same_constant(*f.constant, *g.constant)) return out;
  if (out.meta) {
    if (!a.meta) out.samples = b.samples;  // a's content is not what the value holds
    if (!b.meta) out.samples = a.samples;
  } else {
    out.varies = out.depends_on_data = true;
    out.items.clear();
    const auto same_size = [](const ir::Dim& one, const ir::Dim& other) { return one.same(other); };
    if (std::ranges::equal(*f.dims, *g.dims, same_size)) {
      // Numbers, as that of a size: let the data samples show the other side's.
      require_data_samples();
      out.samples[count_ - 1] = other;
      return out;
    }
  }
  std::vector<bool> unknown;
  for (std::size_t d = 0; d < f.dims->size(); ++d) unknown.push_back(!(*f.dims)[d].same((*g.dims)[d]));
  perturb(out, unknown);
  return out;
}

bool FactInference::visit_loop(Node& node) {
  const ir::Block& body = *node.block(0);
  std::vector<Sampled> carried;
  for (std::size_t i = 2; i < node.input_count(); ++i) carried.push_back(of(node.input(i)));
  const auto trips = certain_integer(node.input(0));
  auto condition = certain(node.input(1));
  std::int64_t i = 0;
  for (; trips && condition && *condition && i < *trips; ++i) {
    if (i == kIterations) return loop_unknown(node, std::move(carried), i);
    record(body.inputs()[0], number(i));
    for (std::size_t k = 0; k < carried.size(); ++k) record(body.inputs()[k + 1], carried[k]);
    if (!run_block(body)) return false;
    for (std::size_t k = 0; k < carried.size(); ++k) carried[k] = of(body.outputs()[k + 1]);
    condition = certain(body.outputs()[0]);
  }
  const bool is_over = trips && i >= *trips;
  if (!is_over && (!trips || !condition)) return loop_unknown(node, std::move(carried), i);
  const auto* before = node.attribute_as<std::int64_t>(kKnownTurns);
  node.set_attribute(kKnownTurns, !before || *before == i ? i : std::int64_t{-1});
  for (std::size_t k = 0; k < carried.size(); ++k) record(node.output(k), carried[k]);
  return true;
}

// Turns of a loop, each with what the one before left; what is noted to change is shown as unknown in all of them.
std::vector<std::vector<Sampled>> FactInference::run_turns(const ir::Block& body, const std::vector<Sampled>& carried,
                                                           const std::vector<Change>& changes, std::int64_t first) {
  constexpr std::size_t kShown = 3;
  std::vector<std::vector<Sampled>> turns = {carried};
  const int outer_depth = turn_depth_;
  const bool outer_further = further_turn_;
  turn_depth_ = ++uncertain_;
  for (std::size_t turn = 0; turn < kShown; ++turn) {
    Sampled index = number(first + static_cast<std::int64_t>(turn));
    index.varies = index.depends_on_data = true;
    record(body.inputs()[0], std::move(index));
    for (std::size_t k = 0; k < carried.size(); ++k) {
      Sampled& now = turns.back()[k];
      show_change(now, changes[k], body.inputs()[k + 1]->type());
      record(body.inputs()[k + 1], now);
    }
    further_turn_ = outer_further || turn > 0;
    if (!run_uncertain(body)) break;
    std::vector<Sampled> next;
    for (std::size_t k = 0; k < carried.size(); ++k) next.push_back(of(body.outputs()[k + 1]));
    turns.push_back(std::move(next));
  }
  further_turn_ = outer_further;
  turn_depth_ = outer_depth;
  --uncertain_;
  return turns;
}

void FactInference::show_change(Sampled& sampled, const Change& change, const Type& type) {
  if (!sampled.known()) return;
  if (change.form) {
    sampled = Sampled{};
    return;
  }
  const Facts facts = facts_of(sampled);
  const bool is_tensor = facts.dims && type.is(Type::Kind::Tensor);
  if (change.value && is_tensor && !sampled.meta) {
    for (DatumPtr& sample : sampled.samples) {
      const Facts of_sample = evaluator_.describe(*sample, 0);
      if (const auto sizes = of_sample.fixed_dims()) sample = evaluator_.meta(of_sample.dtype, *sizes);
    }
    sampled.meta = true;
  } else if (change.value && !is_tensor) {
    sampled.varies = sampled.depends_on_data = true;
    sampled.items.clear();
    sampled.fixed_form = false;
  }
  if (facts.dims && facts.dims->size() == change.dims.size()) perturb(sampled, change.dims);
  if (type.is(Type::Kind::List)) show_item_changes(sampled, change);
}

// Notes how the items of two lists, or of the tuples and lists in them, differ in number and in sizes; whether that is new.
bool FactInference::note_item_changes(const Sampled& before, const Sampled& after, Change& change) {
  bool found = false;
  const auto note = [&](bool& mark) {
    found = found || !mark;
    mark = true;
  };
  for (std::size_t sample = 0; sample < count_ && !change.form; ++sample) {
    const auto old = evaluator_.items(*before.samples[sample]);
    const auto now = evaluator_.items(*after.samples[sample]);
    for (const auto& list : {before.samples[sample], after.samples[sample]})
      if (!change.filled && !evaluator_.items(*list).empty()) change.filled = list;
    if (is_data_sample(sample) && !now.empty()) {
      change.filled_by_data.resize(data_count_);
      DatumPtr& filled = change.filled_by_data[sample - (count_ - data_count_)];
      if (!filled) filled = after.samples[sample];
    }
    if (old.size() != now.size()) note(change.length);
    change.items.resize(std::max(change.items.size(), old.size()));
    for (std::size_t i = 0; i < old.size() && !now.empty(); ++i) {
      const DatumPtr& other = now[std::min(i, now.size() - 1)];
      const Facts f = evaluator_.describe(*old[i], 0), g = evaluator_.describe(*other, 0);
      if (f.dtype != g.dtype || f.dims.has_value() != g.dims.has_value() || (f.dims && f.dims->size() != g.dims->size())) {
        note(change.form);
        break;
      }
      if (!f.dims) {
        if (evaluator_.items(*old[i]).size() != evaluator_.items(*other).size()) {
          note(change.length);
        } else if (!is_like(*old[i], *other)) {
          note(change.form);
          break;
        }
        continue;
      }
      std::vector<bool>& dims = change.items[i];
      dims.resize(f.dims->size());
      for (std::size_t d = 0; d < dims.size(); ++d)
        if (!dims[d] && !(*f.dims)[d].same((*g.dims)[d])) found = dims[d] = true;
    }
  }
  return found;
}

// Lets the data samples show a list of tensors or numbers in other lengths, and tensors in other sizes, where these change.
void FactInference::show_item_changes(Sampled& list, const Change& change) {
  const bool resized = std::any_of(change.items.begin(), change.items.end(), [](const std::vector<bool>& dims) {
    return std::find(dims.begin(), dims.end(), true) != dims.end();
  });
  if (!change.length && !resized) return;
  list.varies = list.depends_on_data = true;
  list.fixed_form = false;
  list.items.clear();
  const auto is_open = [&](std::size_t item, std::size_t d) {
    const auto opens = [d](const std::vector<bool>& dims) { return d < dims.size() && dims[d]; };
    if (!change.length) return item < change.items.size() && opens(change.items[item]);
    return std::any_of(change.items.begin(), change.items.end(), opens);
  };
  const DatumPtr base = evaluator_.items(*list.samples.front()).empty() && change.filled ? change.filled : list.samples.front();
  const std::vector<DatumPtr> base_items = evaluator_.items(*base);
  for (std::size_t k = 0; k < data_count_ && !base_items.empty(); ++k) {
    DatumPtr& shown = list.samples[count_ - data_count_ + k];
    if (evaluator_.items(*shown).empty())
      shown = k < change.filled_by_data.size() && change.filled_by_data[k] ? change.filled_by_data[k] : base;
    const std::size_t count = change.length ? base_items.size() + k + 1 : base_items.size();
    const Facts facts = evaluator_.describe(*shown);
    if (const auto* numbers = facts.constant ? facts.constant->get<Constant::List>() : nullptr) {
      Constant::List other = *numbers;
      other.items.resize(count, other.items.back());
      shown = evaluator_.constant({other});
      continue;
    }
    std::vector<DatumPtr> items = evaluator_.items(*shown);
    items.resize(count, items.back());
    for (std::size_t i = 0; i < items.size(); ++i) {
      const Facts item = evaluator_.describe(*items[i], 0);
      const auto base_sizes = evaluator_.describe(*base_items[std::min(i, base_items.size() - 1)], 0).fixed_dims();
      auto sizes = item.fixed_dims();
      if (evaluator_.is_never(*items[i])) continue;
      if (!sizes || !base_sizes || base_sizes->size() != sizes->size()) break;
      if (sizes->empty()) continue;
      for (std::size_t d = 0; d < sizes->size(); ++d)
        if (is_open(i, d)) (*sizes)[d] = k == 0 ? (*base_sizes)[d] + 1 : 2 * (*base_sizes)[d] + 3;
      items[i] = evaluator_.meta(item.dtype, *sizes);
    }
    const bool are_tensors = std::all_of(items.begin(), items.end(), [&](const DatumPtr& item) {
      return evaluator_.is_never(*item) || evaluator_.describe(*item, 0).dims.has_value();
    });
    if (DatumPtr other = are_tensors ? evaluator_.list(items) : nullptr) shown = std::move(other);
  }
}

// Whether the turns show a change that is not noted yet. A chain of values handed on from one to the next is followed by
// asking again, so that no turn beyond those run can bring anything new.
bool FactInference::note_changes(const Node& loop, std::vector<std::vector<Sampled>>& turns, std::vector<Change>& changes) {
  bool found = false;
  const ir::Block& body = *loop.block(0);
  const auto note = [&](bool& mark) {
    found = found || !mark;
    mark = true;
  };
  for (std::size_t k = 0; k < changes.size(); ++k) {
    Change& change = changes[k];
    std::size_t first = 0;
    while (first + 1 < turns.size() && turns[first][k].unreachable) ++first;
    Sampled& start = turns[first][k];
    if (!start.known() || start.unreachable) continue;
    const Facts before = facts_of(start);
    if (before.dims && change.dims.empty()) change.dims.assign(before.dims->size(), false);
    for (std::size_t t = first + 1; t < turns.size(); ++t) {
      Sampled& later = turns[t][k];
      if (later.unreachable || change.form) continue;
      if (later.known() && (holds_never(start) || holds_never(later))) {
        if (has_writes_) {
          note(change.form);
          continue;
        }
        start = filled(start, later);
        later = filled(later, start);
      }
      const Facts after = facts_of(later);
      const bool same_form = later.known() && after.dtype == before.dtype && after.dims.has_value() == before.dims.has_value() &&
                             (!after.dims || after.dims->size() == before.dims->size());
      const bool is_new = is_only_handed_on(*loop.input(k + 2)) && is_only_handed_on(*body.outputs()[k + 1]);
      if (!same_form || (!is_new && is_either(body.inputs()[k + 1], loop.input(k + 2), body.outputs()[k + 1], start, later))) {
        change.dtype = later.known() && before.dims && after.dims && after.dtype != before.dtype;
        note(change.form);
        continue;
      }
      if (!before.dims && note_item_changes(start, later, change)) found = true;
      const bool same_value = before.constant && after.constant && same_constant(*before.constant, *after.constant);
      const bool shows = !start.meta && !start.varies;
      if (shows && (later.varies || later.meta || (before.constant && !same_value))) note(change.value);
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
bool FactInference::loop_unknown(Node& node, std::vector<Sampled> carried, std::int64_t first) {
  require_data_samples();
  node.set_attribute(kKnownTurns, std::int64_t{-1});
  const ir::Block& body = *node.block(0);
  forget_written_lists(body);
  for (std::size_t k = 0; k < carried.size(); ++k) {
    // A carried list the body changes in place is forgotten as well.
    const Value* inner = body.inputs()[k + 1];
    if (inner->type().is(Type::Kind::Tensor)) continue;
    const bool written = std::any_of(inner->uses().begin(), inner->uses().end(), [](const ir::Use& use) {
      return writes_argument(*use.node, use.index);
    });
    if (written || (first == 0 && !of(node.input(k + 2)).known())) carried[k] = Sampled{};
  }
  const auto forget_carried = [&](const std::vector<Sampled>& turn) {
    for (std::size_t k = 0; k < turn.size(); ++k)
      if (body.inputs()[k + 1] != body.outputs()[k + 1]) forget_chosen(body.inputs()[k + 1], turn[k], Sampled{});
  };
  forget_carried(carried);
  std::vector<Change> changes(carried.size());
  std::vector<std::vector<Sampled>> turns;
  const auto spoiled = [&] { return spoiled_.size() + spoiled_entries_.size(); };
  const std::size_t before = spoiled();
  bool has_written = false;
  bool again = true;
  while (again) {
    const std::size_t settings = open_settings_.size();
    turns = run_turns(body, carried, changes, first);
    forget_uncertain_writes();
    again = note_changes(node, turns, changes) || open_settings_.size() > settings;
    if (begin_with_reached(carried, turns)) again = true;
    // What a turn writes to under another name is written to when the next one begins.
    if (!has_written && spoiled() > before) {
      has_written = again = true;
      for (Sampled& sampled : carried) spoil(sampled);
    }
  }
  for (const auto& turn : turns) forget_carried(turn);
  node.remove_attribute(kDtypeChanges);
  if (std::any_of(changes.begin(), changes.end(), [](const Change& change) { return change.dtype; }))
    node.set_attribute(kDtypeChanges, std::int64_t{1});
  for (std::size_t k = 0; k < carried.size(); ++k) {
    // A turn that no run ends hands on nothing; what came in comes out where there is none.
    std::size_t last = turns.size() - 1;
    while (last > 0 && turns[last][k].unreachable) --last;
    Sampled out = turns[last][k];
    if (out.unreachable) {
      record(node.output(k), std::move(out));
      continue;
    }
    bool known = true;
    for (auto& turn : turns) {
      if (turn[k].unreachable) turn[k] = out;
      known = known && turn[k].known();
      if (known && has_never_) out = filled(std::move(out), turn[k]);
    }
    if (!known) {
      record(node.output(k), Sampled{});
      continue;
    }
    Facts facts = facts_of(out);
    const bool is_of_open_rank = !facts.dims && node.output(k)->type().is(Type::Kind::Tensor);
    if (is_of_open_rank || (facts.dims && !facts.dims->empty())) {
      for (const auto& turn : turns) {
        if (!out.known()) break;
        out = join(out, turn[k]);
      }
    } else {
      // Numbers and lists: each data sample sees another number of turns.
      bool equal = facts.constant != nullptr;
      for (const auto& turn : turns) {
        Sampled other = turn[k];
        const Facts f = facts_of(other);
        if (f.dtype != facts.dtype || f.dims.has_value() != facts.dims.has_value()) known = false;
        equal = equal && f.constant && same_constant(*f.constant, *facts.constant);
      }
      if (!known) {
        record(node.output(k), Sampled{});
        continue;
      }
      if (!equal && !(facts.dims && out.meta)) {
        out.varies = out.depends_on_data = true;
        out.items.clear();
        out.fixed_form = false;
        show_item_changes(out, changes[k]);
        const bool shown = changes[k].length || !changes[k].items.empty();
        for (std::size_t d = 0; d < data_count_ && !shown; ++d) {
          const std::size_t turn = d == 0 ? 0 : turns.size() / 2;
          out.samples[count_ - data_count_ + d] = turns[turn][k].samples.front();
        }
      }
    }
    record(node.output(k), std::move(out));
  }
  return true;
}

}  // namespace tonnx::program
