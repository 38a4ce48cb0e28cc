// An operator on tensors whose flag a run decides becomes a branch for each value of it, and one whose dtype, or list
// of axes that nobody writes to, branches choose from constants one for each of these.
//
// Needs no facts: a flag may decide a rank (keepdim), so that this goes before they are inferred. Operators that write
// stay where the program has writes, and normalisations that keep statistics, which a branch would have to hand on:
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

// What is computed with, whatever it is: a mask where it holds, a count of elements.
constexpr std::array<std::string_view, 2> kComputed = {"is_causal", "unbiased"};

constexpr std::size_t kMostForms = 16;  // that branches choose one from

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
    const bool is_computed = std::ranges::find(kComputed, schema->arguments[i].name) != kComputed.end();
    if (!is_computed && is_flag(schema->arguments[i].type) && in->type().is(Type::Kind::Bool) && !in->constant())
      return in;
  }
  return nullptr;
}

bool is_list(const Type& type) {
  return type.is(Type::Kind::Optional) ? is_list(type.elements.at(0)) : type.is(Type::Kind::List);
}

// Whether nobody writes to the list, nor gets another name for it.
bool is_only_read(const Value& list) {
  const auto is_name = [](const Value* out) { return !out->type().is(Type::Kind::Tensor) && !out->type().is_scalar(); };
  return std::ranges::all_of(list.uses(), [&](const ir::Use& use) {
    const bool writes = ir::writes_argument(*use.node, use.index);
    return use.node->domain() == "aten" && !writes && std::ranges::none_of(use.node->outputs(), is_name);
  });
}

// A constant, or a list of such that a branch makes and hands on.
bool is_settled(const Value* value) {
  if (value->constant()) return true;
  const Node* node = value->node();
  return node && aten::acts_as(*node, aten::Container::List) && value->uses().size() == 1 &&
         std::ranges::all_of(node->inputs(), is_settled);
}

// Adds what branches choose a value from; false where something of it is not settled.
bool find_forms(const Value* value, std::vector<const Value*>& forms) {
  if (is_settled(value)) return forms.push_back(value), forms.size() <= kMostForms;
  const Node* branch = value->node();
  if (!branch || !branch->is("prim::If")) return false;
  return std::ranges::all_of(branch->blocks(), [&](const ir::Block* side) {
    const Value* given = side->outputs()[value->index()];
    return (!is_list(given->type()) || given->uses().size() == 1) && find_forms(given, forms);
  });
}

// What tells dtype and rank of the result, where models have no other form than one for each.
bool tells_form(const ir::Argument& argument) {
  return argument.name == "dtype" || ((argument.name == "dim" || argument.name == "dims") && is_list(argument.type)) ||
         argument.name == "pad";
}

Value* chosen_form(const Node& node) {
  const ir::Schema* schema = node.schema();
  if (!schema || node.domain() != "aten" || node.output_count() == 0 || aten::traits_of(node).spells_sizes)
    return nullptr;
  for (std::size_t i = 0; i < node.input_count() && i < schema->arguments.size(); ++i) {
    Value* in = node.input(i);
    if (!tells_form(schema->arguments[i]) || in->constant() || !in->node() || !in->node()->is("prim::If")) continue;
    std::vector<const Value*> forms;
    if ((!is_list(in->type()) || is_only_read(*in)) && find_forms(in, forms)) return in;
  }
  return nullptr;
}

Value* settled_copy(Inserter& insert, const Value* value) {
  if (value->constant()) {
    Value* copy = insert.constant(*value->constant());
    copy->set_type(value->type());
    return copy;
  }
  std::vector<Value*> items;
  for (const Value* item : value->node()->inputs()) items.push_back(settled_copy(insert, item));
  return insert.list(value->type(), items);
}

void branch_per_flag(Node& node, Value* flag) {
  Inserter insert(&node);
  const std::array<Value*, 2> values = {insert.boolean(true), insert.boolean(false)};
  branch_per_value(node, {[&](Inserter&, std::size_t) { return flag; }, flag, values});
}

// By which of its forms a run has chosen: the branches that choose it give the number as well.
class FormNumbers {
 public:
  Value* of(const Value* chosen) {
    if (const auto known = numbers_.find(chosen); known != numbers_.end()) return known->second;
    std::int64_t next = 0;
    return numbers_[chosen] = add(*chosen, next);
  }

 private:
  static Value* add(const Value& chosen, std::int64_t& next) {
    Node& branch = *chosen.node();
    const auto number_in = [&](ir::Block* side) {
      const Value* given = side->outputs()[chosen.index()];
      return is_settled(given) ? Inserter(side, branch.location()).integer(next++) : add(*given, next);
    };
    Value *yes = number_in(branch.block(0)), *no = number_in(branch.block(1));
    Value* number = add_result(branch, Type::of(Type::Kind::Int), yes, no);
    number->set_facts({ir::DType::Int64, std::vector<ir::Dim>(), nullptr});
    return number;
  }

  std::unordered_map<const Value*, Value*> numbers_;
};

void branch_per_form(Node& node, const Value* chosen, FormNumbers& numbers) {
  Inserter insert(&node);
  std::vector<const Value*> forms;
  find_forms(chosen, forms);
  std::vector<Value*> values;
  for (const Value* form : forms) values.push_back(settled_copy(insert, form));
  Value* const number = forms.size() > 2 ? numbers.of(chosen) : nullptr;
  const auto is = [&](Inserter& before, std::size_t at) {
    if (!number) return chosen->node()->input();
    return before.call("aten::eq.int", {number, before.integer(static_cast<std::int64_t>(at))});
  };
  branch_per_value(node, {is, chosen, values});
}

}  // namespace

bool choose_flags(ir::Graph& graph, const Kept& kept) {
  const bool any_writes = has_writes(graph);
  const std::vector<Node*> nodes = nodes_where(graph, [&](Node* node) {
    const bool is_open = open_flag(*node) || chosen_form(*node);
    return is_open && !(kept && kept(*node)) && !(any_writes && writes(*node));
  });
  FormNumbers numbers;
  for (Node* node : nodes) {
    if (Value* flag = open_flag(*node)) {
      branch_per_flag(*node, flag);
    } else {
      branch_per_form(*node, chosen_form(*node), numbers);
    }
  }
  return !nodes.empty();
}

}  // namespace tonnx::program
