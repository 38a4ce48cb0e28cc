#include "program/walk.h"

#include <algorithm>
#include <limits>

#include "ir/constant_facts.h"
#include "ir/merge.h"
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
  const auto* whole = example.get<std::int64_t>();
  const auto* real = example.get<double>();
  if (whole || real) require_data_lanes();
  for (std::size_t k = 0; k < data_lanes_ && (whole || real); ++k) {
    const Constant other = whole ? Constant{k == 0 ? *whole + 1 : 2 * *whole + 3}
                                 : Constant{k == 0 ? *real + 1 : 2 * *real + 3};
    entry.lanes[lanes_ - data_lanes_ + k] = evaluator_.constant(other);
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
    value->set_facts(ir::join(value->facts(), facts));
  }
  env_[value] = std::move(entry);
}

std::optional<bool> Walk::certain(const Value* condition) const {
  return entry(condition).tainted ? std::nullopt : on_example(condition);
}

std::optional<bool> Walk::on_example(const Value* condition) const {
  const Entry& e = entry(condition);
  if (!e.known() || (e.tainted && e.data)) return std::nullopt;
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

}  // namespace tonnx::program
