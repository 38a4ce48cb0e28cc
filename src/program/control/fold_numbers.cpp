// Folds scalars: round trips through tensors, results with a constant value, and tolist() of tensors with fixed sizes.
#include <algorithm>
#include <string_view>
#include <vector>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/writes.h"
#include "program/control/passes.h"
#include "program/edit.h"

namespace tonnx::program {

using ir::Constant;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

aten::Number conversion_of(const Node& node) { return aten::traits_of(node).number; }

bool is_plain(const Constant& constant) {
  if (const auto* list = constant.get<Constant::List>())
    return std::all_of(list->items.begin(), list->items.end(), is_plain);
  return constant.is_number() || constant.is_none() || constant.get<std::string>();
}

// The scalar that a conversion returns unchanged; null if it converts something else.
Value* source_of(const Node& node, bool has_writes) {
  if (conversion_of(node) == aten::Number::None || node.input_count() != 1) return nullptr;
  Value* in = node.input();
  const Type& to = node.output()->type();
  const auto fits = [&](const Value* number) {
    if (!number->type().is_scalar() || number->type().is(Type::Kind::Number)) return false;
    return to == number->type() || to.is(Type::Kind::Number);
  };
  if (in->type().is_scalar()) return conversion_of(node) == aten::Number::Cast && fits(in) ? in : nullptr;
  if (!in->node() || !in->node()->is("prim::NumToTensor") || !fits(in->node()->input())) return nullptr;
  const bool untouched = !has_writes || std::all_of(in->uses().begin(), in->uses().end(), [](const ir::Use& use) {
    return conversion_of(*use.node) != aten::Number::None;
  });
  return untouched ? in->node()->input() : nullptr;
}

bool fold_constant(Node& node, bool has_writes) {
  if (node.output_count() == 0 || !node.blocks().empty() || writes(node)) return false;
  for (const Value* out : node.outputs()) {
    const Constant* constant = out->constant();
    if (!constant || !is_plain(*constant)) return false;
    // In a program with writes, a list may differ from the constant later.
    if (has_writes && constant->get<Constant::List>()) return false;
    if (out->type().is(Type::Kind::Tensor)) return false;
    if (!constant->get<Constant::List>()) continue;
    const Type& type = out->type();
    if (!type.is(Type::Kind::List) || !(type.elements[0].is_scalar() || type.elements[0].is(Type::Kind::String)))
      return false;
  }
  bool changed = false;
  for (Value* out : node.outputs()) {
    if (out->is_unused()) continue;
    Inserter insert(&node);
    Value* constant = insert.constant(*out->constant());
    constant->set_type(out->type());
    out->replace_uses(constant);
    changed = true;
  }
  return changed;
}

bool is_nested(const Type& type) { return type.is(Type::Kind::List) && type.elements[0].is(Type::Kind::List); }

// Replaces x.tolist() of rank 2 and more, with fixed sizes, by a list of the rows' tolist().
bool expand_rows(Node& node) {
  if (!node.is("prim::tolist") || !is_nested(node.output()->type()) || node.output()->is_unused()) return false;
  const auto dims = node.input()->facts().fixed_dims();
  if (!dims || dims->empty()) return false;
  Inserter insert(&node);
  std::vector<Value*> rows;
  for (std::int64_t i = 0; i < dims->front(); ++i) {
    ValueMap map{{node.input(), insert.call("aten::select.int", {node.input(), insert.integer(0), insert.integer(i)})}};
    map.begin()->second->set_facts(
        {node.input()->facts().dtype, std::vector<ir::Dim>(dims->begin() + 1, dims->end()), nullptr});
    Node* row = copy_node(node, map);
    row->output()->set_type(node.output()->type().elements[0]);
    row->output()->set_facts({});
    insert.insert(row);
    rows.push_back(row->output());
  }
  node.output()->replace_uses(insert.list(node.output()->type(), rows));
  return true;
}

// True if the user needs the items of the list: it unpacks the list, or creates a tensor of these sizes.
bool needs_items_of_list(const ir::Use& use) {
  if (aten::acts_as(*use.node, aten::Container::ListUnpack)) return true;
  const ir::Schema* schema = use.node->schema();
  return schema && use.index < schema->arguments.size() && schema->arguments[use.index].name == "size" &&
         std::ranges::none_of(use.node->inputs(), [](const Value* in) { return in->type().is(Type::Kind::Tensor); });
}

// Replaces x.tolist() of a vector of fixed length, if a user needs the items, by a list of its elements.
bool expand_numbers(Node& node) {
  if (!node.is("prim::tolist") || !node.output()->type().is(Type::Kind::List) || is_nested(node.output()->type()))
    return false;
  const auto dims = node.input()->facts().fixed_dims();
  if (!dims || dims->size() != 1 || std::ranges::none_of(node.output()->uses(), needs_items_of_list)) return false;
  const Type& type = node.output()->type().elements[0];
  const std::string_view number = type.is(Type::Kind::Int)     ? "aten::Int.Tensor"
                                  : type.is(Type::Kind::Float) ? "aten::Float.Tensor"
                                                               : "aten::Bool.Tensor";
  Inserter insert(&node);
  std::vector<Value*> numbers;
  for (std::int64_t i = 0; i < dims->front(); ++i) {
    Value* element = insert.call("aten::select.int", {node.input(), insert.integer(0), insert.integer(i)});
    numbers.push_back(insert.call(number, {element}));
  }
  node.output()->replace_uses(insert.list(node.output()->type(), numbers));
  return true;
}

}  // namespace

bool fold_numbers(ir::Graph& graph) {
  const bool is_written = has_writes(graph);
  bool changed = false;
  for_each_node(graph.block(), [&](Node* node) {
    if (node->is("prim::Constant")) return;
    if (Value* number = source_of(*node, is_written)) {
      if (node->output()->is_unused()) return;
      node->output()->replace_uses(number);
      changed = true;
    } else if (expand_rows(*node) || expand_numbers(*node) || fold_constant(*node, is_written)) {
      changed = true;
    }
  });
  return changed;
}

}  // namespace tonnx::program
