// Nodes without blocks in a walk: evaluated lane by lane, or unknown.
#include <algorithm>

#include "aten/traits.h"
#include "program/place.h"
#include "program/walk.h"

namespace tonnx::program {

using ir::DatumPtr;
using ir::Dim;
using ir::DType;
using ir::Facts;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

// True for operators whose result's elements are random or undefined: they have sizes, but no value.
bool has_no_value(const Node& node) {
  const aten::Traits& traits = aten::traits_of(node);
  return traits.is_undefined || (aten::is_random(node) && !aten::may_alias(traits));
}

// aten::squeeze of an axis that may be 1: the rank of the result is another one in some runs.
bool has_open_rank(const Node& node) {
  if (!node.is("aten::squeeze") && !node.is("aten::squeeze_copy")) return false;
  const auto& dims = node.input()->facts().dims;
  if (!dims) return true;
  const auto rank = static_cast<std::int64_t>(dims->size());
  const auto is_open = [&](std::int64_t axis) {
    const std::int64_t from_front = axis < 0 ? axis + rank : axis;
    return from_front >= 0 && from_front < rank && !(*dims)[static_cast<std::size_t>(from_front)].is_fixed();
  };
  const ir::Constant* axes = node.input_count() > 1 ? node.input(1)->constant() : nullptr;
  if (axes && axes->get<std::int64_t>()) return is_open(*axes->get<std::int64_t>());
  if (const auto* list = axes ? axes->get<ir::Constant::List>() : nullptr)
    return std::any_of(list->items.begin(), list->items.end(),
                       [&](const ir::Constant& axis) { return is_open(axis.as_int64()); });
  return std::any_of(dims->begin(), dims->end(), [](const Dim& d) { return !d.is_fixed(); });
}

}  // namespace

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
      Entry& written = env_[node.input(i)];
      if (written.known()) spoiled_.push_back({written.lanes.front(), true});
      written = Entry{};
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
  bool impossible = false;  // a lane has sizes with which no run comes here
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
        if (turn_depth_ > 0 && uncertain_ == turn_depth_) throw ImpossibleTurn{};
        if (uncertain_ == 0 && !data) throw refusal(node, error.what(), ir::Code::Program);
        unknown = true;
        return;
      }
      if (is_data_lane(lane) || uncertain_ > 0 || data) {
        results[lane] = results[0];
        impossible = true;
        continue;
      }
      failed.push_back(lane);
      message = error.what();
    }
  }
  if (!failed.empty()) throw LaneFailure{&node, failed, message};
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
  const bool never = std::any_of(node.inputs().begin(), node.inputs().end(),
                                 [&](const Value* in) { return entry(in).never; });
  if (never && !writes(node)) {
    for (const Value* out : node.outputs()) {
      env_[out] = Entry{};
      env_[out].never = true;
    }
    return;
  }
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
  if (has_open_rank(node)) {
    const DType dtype = evaluator_.describe(*outputs.at(0).lanes.at(0), 0).dtype;
    record(node.output(), Entry{});
    node.output()->facts().dtype = dtype;
    return;
  }
  taint_outputs(node, inputs, outputs);
  note_container_writes(node, inputs);
  for (std::size_t o = 0; o < outputs.size(); ++o)
    if (!node.output(o)->type().is(Type::Kind::Tensor) && !node.output(o)->type().is_scalar()) spoil(outputs[o]);
  if (outcome == ir::Evaluator::Outcome::DataDependent) vary_outputs(node, inputs, outputs);
  const aten::Traits& traits = aten::traits_of(node);
  const bool may_alias = has_writes_ && aten::may_alias(traits) && !outputs.empty() && outputs[0].known();
  if (may_alias) note_sharing(node, *inputs[0], outputs[0]);
  if (traits.reads_memory) note_layout(node, *inputs[0]);
  for (std::size_t o = 0; o < outputs.size(); ++o) record(node.output(o), std::move(outputs[o]));
}

// The attribute "memory_offset" of operators that read memory: contiguous_offset() of the first argument wherever the
// program was ever evaluated, or -1.
void Walk::note_layout(Node& node, const Entry& in) {
  const auto* before = node.attribute_as<std::int64_t>("memory_offset");
  std::int64_t offset = before ? *before : evaluator_.contiguous_offset(*in.lanes.front()).value_or(-1);
  for (const DatumPtr& lane : in.lanes)
    if (evaluator_.contiguous_offset(*lane) != offset) offset = -1;
  node.set_attribute("memory_offset", offset);
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
