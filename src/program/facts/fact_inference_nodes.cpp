// Evaluates nodes without blocks, sample by sample. Failed samples get what holds at other sizes, or are unknown.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aten/containers.h"
#include "aten/result_facts.h"
#include "aten/result_type.h"
#include "aten/traits.h"
#include "ir/merge.h"
#include "ir/refusal.h"
#include "ir/writes.h"
#include "program/containers/items.h"
#include "program/control/single_axes.h"
#include "program/facts/fact_inference.h"
#include "program/facts/marks.h"

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

// True if the node reads an item of a list. It fails on lists that are too short.
bool reads_item(const Node& node) {
  return aten::acts_as(node, aten::Container::Item) && node.input()->type().is(Type::Kind::List);
}

// True for a list of tensors, or of such lists.
bool holds_only_tensors(const Type& type) {
  return type.is(Type::Kind::List) && (type.is_tensor_list() || holds_only_tensors(type.elements.at(0)));
}

// True if the node returns an int or a float and has no side effect.
bool returns_number(const Node& node) {
  const auto is = [&](Type::Kind kind) { return node.output()->type().is(kind); };
  return node.output_count() == 1 && (is(Type::Kind::Int) || is(Type::Kind::Float)) && !writes(node);
}

// True if the samples differ in the rank of an argument.
bool has_open_rank(const Node& node) {
  return std::any_of(node.inputs().begin(), node.inputs().end(),
                     [](const Value* in) { return in->type().is(Type::Kind::Tensor) && !in->facts().dims; });
}

// True if the node broadcasts tensors of a list literal.
bool broadcasts_list(const Node& node) {
  return node.is("aten::broadcast_tensors") && aten::acts_as(*node.input()->node(), aten::Container::List);
}

// The size arguments of a reshape, -1 for computed ones. Empty if they are not a list literal.
std::optional<std::vector<std::int64_t>> size_arguments(const Node& node) {
  if (aten::traits_of(node).inverse != aten::Inverse::Reshape || node.input_count() < 2) return std::nullopt;
  std::vector<const ir::Constant*> items;
  const ir::Constant* whole = node.input(1)->constant();
  if (const auto* list = whole ? whole->get<ir::Constant::List>() : nullptr) {
    for (const ir::Constant& size : list->items) items.push_back(&size);
  } else if (const Node* list = node.input(1)->node(); list && aten::acts_as(*list, aten::Container::List)) {
    for (const Value* size : list->inputs()) items.push_back(size->constant());
  } else {
    return std::nullopt;
  }
  std::vector<std::int64_t> sizes;
  for (const ir::Constant* item : items) {
    const auto* number = item ? item->get<std::int64_t>() : nullptr;
    sizes.push_back(number ? *number : -1);
  }
  return sizes;
}

// Merges facts of two sources. Contradictory facts are dropped.
std::vector<Facts> merged(std::vector<Facts> facts, const std::vector<Facts>& others) {
  for (std::size_t i = 0; i < facts.size(); ++i)
    if (ir::merge(facts[i], others[i])) facts[i] = Facts();
  return facts;
}

// The dims of a result of rank `rank` that are not literals of a reshape.
std::vector<bool> computed_dims(const Node& node, std::size_t rank) {
  std::vector<bool> open(rank, true);
  if (const auto sizes = size_arguments(node); sizes && sizes->size() == rank)
    for (std::size_t i = 0; i < rank; ++i) open[i] = (*sizes)[i] < 0;
  return open;
}

ir::Error fails_on_example(const Node& node, const std::string& cause) {
  return refusal(node,
                 cause +
                     "; the program fails here on the example inputs: use inputs on which it runs, or change the "
                     "program",
                 ir::Code::Program);
}

}  // namespace

// True if the facts of all tensor operands are current: those of a tensor resized in place are not.
bool FactInference::knows_tensors(const Node& node) const {
  return std::ranges::all_of(node.inputs(), [&](const Value* in) {
    const Type& type = in->type();
    const bool holds_items = !type.is_scalar() && !type.elements.empty() && !type.elements[0].is_scalar();
    const bool holds_tensors = type.is(Type::Kind::Tensor) || holds_items;
    return !holds_tensors || of(in).known();
  });
}

void FactInference::set_unknown(Node& node, bool no_rule) {
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    if (!writes_argument(node, i)) continue;
    const Type::Kind kind = node.input(i)->type().kind;
    if (kind == Type::Kind::Tensor) {
      // A write keeps the sizes of its argument.
      if (node.output_count() > 0 && node.output(0)->type().is(Type::Kind::Tensor) && of(node.input(i)).known()) {
        record(node.output(0), of(node.input(i)));
        return;
      }
    } else {
      spoil_possible(node.input(i));
    }
  }
  std::vector<Sampled> outputs(node.output_count());
  if (no_rule)
    for (std::size_t o = 0; o < outputs.size(); ++o) outputs[o] = imported_samples(*node.output(o));
  std::vector<const Sampled*> inputs;
  for (const Value* in : node.inputs()) inputs.push_back(&of(in));
  if (outputs.size() == 1 && !outputs[0].known() && knows_tensors(node)) show_known(node, inputs, outputs);
  if (aten::traits_of(node).inverse == aten::Inverse::Split && !outputs[0].known())
    outputs[0] = pieces_of_any_size(node);
  if (!writes(node) && std::ranges::any_of(outputs, [](const Sampled& out) { return !out.known(); })) {
    const bool is_any_rank = std::ranges::any_of(inputs, [](const Sampled* in) { return !in->known(); });
    const std::vector<DType> dtypes = is_any_rank ? dtypes_at_any_rank(node) : std::vector<DType>();
    const std::vector<Facts> known = is_any_rank ? aten::result_facts(node) : known_facts(node, inputs);
    for (std::size_t o = 0; o < outputs.size(); ++o)
      outputs[o].dtype = is_any_rank && dtypes[o] != DType::Undefined ? dtypes[o] : known[o].dtype;
  }
  for (std::size_t o = 0; o < outputs.size(); ++o) record(node.output(o), std::move(outputs[o]));
}

// The result of a split with unknown piece sizes: the number and the sizes of the pieces differ in the data samples.
Sampled FactInference::pieces_of_any_size(const Node& node) {
  const Sampled& whole = of(node.input());
  const Facts facts = whole.known() ? evaluator_.describe(*whole.samples.front(), 0) : Facts();
  if (!facts.dims || !node.input(1)->type().is_number_list() || has_open_rank(node)) return {};
  const auto axis = constant_index(node.input(2), facts.dims->size());
  if (!axis) return {};
  require_data_samples();
  Sampled out;
  for (std::size_t sample = 0; sample < count_; ++sample) {
    const std::int64_t size = (*evaluator_.describe(*whole.samples[sample], 0).fixed_dims())[*axis];
    const std::int64_t wanted =
        is_data_sample(sample) ? 2 + static_cast<std::int64_t>(sample + data_count_ - count_) : 1;
    const std::int64_t piece = wanted <= size ? wanted : 0;
    std::vector<DatumPtr> arguments = {whole.samples[sample], nullptr, of(node.input(2)).samples[sample]};
    arguments[1] = evaluator_.constant({ir::Constant::List{{{piece}, {size - piece}}}});
    std::vector<DatumPtr> pieces;
    if (evaluator_.evaluate(node, arguments, pieces) != ir::Evaluator::Outcome::Done) return {};
    const auto count = static_cast<std::size_t>(wanted + 1);
    out.samples.push_back(evaluator_.list(std::vector(count, evaluator_.items(*pieces.front()).front())));
    if (!out.samples.back()) return {};
  }
  out.meta = whole.meta;
  out.varies = out.depends_on_data = true;
  return out;
}

// The abstract value of a result that cannot be evaluated, from the importer's facts.
Sampled FactInference::imported_samples(const Value& value) {
  const Facts& facts = imported_.at(&value);
  Sampled out;
  if (!value.type().is(Type::Kind::Tensor) || facts.dtype == DType::Undefined || !facts.dims) return out;
  std::vector<std::int64_t> dims;
  std::vector<bool> unknown;
  for (const Dim& dim : *facts.dims) {
    dims.push_back(dim.is_fixed() ? dim.size() : 2);
    unknown.push_back(!dim.is_fixed() || !open_.empty());
  }
  if (std::find(unknown.begin(), unknown.end(), true) != unknown.end()) require_data_samples();
  out.samples.assign(count_, evaluator_.meta(facts.dtype, dims));
  out.meta = true;
  perturb(out, unknown);
  return out;
}

// True if an argument is an empty list of tensors.
bool FactInference::lacks_tensors(const Node& node, const std::vector<DatumPtr>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (node.input(i)->type().is_tensor_list() && evaluator_.count(*arguments[i]) == 0) return true;
  }
  return false;
}

// Evaluates the node in a sample with an empty list of tensors, using `otherwise`. Returns false if that fails too.
bool FactInference::evaluate_otherwise(const Node& node, const std::vector<const Sampled*>& inputs, std::size_t sample,
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
  if (!is_other || uncertain_ == 0) return false;
  try {
    results.clear();
    return evaluator_.evaluate(node, arguments, results) == ir::Evaluator::Outcome::Done;
  } catch (const ir::Error& error) {
    if (error.code() != ir::Code::Program) throw;
    return false;
  }
}

void FactInference::evaluate_samples(Node& node, const std::vector<const Sampled*>& inputs,
                                     std::vector<Sampled>& outputs, ir::Evaluator::Outcome& outcome, bool& unknown) {
  std::vector<std::vector<DatumPtr>> results(count_);
  std::vector<std::size_t> failed;
  std::string message;
  bool data = false, lacks = false, empty = false;
  std::vector<std::size_t> impossible;  // samples whose sizes cannot reach this node
  const bool is_chosen = node.attribute(kChosenAxis) && uncertain_ > 0;
  const bool may_lack = reads_item(node) && uncertain_ > 0;
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
    } catch (const ir::Error& error) {
      if (error.code() != ir::Code::Program) throw;
      if (is_chosen) {
        impossible.push_back(sample);
        continue;
      }
      if (sample == 0 && further_turn_ && uncertain_ == turn_depth_) {
        if (may_lack || lacks_tensors(node, arguments) || !runs_elsewhere(node, inputs, outputs))
          throw ImpossibleTurn{};
        return;
      }
      if (evaluate_otherwise(node, inputs, sample, results[sample])) {
        results[sample].resize(node.output_count());
        lacks = true;
        continue;
      }
      if (may_lack) {
        if (const DatumPtr item = any_item(*arguments.front())) {
          results[sample] = {item};
          lacks = true;
        } else {
          impossible.push_back(sample);
        }
        continue;
      }
      if (uncertain_ > 0 && lacks_tensors(node, arguments)) {
        impossible.push_back(sample);
        empty = true;
        continue;
      }
      if (sample == 0) {
        if (uncertain_ == 0 && !data) throw fails_on_example(node, error.what());
        unknown = !reshape_as_spelled(node, outputs) && !show_known(node, inputs, outputs);
        if (unknown && further_turn_) throw ImpossibleTurn{};
        return;
      }
      if (is_data_sample(sample) || uncertain_ > 0 || data) {
        if (!data) note_inside(node, sample, error.what());
        if (has_open_rank(node) && !size_arguments(node)) {
          unknown = !show_known(node, inputs, outputs);
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
  if (is_chosen && !impossible.empty() && !show_chosen(node, results, impossible)) {
    unknown = !show_known(node, inputs, outputs);
    return;
  }
  if (may_lack && impossible.size() == count_) {
    for (Sampled& out : outputs) out.unreachable = true;
    return;
  }
  if (empty && impossible.size() == count_) {
    unknown = !show_known(node, inputs, outputs);
    if (unknown && (further_turn_ || (turn_depth_ > 0 && uncertain_ > turn_depth_))) throw ImpossibleTurn{};
    return;
  }
  if ((may_lack || empty) && !impossible.empty()) show_other(results, impossible);
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
    if (node.output(o)->type().is(Type::Kind::Tensor)) show_impossible(node, known[o], out, impossible);
    if (node.output(o)->type().is_tensor_list()) show_impossible_items(node, out);
  }
}

// An item of a list whose items all have one shape, or null.
DatumPtr FactInference::any_item(const ir::Datum& list) {
  const std::vector<DatumPtr> items = evaluator_.items(list);
  return items.empty() || !are_all_alike(items) ? nullptr : items.back();
}

// Replaces the results of samples that fail along a chosen axis by those of one that runs. Returns false if all fail.
bool FactInference::show_chosen(Node& node, std::vector<std::vector<DatumPtr>>& results,
                                const std::vector<std::size_t>& failed) const {
  const bool runs = failed.size() < count_;
  const auto* before = node.attribute_as<std::int64_t>(kRuns);
  node.set_attribute(kRuns, std::int64_t{runs || (before && *before != 0)});
  if (runs) show_other(results, failed);
  return runs;
}

// Replaces the results of failed samples by those of one that runs.
void FactInference::show_other(std::vector<std::vector<DatumPtr>>& results, const std::vector<std::size_t>& failed) {
  std::size_t other = 0;
  while (other < failed.size() && failed[other] == other) ++other;
  for (const std::size_t sample : failed) results[sample] = results[other];
}

// Returns a tensor with these facts. Dims that they do not determine are varied. Empty without dtype or rank.
std::optional<Sampled> FactInference::shown(const Facts& facts) {
  if (!facts.dims || facts.dtype == DType::Undefined) return std::nullopt;
  Sampled out;
  std::vector<bool> open(facts.dims->size(), false);
  for (std::size_t sample = 0; sample < count_; ++sample) {
    std::vector<std::int64_t> sizes;
    for (std::size_t d = 0; d < open.size(); ++d) {
      const Dim& dim = (*facts.dims)[d];
      std::optional<std::int64_t> size;
      if (dim.is_fixed()) size = dim.size();
      if (dim.polynomial()) size = dim.polynomial()->value(table_.names, table_.sizes[sample]);
      open[d] = open[d] || !size;
      sizes.push_back(size.value_or(2));
    }
    out.samples.push_back(evaluator_.meta(facts.dtype, sizes));
  }
  out.meta = out.depends_on_data = true;
  perturb(out, open);
  return out;
}

// Returns facts that hold in every run, for the results of a node that fails or cannot be evaluated in some samples.
std::vector<Facts> FactInference::known_facts(const Node& node, const std::vector<const Sampled*>& inputs) {
  std::vector<Facts> known = aten::result_facts(node);
  const auto is_complete = [](const Facts& facts) { return facts.dims && facts.dtype != DType::Undefined; };
  // The broadcasting rule is complete.
  if (known.size() == 1 && is_complete(known.front()) && aten::elementwise_facts(node).dims) return known;
  return merged(std::move(known), facts_elsewhere(node, inputs));
}

// Sets the outputs to tensors with these facts. Returns false if one lacks dtype or rank.
bool FactInference::show_facts(const Node& node, std::span<const Facts> known, std::vector<Sampled>& outputs) {
  if (outputs.empty()) return false;
  std::vector<Sampled> results;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    std::optional<Sampled> out = node.output(o)->type().is(Type::Kind::Tensor) ? shown(known[o]) : std::nullopt;
    if (!out) return false;
    results.push_back(*std::move(out));
  }
  outputs = std::move(results);
  return true;
}

bool FactInference::show_known(const Node& node, const std::vector<const Sampled*>& inputs,
                               std::vector<Sampled>& outputs) {
  if (broadcasts_list(node)) return show_told_items(node, outputs.front());
  return show_facts(node, known_facts(node, inputs), outputs);
}

// The same for a node that fails at the example sizes. Returns false also if it runs at no other sizes.
bool FactInference::runs_elsewhere(const Node& node, const std::vector<const Sampled*>& inputs,
                                   std::vector<Sampled>& outputs) {
  const std::vector<Facts> elsewhere = facts_elsewhere(node, inputs);
  const auto is_found = [](const Facts& facts) { return facts.dtype != DType::Undefined; };
  return std::ranges::all_of(elsewhere, is_found) &&
         show_facts(node, merged(aten::result_facts(node), elsewhere), outputs);
}

// The same for a list of tensors that are broadcast to one shape.
bool FactInference::show_told_items(const Node& node, Sampled& list) {
  const std::span<Value* const> tensors = node.input()->node()->inputs();
  const auto dims = aten::broadcast_dims(tensors);
  std::vector<Sampled> items;
  for (const Value* tensor : tensors) {
    std::optional<Sampled> item = shown({tensor->facts().dtype, dims, nullptr});
    if (!item) return false;
    items.push_back(*std::move(item));
  }
  for (std::size_t sample = 0; sample < count_; ++sample) {
    std::vector<DatumPtr> tensors_here;
    for (const Sampled& item : items) tensors_here.push_back(item.samples[sample]);
    list.samples.push_back(evaluator_.list(tensors_here));
  }
  list.meta = list.varies = list.depends_on_data = true;
  return true;
}

// Sets the known dims of failed samples, and varies the other dims.
void FactInference::show_impossible(const Node& node, const Facts& known, Sampled& out,
                                    const std::vector<std::size_t>& failed) {
  const Facts facts = evaluator_.describe(*out.samples.front(), 0);
  if (!facts.dims) return;
  std::vector<bool> open = computed_dims(node, facts.dims->size());
  if (known.dims && known.dims->size() == open.size()) {
    for (const std::size_t sample : failed) {
      std::vector<std::int64_t> sizes = *facts.fixed_dims();
      for (std::size_t d = 0; d < open.size(); ++d)
        if (const ir::Polynomial* size = (*known.dims)[d].polynomial())
          sizes[d] = size->value(table_.names, table_.sizes[sample]).value_or(sizes[d]);
      out.samples[sample] = evaluator_.meta(facts.dtype, sizes);
    }
    for (std::size_t d = 0; d < open.size(); ++d) open[d] = open[d] && (*known.dims)[d].is_unknown();
  }
  perturb(out, open);
}

// The same for the tensors in a list.
void FactInference::show_impossible_items(const Node& node, Sampled& out) {
  require_data_samples();
  const auto common = broadcasts_list(node) ? aten::broadcast_dims(node.input()->node()->inputs()) : std::nullopt;
  Change change;
  for (const DatumPtr& item : evaluator_.items(*out.samples.front())) {
    std::vector<bool> open(evaluator_.describe(*item, 0).dims.value_or(std::vector<Dim>()).size(), true);
    if (common && common->size() == open.size())
      for (std::size_t d = 0; d < open.size(); ++d) open[d] = (*common)[d].is_unknown();
    change.items.push_back(std::move(open));
  }
  show_item_changes(out, change);
}

// Sets the result of a reshape that fails at the sizes of all samples, as in a branch that only empty tensors take.
// Returns false if its size arguments do not determine the rank.
bool FactInference::reshape_as_spelled(const Node& node, std::vector<Sampled>& outputs) {
  auto sizes = size_arguments(node);
  const DType dtype = node.input()->facts().dtype;
  if (!sizes || dtype == DType::Undefined) return false;
  const std::vector<bool> open = computed_dims(node, sizes->size());
  for (std::int64_t& size : *sizes) size = size < 0 ? 2 : size;
  outputs[0].samples.assign(count_, evaluator_.meta(dtype, *sizes));
  outputs[0].meta = true;
  perturb(outputs[0], open);
  return true;
}

// Opens the rank of a squeezed tensor: one data sample keeps the axes, another drops them.
void FactInference::open_rank(Sampled& squeezed, const Sampled& in, const std::vector<std::size_t>& axes) {
  require_data_samples();
  squeezed.meta = squeezed.depends_on_data = true;
  for (std::size_t k = 0; k < data_count_; ++k) {
    const std::size_t sample = count_ - data_count_ + k;
    const Facts before = evaluator_.describe(*in.samples[sample], 0);
    const auto sizes = before.fixed_dims();
    if (!sizes) continue;
    std::vector<std::int64_t> dims;
    for (std::size_t axis = 0; axis < sizes->size(); ++axis) {
      const bool is_open = std::find(axes.begin(), axes.end(), axis) != axes.end();
      if (is_open ? k == 0 : (*sizes)[axis] != 1) dims.push_back(is_open && (*sizes)[axis] == 1 ? 2 : (*sizes)[axis]);
    }
    squeezed.samples[sample] = evaluator_.meta(before.dtype, dims);
  }
}

// Varies the length of a slice that has dynamic bounds or may be cut, and of a list repeated a dynamic number of times.
void FactInference::open_part(const Node& node, const std::vector<const Sampled*>& inputs, Sampled& part) {
  const auto varies = [](const Sampled* in) { return in->varies; };
  const auto repeated = repeated_list(node);
  if (!repeated && inputs.size() < 3) return;
  const bool has_open_bounds =
      repeated ? inputs[1 - *repeated]->varies : std::any_of(inputs.begin() + 1, inputs.begin() + 3, varies);
  if (!has_open_bounds && (repeated || !has_open_length(*inputs[0]) || is_sure_part(node, *inputs[0]))) return;
  const auto count = [&](const DatumPtr& list) { return evaluator_.count(*list); };
  const std::size_t first = count(part.samples.front());
  if (std::any_of(part.samples.begin(), part.samples.end(), [&](const DatumPtr& list) { return count(list) != first; }))
    return;
  require_data_samples();
  Change change;
  change.length = change.shrinks = true;
  change.filled = inputs[repeated.value_or(0)]->samples;
  show_item_changes(part, change);
}

// Records a scalar result as dynamic.
void FactInference::record_any_number(Node& node) {
  require_data_samples();
  const bool is_int = node.output()->type().is(Type::Kind::Int);
  std::vector<Sampled> outputs(1);
  outputs[0].samples.assign(count_, evaluator_.constant(is_int ? ir::Constant{std::int64_t{2}} : ir::Constant{2.0}));
  perturb_outputs(node, {}, outputs);
  record(node.output(), std::move(outputs[0]));
}

void FactInference::evaluate(Node& node) {
  std::vector<const Sampled*> inputs;
  bool unknown = false;
  if (!writes(node) && reads_never(node)) {
    for (const Value* out : node.outputs()) {
      values_[out] = Sampled{};
      values_[out].unreachable = true;
    }
    return;
  }
  std::list<Sampled> temporaries;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    const Value* in = node.input(i);
    // Writes through an alias since the value was recorded.
    if (!spoiled_.empty() && (in->type().is(Type::Kind::List) || in->type().is(Type::Kind::Dict))) spoil(values_[in]);
    inputs.push_back(&operand(node, i, temporaries));
    unknown = unknown || !inputs.back()->known();
  }
  const std::optional<Sampled> any = unknown ? std::nullopt : any_taken(node, inputs);
  if (any && aten::acts_as(node, aten::Container::Item)) {
    inputs[0] = &*any;
    unknown = !any->known();
  }
  const bool sets_entry = note_entry(node, inputs);
  if (unknown && sets_entry) return;
  unknown = unknown || reads_spoiled(node, inputs);
  if (has_writes_) forget_content_possibly_written(node, inputs, !unknown);
  if (unknown) {
    for (Value* out : node.outputs()) values_[out] = Sampled{};
    if (returns_number(node)) return record_any_number(node);
    // The samples have only some of the possible items.
    if (any && !any->known() && aten::acts_as(node, aten::Container::Item)) return record(node.output(), *any);
    set_unknown(node);
    return;
  }
  if (uncertain_ > 0) {
    if (resizes(node) && !is_made_beside(*node.input(), node)) return forget_resized(node);
    forget_content_written(node, inputs);
  }
  std::vector<Sampled> outputs(node.output_count());
  bool invalidates_list = changes_any_place(node, inputs);
  const bool removes_item =
      (aten::acts_as(node, aten::Container::Pop) || aten::acts_as(node, aten::Container::Delete)) &&
      node.input()->type().is(Type::Kind::List) && inputs[0]->settled;
  std::vector<std::vector<DatumPtr>> before;  // the items of a list that the node removes one from
  for (std::size_t sample = 0; removes_item && sample < count_; ++sample)
    before.push_back(evaluator_.items(*inputs[0]->samples[sample]));
  const Sampled whole = removes_item ? *inputs[0] : Sampled{};
  auto outcome = ir::Evaluator::Outcome::Done;
  evaluate_samples(node, inputs, outputs, outcome, unknown);
  // Later reads have the shape of the source. The facts stay those of earlier reads until replace_memory() renames the
  // tensor.
  const bool sets_storage = uncertain_ == 0 && aten::write_of(node) == aten::Write::Memory && inputs.size() == 2 &&
                            node.input(1)->type().is(Type::Kind::Tensor);
  if (sets_storage) values_[node.input()] = Sampled(*inputs[1]);
  if (has_writes_ && (unknown || outcome == ir::Evaluator::Outcome::NoRule))
    forget_content_possibly_written(node, inputs, false);
  if (unknown) {
    if (returns_number(node)) return record_any_number(node);
    set_unknown(node);
    return;
  }
  if (outcome == ir::Evaluator::Outcome::NoRule) {
    if (returns_number(node)) return record_any_number(node);
    set_unknown(node, true);
    return;
  }
  note_thresholds(node, inputs, outputs);
  settle_never(outputs);
  forget_resized_out(node, outputs);
  if (!outputs.empty() && std::ranges::all_of(outputs, &Sampled::unreachable)) {
    for (std::size_t o = 0; o < outputs.size(); ++o) record(node.output(o), std::move(outputs[o]));
    return;
  }
  if (has_no_value(node) && !writes(node)) {
    for (Sampled& out : outputs) {
      for (DatumPtr& sample : out.samples) {
        const Facts facts = evaluator_.describe(*sample, 0);
        if (const auto dims = facts.fixed_dims()) sample = evaluator_.meta(facts.dtype, *dims);
      }
      out.meta = true;
    }
  }
  if (const auto open = single_axes(node).open; !open.empty()) open_rank(outputs.at(0), *inputs[0], open);
  mark_varying(node, inputs, outputs);
  note_container_writes(node, inputs, sets_entry);
  for (std::size_t o = 0; o < outputs.size(); ++o)
    if (!node.output(o)->type().is(Type::Kind::Tensor) && !node.output(o)->type().is_scalar()) spoil(outputs[o]);
  if (outcome == ir::Evaluator::Outcome::DataDependent) {
    perturb_outputs(node, inputs, outputs);
  } else {
    open_what_data_decide(node, inputs, outputs);
  }
  const auto repeated = repeated_list(node);
  const bool is_part = repeated || aten::acts_as(node, aten::Container::Part);
  if (is_part && outputs[0].known()) open_part(node, inputs, outputs[0]);
  note_settled(node, inputs, outputs);
  for (std::size_t o = 0; o < outputs.size(); ++o)
    if (node.output(o)->type().is(Type::Kind::List)) outputs[o].is_mixed = may_be_mixed(inputs, outputs[o]);
  if (any) {
    show_any_taken(node, *inputs[0], *any, outputs);
  } else if (is_part) {
    show_lost_items(node, *inputs[repeated.value_or(0)], outputs[0]);
  }
  if (removes_item && of(node.input()).known())
    invalidates_list = invalidates_list || std::ranges::any_of(lost_items(node, whole, before, of(node.input())),
                                                               [](const auto& items) { return !items.empty(); });
  if (invalidates_list) forget_list(node, outputs);
  const aten::Traits& traits = aten::traits_of(node);
  const bool may_alias = has_writes_ && aten::may_alias(traits) && !outputs.empty() && outputs[0].known();
  if (may_alias) note_sharing(node, *inputs[0], outputs[0]);
  if (traits.reads_memory) note_layout(node);
  for (std::size_t o = 0; o < outputs.size(); ++o) record(node.output(o), std::move(outputs[o]));
  note_picked_write(node, inputs);
}

}  // namespace tonnx::program
