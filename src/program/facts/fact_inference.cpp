#include "program/facts/fact_inference.h"

#include <algorithm>
#include <limits>
#include <set>

#include "ir/constant_facts.h"
#include "ir/error.h"
#include "ir/merge.h"
#include "ir/writes.h"
#include "program/facts/marks.h"

namespace tonnx::program {

using ir::Constant;
using ir::DatumPtr;
using ir::Dim;
using ir::DType;
using ir::Facts;
using ir::Node;
using ir::Type;
using ir::Value;

FactInference::FactInference(ir::Graph& graph, ir::Evaluator& evaluator, SymbolTable table, std::size_t data_samples,
                             const std::vector<InputAxis>& open, std::span<const Constant> examples,
                             const ir::ValueTable<Facts>& imported, Thresholds* thresholds)
    : graph_(graph),
      evaluator_(evaluator),
      table_(std::move(table)),
      data_count_(data_samples),
      open_(open),
      thresholds_(thresholds),
      examples_(examples),
      imported_(imported) {
  for (std::size_t i = 0; i < data_count_; ++i) table_.sizes.push_back(table_.sizes.front());
  count_ = table_.sizes.size();
  unreached_.assign(count_, false);
  for (const InputAxis& axis : open_) {
    // The samples show whether other axes have the size of a free symbol.
    if (!axis.follows && table_.position(axis.symbol) >= table_.free_count()) continue;
    std::vector<std::int64_t> sizes;
    for (std::size_t sample = 0; sample < count_; ++sample) sizes.push_back(size_in(axis, sample));
    fits_.emplace(std::move(sizes), ir::Dim(axis.size()));
  }
}

void FactInference::run() {
  const auto clear = [&](Value* value) {
    Facts facts;
    facts.dtype = imported_.at(value).dtype;
    value->set_facts(std::move(facts));
  };
  for_each_node(graph_.block(), [&](Node* node) {
    has_writes_ = has_writes_ || writes(*node);
    has_resizes_ = has_resizes_ || resizes(*node);
    node->remove_attribute("shares_memory");
    node->remove_attribute(kRuns);
    node->remove_attribute(kTripCount);
    if (!node->is("prim::Constant"))
      for (Value* out : node->outputs()) clear(out);
    for (const ir::Block* block : node->blocks())
      for (Value* in : block->inputs()) clear(in);
  });
  if (has_writes_) sharing_.emplace(graph_);
  for (Value* weight : graph_.weights()) {
    Sampled sampled;
    sampled.samples.assign(count_, evaluator_.meta(*weight->weight()));
    sampled.meta = true;
    record(weight, std::move(sampled));
  }
  const auto inputs = graph_.inputs();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    record(inputs[i], input_samples(i, *inputs[i]));
    if (!inputs[i]->type().is_tensor_list()) continue;
    Facts of_items = imported_.at(inputs[i]);
    for (const InputAxis& axis : open_)
      if (axis.input == i) (*of_items.dims)[axis.axis] = Dim(axis.size());
    inputs[i]->set_facts(std::move(of_items));
  }
  if (!run_block(graph_.block()))
    throw ir::Error(ir::Code::Program, "the program always raises an exception on the example inputs");
  note_ranks();
  note_item_counts();
  note_unreached();
}

void FactInference::note_unreached() {
  for_each_node(graph_.block(), [&](Node* node) {
    const auto is_unreached = [&](const Value* out) { return of(out).unreachable && !seen_.contains(*out); };
    node->remove_attribute(kUnreached);
    if (node->output_count() > 0 && std::ranges::all_of(node->outputs(), is_unreached))
      node->set_attribute(kUnreached, std::int64_t{1});
  });
}

// Sets the attribute "example_ranks" of the return node: the rank of each output in the samples; -1 if they differ.
void FactInference::note_ranks() {
  std::vector<std::int64_t> ranks;
  for (const Value* out : graph_.outputs()) {
    const Sampled& sampled = of(out);
    std::set<std::int64_t> found;
    for (const DatumPtr& sample : sampled.samples) {
      const Facts facts = evaluator_.describe(*sample, 0);
      found.insert(facts.dims ? facts.rank() : -1);
    }
    ranks.push_back(found.size() == 1 ? *found.begin() : -1);
  }
  graph_.block().return_node()->set_attribute("example_ranks", std::move(ranks));
}

// Sets the attribute "item_counts" of the return node: the length of each list output if it is the same in every run,
// or -1. An operator that returns an item per item of a list keeps its length.
void FactInference::note_item_counts() {
  std::vector<std::int64_t> counts;
  for (const Value* out : graph_.outputs()) counts.push_back(out->type().is(Type::Kind::List) ? item_count(*out) : -1);
  graph_.block().return_node()->set_attribute("item_counts", std::move(counts));
}

std::int64_t FactInference::item_count(const Value& list) const {
  const auto count_of = [&](const Value& value) -> std::int64_t {
    const Sampled& sampled = of(&value);
    if (!sampled.known()) return -1;
    const std::size_t count = evaluator_.count(*sampled.samples.front());
    const bool same =
        std::ranges::all_of(sampled.samples, [&](const auto& s) { return evaluator_.count(*s) == count; });
    return same ? static_cast<std::int64_t>(count) : -1;
  };
  const std::int64_t count = count_of(list);
  if (count < 0 || has_fixed_form(list.type(), of(&list))) return count;
  const Node& node = *list.node();
  const Value* given = node.input_count() > 0 ? node.input(0) : nullptr;
  const bool is_mapped =
      given && given->type().is_tensor_list() && has_fixed_form(given->type(), of(given)) && count_of(*given) == count;
  return is_mapped ? count : -1;
}

// Inputs and constants.

std::int64_t FactInference::size_in(const InputAxis& axis, std::size_t sample) const {
  return axis.size().value(table_.names, table_.sizes[sample]).value();
}

Sampled FactInference::constant_samples(const Constant& constant) {
  Sampled sampled;
  if (!has_writes_) {
    sampled.samples.assign(count_, evaluator_.constant(constant));
  } else {
    for (std::size_t i = 0; i < count_; ++i) sampled.samples.push_back(evaluator_.constant(constant));
  }
  return sampled;
}

Sampled FactInference::number(std::int64_t value) { return constant_samples({value}); }

// The samples of an input that is a list of tensors: the example's items, and more of them in the data samples. Sizes
// that differ between the items of the example are varied there as well.
Sampled FactInference::list_samples(std::size_t index, const Value& value) {
  const Facts& facts = imported_.at(&value);
  const auto* list = index < examples_.size() ? examples_[index].get<Constant::List>() : nullptr;
  if (!list || list->items.empty() || !facts.dims)
    throw ir::Error(ir::Code::Internal, "graph input " + value.name() + " has no example");
  require_data_samples();
  Sampled sampled;
  for (std::size_t sample = 0; sample < count_; ++sample) {
    const bool is_data = is_data_sample(sample);
    const std::size_t further = is_data ? sample + data_count_ - count_ + 1 : 0;
    std::vector<DatumPtr> items;
    for (std::size_t i = 0; i < list->items.size() + further; ++i) {
      std::vector<std::int64_t> dims = list->items[i % list->items.size()].get<ir::Tensor>()->dims;
      for (std::size_t d = 0; d < dims.size(); ++d) {
        if ((*facts.dims)[d].is_unknown() && is_data) dims[d] += static_cast<std::int64_t>(further + i);
        for (const InputAxis& axis : open_)
          if (axis.input == index && axis.axis == d) dims[d] = size_in(axis, sample);
      }
      items.push_back(evaluator_.meta(facts.dtype, dims));
    }
    sampled.samples.push_back(evaluator_.list(items));
  }
  sampled.meta = sampled.varies = sampled.depends_on_data = true;
  return sampled;
}

Sampled FactInference::input_samples(std::size_t index, const Value& value) {
  if (value.type().is_tensor_list()) return list_samples(index, value);
  const Facts& facts = imported_.at(&value);
  Sampled sampled;
  if (value.type().is(Type::Kind::Tensor)) {
    if (!facts.dims || facts.dtype == DType::Undefined)
      throw ir::Error(ir::Code::Internal, "graph input " + value.name() + " has no dtype or dims");
    bool is_dynamic = false;
    for (const InputAxis& axis : open_) is_dynamic = is_dynamic || axis.input == index;
    const ir::Tensor* example = index < examples_.size() ? examples_[index].get<ir::Tensor>() : nullptr;
    for (std::size_t sample = 0; sample < count_; ++sample) {
      if (!is_dynamic && sample > 0 && !has_writes_) {
        sampled.samples.push_back(sampled.samples.front());
        continue;
      }
      if (!is_dynamic && example) {
        sampled.samples.push_back(evaluator_.meta(*example));
        continue;
      }
      std::vector<std::int64_t> dims;
      for (std::size_t d = 0; d < facts.dims->size(); ++d) {
        std::int64_t size = (*facts.dims)[d].size();
        for (const InputAxis& axis : open_)
          if (axis.input == index && axis.axis == d) size = size_in(axis, sample);
        if (size < 0) throw ir::Error(ir::Code::Internal, "graph input " + value.name() + " has no example size");
        dims.push_back(size);
      }
      sampled.samples.push_back(evaluator_.meta(facts.dtype, dims));
    }
    sampled.meta = true;
    return sampled;
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
    return sampled;
  }
  sampled = constant_samples(example);
  sampled.varies = sampled.depends_on_data = true;
  const auto* whole = example.get<std::int64_t>();
  const auto* real = example.get<double>();
  if (whole || real) require_data_samples();
  for (std::size_t k = 0; k < data_count_ && (whole || real); ++k) {
    const Constant other = whole ? Constant{other_number(*whole, k)} : Constant{other_number(*real, k)};
    sampled.samples[count_ - data_count_ + k] = evaluator_.constant(other);
  }
  return sampled;
}

void FactInference::require_data_samples() const {
  if (!data_count_) throw NeedsDataSamples{};
}

void FactInference::perturb(Sampled& sampled, const std::vector<bool>& dims) {
  if (std::find(dims.begin(), dims.end(), true) == dims.end()) return;
  require_data_samples();
  sampled.depends_on_data = true;
  for (std::size_t k = 0; k < data_count_; ++k) {
    DatumPtr& datum = sampled.samples[count_ - data_count_ + k];
    const Facts facts = evaluator_.describe(*datum, 0);
    const auto sizes = facts.fixed_dims();
    const auto base = evaluator_.describe(*sampled.samples.front(), 0).fixed_dims();
    if (!sizes || !base || sizes->size() != dims.size() || base->size() != dims.size()) continue;
    std::vector<std::int64_t> varied = *sizes;
    for (std::size_t d = 0; d < dims.size(); ++d)
      if (dims[d]) varied[d] = other_number((*base)[d], k);
    datum = evaluator_.meta(facts.dtype, varied);
  }
  sampled.meta = true;
}

// Facts.

const Sampled& FactInference::of(const Value* value) const {
  static const Sampled unknown;
  const Sampled* found = values_.find(value);
  return found ? *found : unknown;
}

Facts FactInference::facts_of(Sampled& sampled) {
  Facts out;
  if (!sampled.known()) return out;
  std::vector<Facts> samples;
  for (std::size_t i = 0; i < count_; ++i) {
    if (i > 0 && sampled.samples[i] == sampled.samples[0]) {
      samples.push_back(samples.front());
    } else {
      samples.push_back(evaluator_.describe(*sampled.samples[i]));
    }
  }
  const Facts& base = samples.front();
  bool constant = base.constant != nullptr;
  bool same_rank = base.dims.has_value();
  out.dtype = base.dtype;
  for (const Facts& sample : samples) {
    if (sample.dtype != base.dtype) out.dtype = DType::Undefined;
    same_rank = same_rank && sample.dims && sample.dims->size() == base.dims->size();
    if (constant && sample.constant != base.constant)
      constant = sample.constant && same_constant(*sample.constant, *base.constant);
  }
  if (base.constant && !constant) {
    sampled.varies = true;
    const auto* list = base.constant->get<Constant::List>();
    if (list && sampled.items.size() == list->items.size()) {
      for (std::size_t k = 0; k < sampled.items.size(); ++k)
        for (const Facts& sample : samples) {
          const auto* other = sample.constant ? sample.constant->get<Constant::List>() : nullptr;
          if (!other || other->items.size() != list->items.size() || !same_constant(other->items[k], list->items[k]))
            sampled.items[k] = 1;
        }
    }
  }
  if (constant && !sampled.varies) out.constant = base.constant;
  sampled.depends_on_data = sampled.depends_on_data || (base.dims && !same_rank);
  if (same_rank) {
    out.dims.emplace();
    for (std::size_t d = 0; d < base.dims->size(); ++d) {
      std::vector<std::int64_t> sizes;
      for (const Facts& sample : samples) sizes.push_back((*sample.dims)[d].size());
      for (std::size_t i = count_ - data_count_; i < count_; ++i)
        if (sizes[i] != sizes[0]) sampled.depends_on_data = true;
      out.dims->push_back(fitted(std::move(sizes)));
    }
  }
  return out;
}

ir::Dim FactInference::fitted(std::vector<std::int64_t> sizes) {
  if (open_.empty() && std::ranges::count(sizes, sizes.front()) == std::ssize(sizes)) return sizes.front();
  const auto [found, fresh] = fits_.try_emplace(std::move(sizes));
  if (fresh) found->second = fit(table_, found->first);
  return found->second;
}

namespace {

DType dtype_of_number(const Type& type) {
  switch (type.kind) {
    case Type::Kind::Int: return DType::Int64;
    case Type::Kind::Float: return DType::Float64;
    case Type::Kind::Bool: return DType::Bool;
    default: return DType::Undefined;
  }
}

}  // namespace

void FactInference::record(Value* value, Sampled sampled) {
  if (sampled.unreachable) {
    values_[value] = std::move(sampled);
    return;
  }
  // The list that append() returns is usually unused, so its facts are not computed.
  const bool is_read = !value->is_unused() || !value->type().is(Type::Kind::List);
  Facts facts = is_read ? facts_of(sampled) : Facts();
  if (!sampled.known()) facts.dtype = sampled.dtype != DType::Undefined ? sampled.dtype : imported_.at(value).dtype;
  if (facts.dtype == DType::Undefined) facts.dtype = dtype_of_number(value->type());
  if (seen_.insert(*value)) {
    value->set_facts(std::move(facts));
  } else {
    value->set_facts(ir::join(value->facts(), facts));
  }
  values_[value] = std::move(sampled);
}

std::optional<bool> FactInference::certain(const Value* condition) const {
  return of(condition).varies ? std::nullopt : on_example(condition);
}

std::optional<bool> FactInference::on_example(const Value* condition) const {
  const Sampled& e = of(condition);
  if (!e.known() || (e.varies && e.depends_on_data)) return std::nullopt;
  const Facts facts = evaluator_.describe(*e.samples.front());
  const bool* value = facts.constant ? facts.constant->get<bool>() : nullptr;
  return value ? std::optional<bool>(*value) : std::nullopt;
}

std::optional<std::int64_t> FactInference::certain_integer(const Value* condition) const {
  const Sampled& e = of(condition);
  if (!e.known() || e.varies) return std::nullopt;
  const Facts facts = evaluator_.describe(*e.samples.front());
  const auto* value = facts.constant ? facts.constant->get<std::int64_t>() : nullptr;
  return value ? std::optional<std::int64_t>(*value) : std::nullopt;
}

}  // namespace tonnx::program
