// Evaluates nodes without blocks, sample by sample. Failed samples get what holds at other sizes, or are unknown.
#include "program/facts/sampler.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "aten/containers.h"
#include "aten/result_facts.h"
#include "aten/traits.h"
#include "ir/error.h"
#include "ir/merge.h"
#include "ir/refusal.h"
#include "program/build_options.h"
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

// The samples of an input that is a list of tensors: the example's items, and more of them in the data samples. Sizes
// that differ between the items of the example are varied there as well.
Sampled Sampler::list_samples(std::size_t index, const Value& value) {
  const Facts& facts = state_.imported.at(&value);
  const auto* list = index < examples_.size() ? examples_[index].get<Constant::List>() : nullptr;
  if (!list || list->items.empty() || !facts.dims)
    throw ir::Error(ir::Code::Internal, "graph input " + value.name() + " has no example");
  lattice_.require_data_samples();
  Sampled sampled;
  for (std::size_t sample = 0; sample < count_; ++sample) {
    const bool is_data = lattice_.is_data_sample(sample);
    const std::size_t further = is_data ? sample + data_count_ - count_ + 1 : 0;
    std::vector<DatumPtr> items;
    for (std::size_t i = 0; i < list->items.size() + further; ++i) {
      std::vector<std::int64_t> dims = list->items[i % list->items.size()].get<ir::Tensor>()->dims;
      for (std::size_t d = 0; d < dims.size(); ++d) {
        if ((*facts.dims)[d].is_unknown() && is_data) dims[d] += static_cast<std::int64_t>(further + i);
        for (const InputAxis& axis : open_)
          if (axis.input == index && axis.axis == d) dims[d] = lattice_.size_in(axis, sample);
      }
      items.push_back(evaluator_.meta(facts.dtype, dims));
    }
    sampled.samples.push_back(evaluator_.list(items));
  }
  sampled.meta = sampled.varies = sampled.depends_on_data = true;
  return sampled;
}

Sampled Sampler::input_samples(std::size_t index, const Value& value) {
  if (value.type().is_tensor_list()) return list_samples(index, value);
  const Facts& facts = state_.imported.at(&value);
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
          if (axis.input == index && axis.axis == d) size = lattice_.size_in(axis, sample);
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
  sampled = lattice_.constant_samples(example);
  sampled.varies = sampled.depends_on_data = true;
  const auto* whole = example.get<std::int64_t>();
  const auto* real = example.get<double>();
  if (whole || real) lattice_.require_data_samples();
  for (std::size_t k = 0; k < data_count_ && (whole || real); ++k) {
    const Constant other = whole ? Constant{other_number(*whole, k)} : Constant{other_number(*real, k)};
    sampled.samples[count_ - data_count_ + k] = evaluator_.constant(other);
  }
  return sampled;
}

Sampled Sampler::imported_samples(const Value& value) {
  const Facts& facts = state_.imported.at(&value);
  Sampled out;
  if (!value.type().is(Type::Kind::Tensor) || facts.dtype == DType::Undefined || !facts.dims) return out;
  std::vector<std::int64_t> dims;
  std::vector<bool> unknown;
  for (const Dim& dim : *facts.dims) {
    dims.push_back(dim.is_fixed() ? dim.size() : 2);
    unknown.push_back(!dim.is_fixed() || !open_.empty());
  }
  if (std::find(unknown.begin(), unknown.end(), true) != unknown.end()) lattice_.require_data_samples();
  out.samples.assign(count_, evaluator_.meta(facts.dtype, dims));
  out.meta = true;
  lattice_.vary(out, unknown);
  return out;
}

namespace {

// True if the node reads an item of a list. It fails on lists that are too short.
bool reads_item(const Node& node) {
  return aten::acts_as(node, aten::Container::Item) && node.input()->type().is(Type::Kind::List);
}

// True for a list of tensors, or of such lists.
bool holds_only_tensors(const Type& type) {
  return type.is(Type::Kind::List) && (type.is_tensor_list() || holds_only_tensors(type.elements.at(0)));
}

ir::Error fails_on_example(const Node& node, const std::string& cause) {
  return refusal(node,
                 cause +
                     "; the program fails here on the example inputs: use inputs on which it runs, or change the "
                     "program",
                 ir::Code::Program);
}

}  // namespace

// True if an argument is an empty list of tensors.
bool Sampler::lacks_tensors(const Node& node, const std::vector<DatumPtr>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (node.input(i)->type().is_tensor_list() && evaluator_.count(*arguments[i]) == 0) return true;
  }
  return false;
}

// Evaluates the node in a sample with an empty list of tensors, using `otherwise`. Returns false if that fails too.
bool Sampler::evaluate_otherwise(const Node& node, const std::vector<const Sampled*>& inputs, std::size_t sample,
                                 std::vector<DatumPtr>& results) {
  std::vector<DatumPtr> arguments;
  bool is_other = false;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    arguments.push_back(inputs[i]->samples[sample]);
    const auto& otherwise = inputs[i]->otherwise;
    if (otherwise.empty() || !otherwise[sample] || evaluator_.count(*arguments.back()) > 0) continue;
    if (!holds_only_tensors(node.input(i)->type())) continue;
    arguments.back() = otherwise[sample];
    is_other = true;
  }
  if (!is_other || state_.uncertain == 0) return false;
  try {
    results.clear();
    return evaluator_.evaluate(node, arguments, results) == ir::Evaluator::Outcome::Done;
  } catch (const ir::Error& error) {
    if (error.code() != ir::Code::Program) throw;
    return false;
  }
}

// Throws an internal error if the rules of aten/result_facts, for the arguments in a sample, contradict the result.
void Sampler::check_rules(const Node& node, const std::vector<const Sampled*>& inputs, std::size_t sample,
                          const ir::Datum& result) {
  const auto note = [&](const Value* value, const ir::Datum& datum) {
    rule_arguments_[value] = evaluator_.describe(datum);
  };
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Value* in = node.input(i);
    note(in, *inputs[i]->samples[sample]);
    if (!in->node() || !aten::acts_as(*in->node(), aten::Container::List)) continue;
    const std::vector<DatumPtr> items = evaluator_.items(*inputs[i]->samples[sample]);
    if (has_writes_ || items.size() != in->node()->input_count()) return;
    for (std::size_t k = 0; k < items.size(); ++k) note(in->node()->input(k), *items[k]);
  }
  Facts found = evaluator_.describe(result, 0);
  if (const auto text = ir::merge(found, aten::result_facts(node, ir::FactsView(rule_arguments_)).front()))
    throw ir::Error(ir::Code::Internal,
                    "result_facts() contradicts LibTorch's " + std::string(node.kind()) + ": " + *text);
}

void Sampler::evaluate_samples(const Node& node, const std::vector<const Sampled*>& inputs,
                               std::vector<Sampled>& outputs, ir::Evaluator::Outcome& outcome, bool& unknown) {
  std::vector<std::vector<DatumPtr>> results(count_);
  std::vector<std::size_t> failed;
  std::string message;
  bool data = false, lacks = false, empty = false;
  std::vector<std::size_t> impossible;  // samples whose sizes cannot reach this node
  const bool is_chosen = node.attribute(kChosenAxis) && state_.uncertain > 0;
  const bool may_lack = reads_item(node) && state_.uncertain > 0;
  for (const Sampled* in : inputs) data = data || in->depends_on_data;
  for (std::size_t sample = 0; sample < count_; ++sample) {
    std::vector<DatumPtr> arguments;
    bool shared = sample > 0 && !has_writes_;
    for (const Sampled* in : inputs) {
      arguments.push_back(in->samples[sample]);
      shared = shared && in->otherwise.empty() && in->samples[sample] == in->samples[0];
    }
    if (shared) {
      results[sample] = results[0];
      if (!impossible.empty() && impossible.front() == 0) impossible.push_back(sample);
      continue;
    }
    try {
      const auto outcome_here = evaluator_.evaluate(node, arguments, results[sample]);
      if (sample == 0 || outcome_here != ir::Evaluator::Outcome::Done) outcome = outcome_here;
      if (outcome_here == ir::Evaluator::Outcome::NoRule) return;
      results[sample].resize(node.output_count());
      const bool has_tensor = node.output_count() == 1 && node.output()->type().is(Type::Kind::Tensor);
      if (kVerifyPasses && has_tensor && results[sample].front())
        check_rules(node, inputs, sample, *results[sample].front());
    } catch (const ir::Error& error) {
      if (error.code() != ir::Code::Program) throw;
      if (is_chosen) {
        impossible.push_back(sample);
        continue;
      }
      if (sample == 0 && state_.further_iteration && state_.uncertain == state_.iteration_depth) {
        if (may_lack || lacks_tensors(node, arguments) || !runs_at_other_sizes(node, inputs, outputs))
          throw ImpossibleIteration{};
        return;
      }
      if (evaluate_otherwise(node, inputs, sample, results[sample])) {
        results[sample].resize(node.output_count());
        lacks = true;
        continue;
      }
      if (may_lack) {
        if (const DatumPtr item = lattice_.any_item(*arguments.front())) {
          results[sample] = {item};
          lacks = true;
        } else {
          impossible.push_back(sample);
        }
        continue;
      }
      if (state_.uncertain > 0 && lacks_tensors(node, arguments)) {
        impossible.push_back(sample);
        empty = true;
        continue;
      }
      if (sample == 0) {
        if (state_.uncertain == 0 && !data) throw fails_on_example(node, error.what());
        unknown = !reshape_as_spelled(node, outputs) && !set_known(node, inputs, outputs);
        if (unknown && state_.further_iteration) throw ImpossibleIteration{};
        return;
      }
      if (lattice_.is_data_sample(sample) || state_.uncertain > 0 || data) {
        if (!data) state_.note_inside(node, sample, error.what());
        if (may_have_other_rank(node)) {
          unknown = !set_known(node, inputs, outputs);
          return;
        }
        results[sample] = results[0];
        impossible.push_back(sample);
        continue;
      }
      failed.push_back(sample);
      message = error.what();
    }
  }
  if (!failed.empty()) throw SampleFailure{&node, failed, message};
  if (is_chosen && !impossible.empty() && !set_chosen(node, results, impossible)) {
    unknown = !set_known(node, inputs, outputs);
    return;
  }
  if (may_lack && impossible.size() == count_) {
    for (Sampled& out : outputs) out.unreachable = true;
    return;
  }
  if (empty && impossible.size() == count_) {
    unknown = !set_known(node, inputs, outputs);
    if (unknown &&
        (state_.further_iteration || (state_.iteration_depth > 0 && state_.uncertain > state_.iteration_depth)))
      throw ImpossibleIteration{};
    return;
  }
  if ((may_lack || empty) && !impossible.empty()) copy_other_results(results, impossible);
  const std::vector<Facts> known = impossible.empty() ? std::vector<Facts>() : known_facts(node, inputs);
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    Sampled& out = outputs[o];
    for (std::size_t sample = 0; sample < count_; ++sample) {
      if (!results[sample][o]) {
        out.samples.clear();
        break;
      }
      out.samples.push_back(results[sample][o]);
    }
    if (lacks) out.varies = out.depends_on_data = true;
    if (impossible.empty() || !out.known()) continue;
    out.varies = out.depends_on_data = true;
    if (node.output(o)->type().is(Type::Kind::Tensor)) vary_failed(node, known[o], out, impossible);
    if (node.output(o)->type().is_tensor_list()) vary_failed_items(node, out);
  }
}

// Replaces the results of samples that fail along a chosen axis by those of one that runs. Returns false if all fail.
bool Sampler::set_chosen(const Node& node, std::vector<std::vector<DatumPtr>>& results,
                         const std::vector<std::size_t>& failed) {
  const bool runs = failed.size() < count_;
  bool& ran = state_.found.marks.runs[node.output(0)];
  ran = ran || runs;
  if (runs) copy_other_results(results, failed);
  return runs;
}

// Replaces the results of failed samples by those of one that runs.
void Sampler::copy_other_results(std::vector<std::vector<DatumPtr>>& results, const std::vector<std::size_t>& failed) {
  std::size_t other = 0;
  while (other < failed.size() && failed[other] == other) ++other;
  for (const std::size_t sample : failed) results[sample] = results[other];
}

}  // namespace tonnx::program
