// Replaces an operator on tensors with a dynamic flag by a branch for each value of the flag. Replaces an operator
// whose dtype or list of axes is one of several constants, selected by Ifs, by a branch for each constant.
//
// Needs no facts, and runs before them, because a flag may decide a rank (keepdim). Does not change operators that
// write, and normalisations that update statistics, which would become results of the branches:
//
//   %r = aten::sum(%x, %dims, %keepdim)      %r = prim::If(%keepdim)
//                                              block0: %a = aten::sum(%x, %dims, True) -> (%a)
//                                              block1: %b = aten::sum(%x, %dims, False) -> (%b)
#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "aten/containers.h"
#include "aten/training_flags.h"
#include "aten/traits.h"
#include "ir/schema.h"
#include "ir/writes.h"
#include "program/control/branch_per_value.h"
#include "program/control/carry.h"
#include "program/control/passes.h"
#include "program/edit.h"
#include "program/nodes_where.h"

namespace tonnx::program {

using ir::Node;
using ir::Type;
using ir::Value;

namespace {

// Flags that lowering computes with (a mask, a number of elements), so that they may be dynamic.
constexpr std::array<std::string_view, 2> kOperandFlags = {"is_causal", "unbiased"};

// A candidate is one of the constants that Ifs select an argument from.
constexpr std::size_t kMostCandidates = 16;

bool is_flag(const Type& type) {
  return type.is(Type::Kind::Optional) ? is_flag(type.elements.at(0)) : type.is(Type::Kind::Bool);
}

bool holds_tensors(const Value* value) {
  return value->type().is(Type::Kind::Tensor) || value->type().is_tensor_list();
}

bool keeps_statistics(const ir::Schema& schema) {
  return std::ranges::any_of(schema.arguments,
                             [](const ir::Argument& argument) { return aten::is_statistic(argument.name); });
}

Value* open_flag(const Node& node) {
  const ir::Schema* schema = node.schema();
  if (!schema || node.domain() != "aten" || node.output_count() == 0 || node.output(0)->type().is_scalar())
    return nullptr;
  if (std::ranges::none_of(node.inputs(), holds_tensors) || keeps_statistics(*schema)) return nullptr;
  for (std::size_t i = 0; i < node.input_count() && i < schema->arguments.size(); ++i) {
    Value* in = node.input(i);
    const bool is_operand = std::ranges::find(kOperandFlags, schema->arguments[i].name) != kOperandFlags.end();
    if (!is_operand && is_flag(schema->arguments[i].type) && in->type().is(Type::Kind::Bool) && !in->constant())
      return in;
  }
  return nullptr;
}

bool is_list(const Type& type) {
  return type.is(Type::Kind::Optional) ? is_list(type.elements.at(0)) : type.is(Type::Kind::List);
}

// True if no user of the list writes to it or returns an alias of it.
bool is_only_read(const Value& list) {
  const auto is_name = [](const Value* out) { return !out->type().is(Type::Kind::Tensor) && !out->type().is_scalar(); };
  return std::ranges::all_of(list.uses(), [&](const ir::Use& use) {
    const bool writes = ir::writes_argument(*use.node, use.index);
    return use.node->domain() == "aten" && !writes && std::ranges::none_of(use.node->outputs(), is_name);
  });
}

// True for a constant, and for a list of constants that is only returned by its branch.
bool is_candidate(const Value* value) {
  if (value->constant()) return true;
  const Node* node = value->node();
  return node && aten::acts_as(*node, aten::Container::List) && value->uses().size() == 1 &&
         std::ranges::all_of(node->inputs(), is_candidate);
}

// Adds the candidates for a value. Returns false if there are too many, or one is not constant.
bool find_candidates(const Value* value, std::vector<const Value*>& candidates) {
  if (is_candidate(value)) return candidates.push_back(value), candidates.size() <= kMostCandidates;
  const Node* branch = value->node();
  if (!branch || !branch->is("prim::If")) return false;
  return std::ranges::all_of(branch->blocks(), [&](const ir::Block* block) {
    const Value* result = block->outputs()[value->index()];
    return (!is_list(result->type()) || result->uses().size() == 1) && find_candidates(result, candidates);
  });
}

// True if the argument decides the dtype or rank of the result, so that a model needs it as a constant.
bool decides_dtype_or_rank(const ir::Argument& argument) {
  return argument.name == "dtype" || ((argument.name == "dim" || argument.name == "dims") && is_list(argument.type)) ||
         argument.name == "pad";
}

Value* chosen_argument(const Node& node) {
  const ir::Schema* schema = node.schema();
  if (!schema || node.domain() != "aten" || node.output_count() == 0 || aten::traits_of(node).spells_sizes)
    return nullptr;
  for (std::size_t i = 0; i < node.input_count() && i < schema->arguments.size(); ++i) {
    Value* in = node.input(i);
    if (!decides_dtype_or_rank(schema->arguments[i]) || in->constant() || !in->node() || !in->node()->is("prim::If"))
      continue;
    std::vector<const Value*> candidates;
    if ((!is_list(in->type()) || is_only_read(*in)) && find_candidates(in, candidates)) return in;
  }
  return nullptr;
}

Value* copy_candidate(Inserter& insert, const Value* value) {
  if (value->constant()) {
    Value* copy = insert.constant(*value->constant());
    copy->set_type(value->type());
    return copy;
  }
  std::vector<Value*> items;
  for (const Value* item : value->node()->inputs()) items.push_back(copy_candidate(insert, item));
  return insert.list(value->type(), items);
}

void branch_per_flag(Node& node, Value* flag) {
  Inserter insert(&node);
  const std::array<Value*, 2> values = {insert.boolean(true), insert.boolean(false)};
  branch_per_value(node, flag, values, Selector::by_flag(flag));
}

// The index of the candidate that a run selects, as an added result of the Ifs that select it.
class CandidateIndices {
 public:
  Value* of(const Value* chosen) {
    if (const auto known = indices_.find(chosen); known != indices_.end()) return known->second;
    std::int64_t next = 0;
    return indices_[chosen] = add(*chosen, next);
  }

 private:
  static Value* add(const Value& chosen, std::int64_t& next) {
    Node& branch = *chosen.node();
    const auto index_in = [&](ir::Block* block) {
      const Value* result = block->outputs()[chosen.index()];
      return is_candidate(result) ? Inserter(block, branch.location()).integer(next++) : add(*result, next);
    };
    Value *yes = index_in(branch.block(0)), *no = index_in(branch.block(1));
    Value* index = add_result(branch, Type::of(Type::Kind::Int), yes, no);
    index->set_facts({ir::DType::Int64, std::vector<ir::Dim>(), nullptr});
    return index;
  }

  std::unordered_map<const Value*, Value*> indices_;
};

void branch_per_candidate(Node& node, const Value* chosen, CandidateIndices& indices) {
  Inserter insert(&node);
  std::vector<const Value*> candidates;
  find_candidates(chosen, candidates);
  std::vector<Value*> values;
  for (const Value* candidate : candidates) values.push_back(copy_candidate(insert, candidate));
  const bool is_flag = candidates.size() == 2;
  branch_per_value(node, chosen, values,
                   is_flag ? Selector::by_flag(chosen->node()->input()) : Selector::by_index(indices.of(chosen)));
}

}  // namespace

bool choose_flags(ir::Graph& graph, const Kept& kept) {
  const bool any_writes = has_writes(graph);
  const std::vector<Node*> nodes = nodes_where(graph, [&](Node* node) {
    const bool is_open = open_flag(*node) || chosen_argument(*node);
    return is_open && !(kept && kept(*node)) && !(any_writes && writes(*node));
  });
  CandidateIndices indices;
  for (Node* node : nodes) {
    if (Value* flag = open_flag(*node)) {
      branch_per_flag(*node, flag);
    } else {
      branch_per_candidate(*node, chosen_argument(*node), indices);
    }
  }
  return !nodes.empty();
}

}  // namespace tonnx::program
