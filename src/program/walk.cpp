#include "program/walk.h"

#include <algorithm>
#include <limits>

#include "program/place.h"

namespace tonnx::program {

using ir::Constant;
using ir::DatumPtr;
using ir::Dim;
using ir::DType;
using ir::Facts;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

constexpr std::int64_t kIterations = 4096;  // a loop of known length is followed this far

const std::unordered_set<std::string_view> kMayAlias = {
    "aten::reshape",     "aten::reshape_as",   "aten::flatten",     "aten::contiguous", "aten::to",
    "aten::type_as",     "aten::dropout",      "aten::alpha_dropout", "aten::feature_dropout",
    "aten::feature_alpha_dropout", "aten::unflatten", "aten::ravel", "aten::expand_as", "aten::atleast_1d",
    "aten::atleast_2d",  "aten::atleast_3d",   "aten::resolve_conj", "aten::resolve_neg", "aten::positive",
    "aten::real",        "aten::conj",         "aten::cpu",         "aten::float",      "aten::_reshape_alias"};

// True for operators whose result's elements are random or undefined: they have sizes, but no value.
bool has_no_value(const Node& node) {
  static const std::string_view prefixes[] = {"rand",        "normal",    "bernoulli", "uniform",    "multinomial",
                                              "empty",       "new_empty", "poisson",   "exponential", "geometric",
                                              "cauchy",      "log_normal", "rrelu"};
  return node.domain() == "aten" && std::any_of(std::begin(prefixes), std::end(prefixes), [&](std::string_view p) {
           return node.op().starts_with(p);
         });
}

}  // namespace

bool same_constant(const Constant& a, const Constant& b) {
  if (a.value.index() != b.value.index()) return false;
  if (const auto* t = a.get<ir::Tensor>()) {
    const auto* u = b.get<ir::Tensor>();
    return t->same_view(*u) || (t->storage && u->storage && t->equals(*u));
  }
  const auto same_all = [](const std::vector<Constant>& x, const std::vector<Constant>& y) {
    return x.size() == y.size() && std::equal(x.begin(), x.end(), y.begin(), same_constant);
  };
  if (const auto* l = a.get<Constant::List>()) return same_all(l->items, b.get<Constant::List>()->items);
  if (const auto* l = a.get<Constant::Tuple>()) return same_all(l->items, b.get<Constant::Tuple>()->items);
  if (const auto* d = a.get<Constant::Dict>()) {
    const auto& x = d->items;
    const auto& y = b.get<Constant::Dict>()->items;
    return x.size() == y.size() && std::equal(x.begin(), x.end(), y.begin(), [](const auto& p, const auto& q) {
      return same_constant(p.first, q.first) && same_constant(p.second, q.second);
    });
  }
  if (const auto* d = a.get<Constant::Device>()) return d->name == b.get<Constant::Device>()->name;
  if (const auto* v = a.get<bool>()) return *v == *b.get<bool>();
  if (const auto* v = a.get<std::int64_t>()) return *v == *b.get<std::int64_t>();
  if (const auto* v = a.get<double>()) return *v == *b.get<double>() || (*v != *v && *b.get<double>() != *b.get<double>());
  if (const auto* v = a.get<std::complex<double>>()) return *v == *b.get<std::complex<double>>();
  if (const auto* v = a.get<std::string>()) return *v == *b.get<std::string>();
  return true;  // None
}

Facts join_facts(const Facts& a, const Facts& b) {
  Facts out;
  if (a.dtype == b.dtype) out.dtype = a.dtype;
  if (a.dims && b.dims && a.dims->size() == b.dims->size()) {
    out.dims.emplace();
    for (std::size_t i = 0; i < a.dims->size(); ++i)
      out.dims->push_back((*a.dims)[i].same((*b.dims)[i]) ? (*a.dims)[i] : Dim());
  }
  if (a.constant && b.constant && (a.constant == b.constant || same_constant(*a.constant, *b.constant)))
    out.constant = a.constant;
  return out;
}

Walk::Walk(ir::Graph& graph, ir::Evaluator& evaluator, SymbolTable table, std::size_t data_lanes,
           const std::vector<DynamicAxis>& dynamic, std::span<const Constant> examples,
           const std::unordered_map<const Value*, Facts>& imported)
    : graph_(graph), evaluator_(evaluator), table_(std::move(table)), data_lanes_(data_lanes), dynamic_(dynamic),
      examples_(examples), imported_(imported) {
  for (std::size_t i = 0; i < data_lanes_; ++i) table_.sizes.push_back(table_.sizes.front());
  lanes_ = table_.sizes.size();
}

void Walk::run() {
  const auto clear = [&](Value* value) {
    Facts facts;
    facts.dtype = imported_.at(value).dtype;
    value->set_facts(std::move(facts));
  };
  for_each_node(graph_.block(), [&](Node* node) {
    has_writes_ = has_writes_ || writes(*node);
    node->remove_attribute("shares_memory");
    if (!node->is("prim::Constant"))
      for (Value* out : node->outputs()) clear(out);
    for (const ir::Block* block : node->blocks())
      for (Value* in : block->inputs()) clear(in);
  });
  for (Value* weight : graph_.weights()) {
    Entry entry;
    entry.lanes.assign(lanes_, evaluator_.meta(*weight->weight()));
    entry.meta = true;
    record(weight, std::move(entry));
  }
  const auto inputs = graph_.inputs();
  for (std::size_t i = 0; i < inputs.size(); ++i) record(inputs[i], input_entry(i, *inputs[i]));
  if (!run_block(graph_.block()))
    throw ir::Error(ir::Code::Program, "the program always raises an exception on the example inputs");
}

// Inputs, constants and other entries.

Entry Walk::constant_entry(const Constant& constant) {
  Entry entry;
  if (!has_writes_) {
    entry.lanes.assign(lanes_, evaluator_.constant(constant));
  } else {
    for (std::size_t i = 0; i < lanes_; ++i) entry.lanes.push_back(evaluator_.constant(constant));
  }
  return entry;
}

Entry Walk::number(std::int64_t value) { return constant_entry({value}); }

Entry Walk::input_entry(std::size_t index, const Value& value) {
  const Facts& facts = imported_.at(&value);
  Entry entry;
  if (value.type().is(Type::Kind::Tensor)) {
    if (!facts.dims || facts.dtype == DType::Undefined)
      throw ir::Error(ir::Code::Internal, "graph input " + value.name() + " has no dtype or dims");
    bool is_dynamic = false;
    for (const DynamicAxis& axis : dynamic_) is_dynamic = is_dynamic || axis.input == index;
    const ir::Tensor* example = index < examples_.size() ? examples_[index].get<ir::Tensor>() : nullptr;
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      if (!is_dynamic && lane > 0 && !has_writes_) {
        entry.lanes.push_back(entry.lanes.front());
        continue;
      }
      if (!is_dynamic && example) {
        entry.lanes.push_back(evaluator_.meta(*example));
        continue;
      }
      std::vector<std::int64_t> dims;
      for (std::size_t d = 0; d < facts.dims->size(); ++d) {
        std::int64_t size = (*facts.dims)[d].size();
        for (const DynamicAxis& axis : dynamic_) {
          if (axis.input != index || axis.axis != d) continue;
          const auto name = std::find(table_.names.begin(), table_.names.end(), axis.symbol);
          size = table_.sizes[lane][static_cast<std::size_t>(name - table_.names.begin())];
        }
        if (size < 0) throw ir::Error(ir::Code::Internal, "graph input " + value.name() + " has no example size");
        dims.push_back(size);
      }
      entry.lanes.push_back(evaluator_.meta(facts.dtype, dims));
    }
    entry.meta = true;
    return entry;
  }
  Constant example;
  const bool given = index < examples_.size() && !examples_[index].is_none();
  if (given) {
    example = examples_[index];
    if (const auto* tensor = example.get<ir::Tensor>(); tensor && tensor->numel() == 1) {
      if (value.type().is(Type::Kind::Float) || is_floating(tensor->dtype)) {
        example = {tensor->as_double(0)};
      } else if (value.type().is(Type::Kind::Bool) || tensor->dtype == DType::Bool) {
        example = {tensor->as_int64(0) != 0};
      } else {
        example = {tensor->as_int64(0)};
      }
    }
  } else if (value.type().is(Type::Kind::Float)) {
    example = {1.0};
  } else if (value.type().is(Type::Kind::Bool)) {
    example = {true};
  } else if (value.type().is(Type::Kind::Int) || value.type().is(Type::Kind::Number)) {
    example = {std::int64_t{2}};
  } else {
    return entry;
  }
  entry = constant_entry(example);
  entry.tainted = entry.data = true;
  if (value.type().is(Type::Kind::Int) && data_lanes_ && example.get<std::int64_t>()) {
    const std::int64_t v = *example.get<std::int64_t>();
    entry.lanes[lanes_ - 2] = evaluator_.constant({v + 1});
    entry.lanes[lanes_ - 1] = evaluator_.constant({2 * v + 3});
  } else if (!data_lanes_ && value.type().is(Type::Kind::Int)) {
    require_data_lanes();
  }
  return entry;
}

DatumPtr Walk::list_of(const std::vector<DatumPtr>& items) {
  Node* elements = graph_.create("prim::Uninitialized", {}, items.size());
  Node* list = graph_.create("prim::ListConstruct", elements->outputs(), 1);
  list->output()->set_type(Type::list(Type::of(Type::Kind::Tensor)));
  std::vector<DatumPtr> outputs;
  try {
    evaluator_.evaluate(*list, items, outputs);
  } catch (const ir::Error&) {
    outputs.clear();
  }
  list->erase();
  elements->erase();
  return outputs.empty() ? nullptr : outputs.front();
}

void Walk::require_data_lanes() const {
  if (!data_lanes_) throw NeedsDataLanes{};
}

void Walk::perturb(Entry& entry, const std::vector<bool>& dims) {
  if (std::find(dims.begin(), dims.end(), true) == dims.end()) return;
  require_data_lanes();
  entry.data = true;
  for (std::size_t k = 0; k < data_lanes_; ++k) {
    DatumPtr& datum = entry.lanes[lanes_ - data_lanes_ + k];
    const Facts facts = evaluator_.describe(*datum, 0);
    const auto sizes = facts.fixed_dims();
    const auto base = evaluator_.describe(*entry.lanes.front(), 0).fixed_dims();
    if (!sizes || !base || sizes->size() != dims.size() || base->size() != dims.size()) continue;
    std::vector<std::int64_t> varied = *sizes;
    for (std::size_t d = 0; d < dims.size(); ++d)
      if (dims[d]) varied[d] = k == 0 ? (*base)[d] + 1 : 2 * (*base)[d] + 3;
    datum = evaluator_.meta(facts.dtype, varied);
  }
  entry.meta = true;
}

// Facts.

const Entry& Walk::entry(const Value* value) const {
  static const Entry unknown;
  const auto found = env_.find(value);
  return found == env_.end() ? unknown : found->second;
}

Facts Walk::facts_of(Entry& entry) {
  Facts out;
  if (!entry.known()) return out;
  std::vector<Facts> lanes;
  for (std::size_t i = 0; i < lanes_; ++i) {
    if (i > 0 && entry.lanes[i] == entry.lanes[0]) {
      lanes.push_back(lanes.front());
    } else {
      lanes.push_back(evaluator_.describe(*entry.lanes[i]));
    }
  }
  const Facts& base = lanes.front();
  bool constant = base.constant != nullptr;
  bool same_rank = base.dims.has_value();
  out.dtype = base.dtype;
  for (const Facts& lane : lanes) {
    if (lane.dtype != base.dtype) out.dtype = DType::Undefined;
    same_rank = same_rank && lane.dims && lane.dims->size() == base.dims->size();
    if (constant && lane.constant != base.constant)
      constant = lane.constant && same_constant(*lane.constant, *base.constant);
  }
  if (base.constant && !constant) {
    entry.tainted = true;
    const auto* list = base.constant->get<Constant::List>();
    if (list && entry.items.size() == list->items.size()) {
      for (std::size_t k = 0; k < entry.items.size(); ++k)
        for (const Facts& lane : lanes) {
          const auto* other = lane.constant ? lane.constant->get<Constant::List>() : nullptr;
          if (!other || other->items.size() != list->items.size() || !same_constant(other->items[k], list->items[k]))
            entry.items[k] = 1;
        }
    }
  }
  if (constant && !entry.tainted) out.constant = base.constant;
  if (same_rank) {
    out.dims.emplace();
    for (std::size_t d = 0; d < base.dims->size(); ++d) {
      std::vector<std::int64_t> sizes;
      for (const Facts& lane : lanes) sizes.push_back((*lane.dims)[d].size());
      for (std::size_t i = lanes_ - data_lanes_; i < lanes_; ++i) entry.data = entry.data || sizes[i] != sizes[0];
      out.dims->push_back(fit(table_, sizes));
    }
  }
  return out;
}

void Walk::record(Value* value, Entry entry) {
  Facts facts = facts_of(entry);
  if (facts.dtype == DType::Undefined) facts.dtype = entry.known() ? DType::Undefined : imported_.at(value).dtype;
  if (seen_.insert(value).second) {
    value->set_facts(std::move(facts));
  } else {
    value->set_facts(join_facts(value->facts(), facts));
  }
  env_[value] = std::move(entry);
}

std::optional<bool> Walk::certain(const Value* condition) const {
  const Entry& e = entry(condition);
  if (!e.known() || e.tainted) return std::nullopt;
  const Facts facts = evaluator_.describe(*e.lanes.front());
  const bool* value = facts.constant ? facts.constant->get<bool>() : nullptr;
  return value ? std::optional<bool>(*value) : std::nullopt;
}

std::optional<std::int64_t> Walk::certain_integer(const Value* condition) const {
  const Entry& e = entry(condition);
  if (!e.known() || e.tainted) return std::nullopt;
  const Facts facts = evaluator_.describe(*e.lanes.front());
  const auto* value = facts.constant ? facts.constant->get<std::int64_t>() : nullptr;
  return value ? std::optional<std::int64_t>(*value) : std::nullopt;
}

// Control flow.

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
  if (node.is("prim::If")) return visit_if(node);
  if (node.is("prim::Loop")) return visit_loop(node);
  if (node.is("prim::RaiseException")) {
    if (uncertain_ == 0) throw refusal(node, "the program raises an exception on the example inputs", ir::Code::Program);
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
  const bool second = run_block(*node.block(1));
  --uncertain_;
  if (!first && !second) {
    if (uncertain_ == 0)
      throw refusal(node, "both branches of the condition raise an exception", ir::Code::Program);
    return false;
  }
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    const Value* a = node.block(0)->outputs()[i];
    const Value* b = node.block(1)->outputs()[i];
    Value* out = node.output(i);
    if (!first || !second) {
      Entry alive = entry(first ? a : b);
      record(out, std::move(alive));
      continue;
    }
    record(out, join(entry(a), entry(b)));
    out->set_facts(join_facts(join_facts(a->facts(), b->facts()), out->facts()));
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

// The rest of a loop whose end is not known: three turns, of which no one knows how many run.
bool Walk::loop_unknown(Node& node, std::vector<Entry> carried, std::int64_t first) {
  require_data_lanes();
  constexpr std::size_t kTurns = 3;
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
  std::vector<std::vector<Entry>> turns = {carried};
  ++uncertain_;
  for (std::size_t turn = 0; turn < kTurns; ++turn) {
    Entry index = number(first + static_cast<std::int64_t>(turn));
    index.tainted = index.data = true;
    record(body.inputs()[0], std::move(index));
    for (std::size_t k = 0; k < carried.size(); ++k) record(body.inputs()[k + 1], turns.back()[k]);
    if (!run_block(body)) break;
    std::vector<Entry> next;
    for (std::size_t k = 0; k < carried.size(); ++k) next.push_back(entry(body.outputs()[k + 1]));
    turns.push_back(std::move(next));
  }
  --uncertain_;
  for (std::size_t k = 0; k < carried.size(); ++k) {
    Entry out = turns.back()[k];
    bool known = true;
    for (const auto& turn : turns) known = known && turn[k].known();
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

// Ordinary nodes.

void Walk::set_unknown(Node& node) {
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    if (!writes_argument(node, i)) continue;
    const Type::Kind kind = node.input(i)->type().kind;
    if (kind == Type::Kind::Tensor) {
      // The sizes of what an operator writes to do not change.
      if (node.output_count() > 0 && node.output(0)->type().is(Type::Kind::Tensor) && entry(node.input(i)).known()) {
        record(node.output(0), entry(node.input(i)));
        return;
      }
    } else {
      env_[node.input(i)] = Entry{};
    }
  }
  for (Value* out : node.outputs()) record(out, fallback(*out, false));
}

// What the importer knew of a value that cannot be evaluated.
Entry Walk::fallback(const Value& value, bool no_rule) {
  const Facts& facts = imported_.at(&value);
  Entry out;
  if (!no_rule || !value.type().is(Type::Kind::Tensor) || facts.dtype == DType::Undefined || !facts.dims) return out;
  std::vector<std::int64_t> dims;
  std::vector<bool> unknown;
  for (const Dim& dim : *facts.dims) {
    dims.push_back(dim.is_fixed() ? dim.size() : 2);
    unknown.push_back(!dim.is_fixed() || !dynamic_.empty());
  }
  if (std::find(unknown.begin(), unknown.end(), true) != unknown.end()) require_data_lanes();
  out.lanes.assign(lanes_, evaluator_.meta(facts.dtype, dims));
  out.meta = true;
  perturb(out, unknown);
  return out;
}

void Walk::evaluate_lanes(Node& node, const std::vector<const Entry*>& inputs, std::vector<Entry>& outputs,
                          ir::Evaluator::Outcome& outcome, bool& unknown) {
  std::vector<std::vector<DatumPtr>> results(lanes_);
  std::vector<std::size_t> failed;
  std::string message;
  bool data = false;
  bool impossible = false;  // a data lane has sizes that cannot be
  for (const Entry* in : inputs) data = data || in->data;
  for (std::size_t lane = 0; lane < lanes_; ++lane) {
    std::vector<DatumPtr> arguments;
    bool shared = lane > 0 && !has_writes_;
    for (const Entry* in : inputs) {
      arguments.push_back(in->lanes[lane]);
      shared = shared && in->lanes[lane] == in->lanes[0];
    }
    if (shared) {
      results[lane] = results[0];
      continue;
    }
    try {
      const auto lane_outcome = evaluator_.evaluate(node, arguments, results[lane]);
      if (lane == 0 || lane_outcome != ir::Evaluator::Outcome::Done) outcome = lane_outcome;
      if (lane_outcome == ir::Evaluator::Outcome::NoRule) return;
      results[lane].resize(node.output_count());
    } catch (const ir::Error& error) {
      if (error.code() != ir::Code::Program) throw;
      if (lane == 0) {
        if (uncertain_ == 0 && !data) throw refusal(node, error.what(), ir::Code::Program);
        unknown = true;
        return;
      }
      if (is_data_lane(lane)) {
        results[lane] = results[0];
        impossible = true;
        continue;
      }
      failed.push_back(lane);
      message = error.what();
    }
  }
  if (!failed.empty()) {
    if (uncertain_ == 0 && !data) throw LaneFailure{&node, failed, message};
    unknown = true;
    return;
  }
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    Entry& out = outputs[o];
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      if (!results[lane][o]) {
        out.lanes.clear();
        break;
      }
      out.lanes.push_back(results[lane][o]);
    }
    if (!impossible || !out.known()) continue;
    out.tainted = out.data = true;
    const Facts facts = evaluator_.describe(*out.lanes.front(), 0);
    if (facts.dims) perturb(out, std::vector<bool>(facts.dims->size(), true));
  }
}

void Walk::evaluate(Node& node) {
  std::vector<const Entry*> inputs;
  bool unknown = false;
  for (const Value* in : node.inputs()) {
    inputs.push_back(&entry(in));
    unknown = unknown || !inputs.back()->known();
  }
  if (unknown) {
    for (Value* out : node.outputs()) env_[out] = Entry{};
    set_unknown(node);
    return;
  }
  std::vector<Entry> outputs(node.output_count());
  auto outcome = ir::Evaluator::Outcome::Done;
  evaluate_lanes(node, inputs, outputs, outcome, unknown);
  if (unknown) {
    set_unknown(node);
    return;
  }
  if (outcome == ir::Evaluator::Outcome::NoRule) {
    std::vector<Entry> guesses;
    for (const Value* out : node.outputs()) guesses.push_back(fallback(*out, true));
    set_unknown(node);
    for (std::size_t o = 0; o < guesses.size(); ++o) {
      if (!guesses[o].known() || env_[node.output(o)].known()) continue;
      seen_.erase(node.output(o));
      record(node.output(o), std::move(guesses[o]));
    }
    return;
  }
  if (has_no_value(node) && !writes(node)) {
    for (Entry& out : outputs) {
      for (DatumPtr& lane : out.lanes) {
        const Facts facts = evaluator_.describe(*lane, 0);
        if (const auto dims = facts.fixed_dims()) lane = evaluator_.meta(facts.dtype, *dims);
      }
      out.meta = true;
    }
  }
  taint_outputs(node, inputs, outputs);
  if (outcome == ir::Evaluator::Outcome::DataDependent) vary_outputs(node, inputs, outputs);
  const bool may_alias = has_writes_ && kMayAlias.contains(node.kind()) && !outputs.empty() && outputs[0].known();
  if (may_alias) note_sharing(node, *inputs[0], outputs[0]);
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    // An operator that gives nothing where the importer knows the type: as if it had no rule.
    record(node.output(o), std::move(outputs[o]));
  }
}

void Walk::note_sharing(Node& node, const Entry& in, const Entry& out) {
  std::int64_t shares = -2;
  for (std::size_t lane = 0; lane < lanes_ - data_lanes_; ++lane) {
    const std::int64_t s = evaluator_.share_memory(*in.lanes[lane], *out.lanes[lane]) ? 1 : 0;
    shares = shares == -2 || shares == s ? s : -1;
  }
  if (in.data && data_lanes_) shares = -1;
  if (!sharing_seen_.insert(&node).second) {
    const auto* before = node.attribute_as<std::int64_t>("shares_memory");
    if (!before || *before != shares) shares = -1;
  }
  node.set_attribute("shares_memory", shares);
}

}  // namespace tonnx::program
