#include "program/traces/trace_walk.h"

#include <algorithm>

#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "ir/error.h"
#include "ir/refusal.h"
#include "program/operand.h"

namespace tonnx::program {

using ir::Block;
using ir::Constant;
using ir::Dim;
using ir::Node;
using ir::Tensor;
using ir::Value;

namespace {

constexpr const char* kPath =
    "the code takes another path at another size; select with tensor operators (torch::where), loop over tensors, or "
    "leave the axis fixed";

constexpr std::size_t kMostRunsListed = 4;  // of one value in a message

// LibTorch's index() records an alias if it slices nothing; another run may lack it. An alias by detach() is compared.
bool is_alias(const Node& node) { return node.is("aten::alias"); }

const Value* without_aliases(const Value* value) {
  while (value->node() && is_alias(*value->node())) value = value->node()->input(0);
  return value;
}

const Node* next_call(const Node* node) {
  node = next_operator(node);
  while (node && is_alias(*node)) node = next_operator(node->next());
  return node;
}

std::size_t count_nodes(const ir::Graph& graph) {
  std::size_t count = 0;
  for_each_node(graph.block(), [&](const Node* node) { count += !node->is("prim::Constant") && !is_alias(*node); });
  return count;
}

bool is_constant(const Value* value) { return value->node() && value->node()->is("prim::Constant"); }

const Tensor* tensor_of(const Value* value) {
  if (value->weight()) return value->weight();
  const Constant* constant = is_constant(value) ? value->constant() : nullptr;
  return constant ? constant->get<Tensor>() : nullptr;
}

bool has_same_blocks(const Node& a, const Node& b) {
  if (a.blocks().size() != b.blocks().size()) return false;
  for (std::size_t i = 0; i < a.blocks().size(); ++i)
    if (a.block(i)->inputs().size() != b.block(i)->inputs().size() ||
        a.block(i)->outputs().size() != b.block(i)->outputs().size())
      return false;
  return true;
}

std::optional<std::int64_t> integer(const Node& node, std::size_t input) {
  return input < node.input_count() ? ir::constant_integer(node.input(input)) : std::nullopt;
}

bool is_slice(const Node& node) { return aten::traits_of(node).inverse == aten::Inverse::Slice; }

std::optional<std::int64_t> axis_of(const Node& node) { return is_slice(node) ? integer(node, 1) : std::nullopt; }

std::optional<std::int64_t> size_along(const Value& value, std::optional<std::int64_t> axis) {
  const auto& dims = value.facts().dims;
  if (!dims || !axis || *axis < 0 || static_cast<std::size_t>(*axis) >= dims->size()) return std::nullopt;
  const Dim& dim = (*dims)[static_cast<std::size_t>(*axis)];
  return dim.is_fixed() ? std::optional(dim.size()) : std::nullopt;
}

// The tensor that in-place operators returned, before they wrote to it.
const Value* unwritten(const Value* value) {
  value = without_aliases(value);
  for (const Node* node = value->node(); node && node->schema() && node->input_count() > 0; node = value->node()) {
    const ir::Schema& schema = *node->schema();
    const Value* self = node->input();
    const bool returns_it = schema.returns.size() == 1 && schema.arguments[0].is_write &&
                            schema.returns[0].alias_set == schema.arguments[0].alias_set;
    const auto dims = self->facts().fixed_dims();
    if (!returns_it || !dims || dims != value->facts().fixed_dims()) break;
    value = without_aliases(self);
  }
  return value;
}

// If one run writes to a tensor and another to a slice of all of it, later operands may be either.
bool same_tensor(const Value* a, const Value* b) { return a == b || (a && unwritten(a) == unwritten(b)); }

}  // namespace

TraceWalk::TraceWalk(const TracedRuns& runs) : runs_(runs), partners_(runs.graphs.size()) {
  for (std::size_t run = 1; run < run_count(); ++run)
    if (count_nodes(*runs.graphs[run]) > count_nodes(*runs.graphs[base_])) base_ = run;
  table_.names = runs.symbols;
  table_.symbols = runs.symbols.size();
  table_.runs = runs.sizes;
  table_.multiples = runs.multiples;
  table_.refused = runs.refused;
  table_.largest = runs.largest;
}

void TraceWalk::run() {
  check_inputs();
  std::vector<const Block*> blocks;
  for (const ir::Graph* graph : runs_.graphs) blocks.push_back(&graph->block());
  walk(blocks);
}

const Value* TraceWalk::partner(std::size_t run, const Value* base) const {
  base = without_aliases(base);
  if (run == base_) return base;
  if (base->weight()) return weight_named(run, base->name());
  const auto found = partners_[run].find(base);
  return found == partners_[run].end() ? nullptr : found->second;
}

const Value* TraceWalk::weight_named(std::size_t run, const std::string& name) const {
  const auto weights = runs_.graphs[run]->weights();
  const auto found = std::ranges::find(weights, name, [](const Value* weight) { return weight->name(); });
  return found == weights.end() ? nullptr : *found;
}

std::string TraceWalk::sizes_of(std::size_t run) const {
  std::string text;
  for (std::size_t k = 0; k < runs_.symbols.size(); ++k)
    text += (k ? ", " : "") + runs_.symbols[k] + " = " + std::to_string(runs_.sizes[run][k]);
  return text;
}

std::string TraceWalk::at_sizes(const std::vector<std::string>& values) const {
  std::vector<std::pair<std::string, std::vector<std::size_t>>> groups;
  for (std::size_t run = 0; run < values.size(); ++run) {
    const auto known = std::ranges::find(groups, values[run], [](const auto& group) { return group.first; });
    if (known == groups.end())
      groups.push_back({values[run], {run}});
    else
      known->second.push_back(run);
  }
  std::string text;
  for (const auto& [value, runs] : groups) {
    text += (text.empty() ? "" : "; ") + value + " at ";
    for (std::size_t i = 0; i < runs.size() && i < kMostRunsListed; ++i) text += (i ? " and " : "") + sizes_of(runs[i]);
    if (runs.size() > kMostRunsListed) text += " and " + std::to_string(runs.size() - kMostRunsListed) + " more";
  }
  return text;
}

void TraceWalk::refuse(const Node& node, std::size_t input, const std::string& reason) const {
  throw refusal(operand_of(node, input), reason);
}

void TraceWalk::refuse_path(const Node* base, std::size_t run, const Node* other) const {
  throw refusal(base ? *base : *other, "runs at " + sizes_of(base ? base_ : run) + " where " +
                                           describe_step(base ? other : base) + " runs at " +
                                           sizes_of(base ? run : base_) + ": " + kPath);
}

void TraceWalk::check_inputs() {
  const ir::Graph& first = *runs_.graphs[0];
  for (std::size_t run = 0; run < run_count(); ++run) {
    const ir::Graph& graph = *runs_.graphs[run];
    if (graph.inputs().size() != first.inputs().size())
      throw ir::Error(ir::Code::Argument, "the inputs of two runs differ in number");
    for (std::size_t i = 0; i < first.inputs().size(); ++i) {
      const Value* input = graph.inputs()[i];
      pair(run, base().inputs()[i], input);
      const auto& dims = input->facts().dims;
      const auto& example = first.inputs()[i]->facts().dims;
      const std::string name = "input " + first.inputs()[i]->name();
      if (input->facts().dtype != first.inputs()[i]->facts().dtype || !dims || dims->size() != example->size())
        throw ir::Error(ir::Code::Argument, name + " has another dtype or rank at " + sizes_of(run));
      for (std::size_t d = 0; d < dims->size(); ++d) {
        std::int64_t wanted = (*example)[d].size();
        for (const InputAxis& axis : runs_.axes)
          if (axis.input == i && axis.axis == d) {
            const auto k = std::find(runs_.symbols.begin(), runs_.symbols.end(), axis.symbol) - runs_.symbols.begin();
            wanted = runs_.sizes[run][static_cast<std::size_t>(k)];
          }
        if ((*dims)[d].size() != wanted)
          throw ir::Error(ir::Code::Argument, name + ", axis " + std::to_string(d) + ": the size is " +
                                                  std::to_string((*dims)[d].size()) + " instead of " +
                                                  std::to_string(wanted) + " at " + sizes_of(run));
      }
    }
  }
}

void TraceWalk::walk(const std::vector<const Block*>& blocks) {
  std::vector<const Node*> nodes;
  for (const Block* block : blocks) nodes.push_back(next_call(block->first()));
  for (const Node*& base = nodes[base_]; base; base = next_call(base->next())) {
    std::vector<const Node*> matches(run_count(), nullptr);
    for (std::size_t run = 0; run < run_count(); ++run) {
      if (nodes[run] && same_operator(*base, *nodes[run])) {
        const bool is_other = run != base_ && changes_nothing(*base, run) &&
                              (partner(run, base->input()) != without_aliases(nodes[run]->input()) ||
                               axis_of(*base) != axis_of(*nodes[run]));
        if (!is_other) matches[run] = nodes[run];
      }
      if (!matches[run] && !changes_nothing(*base, run)) refuse_path(base, run, nodes[run]);
    }
    compare(matches);
    for (std::size_t run = 0; run < run_count(); ++run) {
      if (!matches[run]) {
        pair(run, base->output(), partner(run, base->input()));
        continue;
      }
      for (std::size_t i = 0; i < base->output_count(); ++i) pair(run, base->output(i), matches[run]->output(i));
      if (run != base_) nodes[run] = next_call(nodes[run]->next());
    }
    for (std::size_t b = 0; b < base->blocks().size(); ++b) {
      std::vector<const Block*> inner;
      for (std::size_t run = 0; run < run_count(); ++run) {
        inner.push_back(matches[run]->block(b));
        for (std::size_t i = 0; i < base->block(b)->inputs().size(); ++i)
          pair(run, base->block(b)->inputs()[i], inner[run]->inputs()[i]);
      }
      walk(inner);
    }
    if (!base->parent()->owner()) measure(*base);
  }
  std::vector<const Node*> ends;
  for (std::size_t run = 0; run < run_count(); ++run) {
    if (nodes[run]) refuse_path(nullptr, run, nodes[run]);
    ends.push_back(blocks[run]->return_node());
    if (ends[run]->input_count() != blocks[base_]->return_node()->input_count())
      throw ir::Error(ir::Code::Unsupported, "the outputs differ in number: " + std::string(kPath));
  }
  compare(ends);
}

bool TraceWalk::same_operator(const Node& base, const Node& other) const {
  if (base.full_name() != other.full_name() || base.input_count() != other.input_count() ||
      base.output_count() != other.output_count() || !has_same_blocks(base, other) ||
      base.attributes().size() != other.attributes().size())
    return false;
  for (std::size_t i = 0; i < base.output_count(); ++i)
    if (base.output(i)->type() != other.output(i)->type()) return false;
  return true;
}

// LibTorch's C++ interface does not record contiguous() of a contiguous tensor, or a slice of a whole axis.
bool TraceWalk::changes_nothing(const Node& base, std::size_t run) const {
  if (aten::keeps_operand(aten::traits_of(base))) return true;
  if (!is_slice(base) || base.input_count() != 5) return false;
  const Value* value = partner(run, base.input());
  return integer(base, 2) == 0 && integer(base, 4) == 1 && integer(base, 3) && value &&
         size_along(*value, axis_of(base));
}

void TraceWalk::compare(const std::vector<const Node*>& nodes) {
  for (std::size_t i = 0; i < nodes[base_]->input_count(); ++i) compare_operand(nodes, i);
}

// A null node: the run does not record the base's node; only its first operand is known there.
void TraceWalk::compare_operand(const std::vector<const Node*>& nodes, std::size_t input) {
  const Node& base = *nodes[base_];
  const Value* first = base.input(input);
  DifferingOperand found{&base, input, table_.names.size(), {}};
  const bool known = is_constant(first) || first->weight();
  std::vector<const Constant*> constants;
  std::vector<const Tensor*> tensors;
  for (std::size_t run = 0; run < run_count(); ++run) {
    const Value* value = nodes[run] ? nodes[run]->input(input) : first;
    if (known ? !is_constant(value) && !value->weight() : nodes[run] && !same_tensor(partner(run, first), value))
      refuse(base, input,
             "comes from another value at " + sizes_of(run) + " than at " + sizes_of(base_) + ": " + kPath);
    if (!known) continue;
    tensors.push_back(tensor_of(value));
    static const Constant none;
    constants.push_back(value->constant() ? value->constant() : &none);
    if ((tensors[run] == nullptr) != (tensors[0] == nullptr))
      refuse(base, input, "is not a tensor at " + sizes_of(tensors[0] ? run : 0) + ": " + kPath);
  }
  if (!known) return;
  const std::vector<Constant> unrecorded = input == 3 ? unrecorded_ends(nodes, constants) : std::vector<Constant>();
  for (std::size_t run = 0; run < unrecorded.size(); ++run)
    if (!nodes[run]) constants[run] = &unrecorded[run];
  if (tensors[0])
    compare_tensors(found, tensors);
  else
    compare_constants(found, constants);
  if (!found.numbers.empty()) operands_.push_back(std::move(found));
}

// The end of a slice in each run, the size of the axis for runs that do not record it. Empty if one constant fits all:
// the recorded ends are equal, and no unrecorded one is larger.
std::vector<Constant> TraceWalk::unrecorded_ends(const std::vector<const Node*>& nodes,
                                                 const std::vector<const Constant*>& ends) const {
  const Node& base = *nodes[base_];
  if (!is_slice(base)) return {};
  bool is_constant_end = true;
  std::vector<Constant> sizes;
  for (std::size_t run = 0; run < run_count(); ++run) {
    if (nodes[run]) {
      sizes.push_back(*ends[run]);
      is_constant_end &= ir::same_constant(*ends[run], *ends[base_]);
    } else {
      const std::int64_t size = size_along(*partner(run, base.input()), axis_of(base)).value();
      sizes.push_back({size});
      is_constant_end &= size <= *integer(base, 3);
    }
  }
  return is_constant_end ? std::vector<Constant>() : sizes;
}

void TraceWalk::measure(const Node& base) {
  for (const Value* value : base.outputs()) {
    if (!value->type().is(ir::Type::Kind::Tensor) || !value->facts().dims) continue;
    for (std::size_t axis = 0; axis < value->facts().dims->size(); ++axis) {
      std::vector<std::int64_t> sizes;
      for (std::size_t run = 0; run < run_count(); ++run) {
        const Value* other = partner(run, value);
        const auto& dims = other->facts().dims;
        if (!dims || axis >= dims->size() || !(*dims)[axis].is_fixed()) break;
        sizes.push_back((*dims)[axis].size());
      }
      if (sizes.size() < run_count()) continue;
      bool known = std::all_of(sizes.begin(), sizes.end(), [&](std::int64_t size) { return size == sizes[0]; });
      for (std::size_t i = 0; i < table_.names.size() && !known; ++i) known = table_.of(i) == sizes;
      if (known) continue;
      measured_.push_back({value, axis});
      table_.names.push_back("size " + std::to_string(axis) + " of " + base.full_name());
      for (std::size_t run = 0; run < run_count(); ++run) table_.runs[run].push_back(sizes[run]);
    }
  }
}

}  // namespace tonnx::program
