#include "program/references/choice.h"

#include <algorithm>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/writes.h"
#include "program/control/carry.h"
#include "program/writes/views.h"

namespace tonnx::program {

using aten::Container;
using ir::Block;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

// True if the value is a result of an If that one branch creates and the other one leaves undefined.
bool is_created_by_one_branch(const Value& value) {
  const Node& node = *value.node();
  if (!node.is("prim::If")) return false;
  for (std::size_t k = 0; k < 2; ++k) {
    if (!is_never(node.block(k)->outputs()[value.index()])) continue;
    const Value& result = *node.block(1 - k)->outputs()[value.index()];
    const Node& maker = *result.node();
    if (maker.is("prim::If")) return is_created_by_one_branch(result);
    return maker.parent() == node.block(1 - k) && !is_view(maker) && !written_by(result);
  }
  return false;
}

// The result of the If that is `value` in `block` and undefined in the other branch; null: none.
Value* find_exported(Node& branch, const Block& block, const Value& value) {
  for (std::size_t i = 0; i < branch.output_count(); ++i) {
    const auto matches = [&](const Block* each) {
      return each == &block ? each->outputs()[i] == &value : is_never(each->outputs()[i]);
    };
    if (std::ranges::all_of(branch.blocks(), matches)) return branch.output(i);
  }
  return nullptr;
}

// True if a user may change the list.
bool may_be_changed(const Value& list) {
  return std::ranges::any_of(
      list.uses(), [](const ir::Use& use) { return !use.node->schema() || writes_argument(*use.node, use.index); });
}

bool is_fixed_list(const Value& value) {
  const auto is_number = [](const Value* item) { return item->type().is(Type::Kind::Int); };
  return aten::acts_as(*value.node(), Container::List) && std::ranges::all_of(value.node()->inputs(), is_number) &&
         !may_be_changed(value);
}

}  // namespace

Positions positions_in(const ir::Graph& graph) {
  Positions positions;
  for_each_node(graph.block(), [&](const Node* node) { positions.emplace(node, positions.size()); });
  return positions;
}

namespace {

bool returns_view(const Node& node) {
  const aten::Alias alias = aten::traits_of(node).alias;
  if (alias != aten::Alias::SometimesView) return alias == aten::Alias::Marked;
  return relation_of(node, 0).kind == Relation::Kind::View;
}

}  // namespace

bool reshapes_in_place(const ir::Graph& graph) {
  return ir::any_node(graph.block(), [](const Node& node) {
    const aten::Write write = aten::write_of(node);
    return write == aten::Write::Shape || write == aten::Write::Resize || write == aten::Write::Memory;
  });
}

bool is_view(const Node& node) {
  if (node.input_count() == 0 || !node.schema() || node.output_count() != 1 ||
      !node.output()->type().is(Type::Kind::Tensor))
    return false;
  const aten::Traits& traits = aten::traits_of(node);
  if (traits.inverse == aten::Inverse::None || !returns_view(node) || writes(node)) return false;
  const auto is_other = [](const Value* in) {
    return in->type().is(Type::Kind::Tensor) || in->type().is_tensor_list() ||
           (in->type().is(Type::Kind::List) && may_be_changed(*in));
  };
  return std::none_of(node.inputs().begin() + 1, node.inputs().end(), is_other);
}

Value* written_by(const Value& value) {
  const Node& node = *value.node();
  const ir::Schema* schema = node.schema();
  if (!schema || node.output_count() != 1 || schema->returns.size() != 1 || schema->returns[0].alias_set.empty())
    return nullptr;
  for (std::size_t i = 0; i < node.input_count() && i < schema->arguments.size(); ++i)
    if (writes_argument(node, i) && schema->arguments[i].alias_set == schema->returns[0].alias_set)
      return node.input(i);
  return nullptr;
}

Value* written_first(Value* value) {
  while (Value* same = written_by(*value)) value = same;
  return value;
}

bool is_written_by_name(const Value& tensor, const std::function<bool(const Node&)>& counts) {
  return std::ranges::any_of(tensor.uses(), [&](const ir::Use& use) {
    if (writes_argument(*use.node, use.index)) return counts(*use.node);
    return use.index == 0 && is_view(*use.node) && is_written_by_name(*use.node->output(), counts);
  });
}

Value* Choice::insert_into(Inserter& insert) const {
  ValueMap map = operands;
  Value* current = base;
  for (const Node* node : nodes) {
    if (is_view(*node)) map[node->input()] = current;
    Node* copy = copy_node(*node, map);
    insert.insert(copy);
    if (is_view(*node)) current = copy->output();
  }
  return current;
}

bool ChoiceMaker::can_export(const Value* value) const {
  for (const Block* block = value->node()->home(); block; block = block->owner()->parent()) {
    if (!block->owner() || !block->owner()->is("prim::If")) return false;
    if (block->owner() == &branch_) return true;
  }
  return false;
}

bool ChoiceMaker::can_repeat(const Node& node) const {
  return is_view(node) && std::all_of(node.inputs().begin() + 1, node.inputs().end(), [&](const Value* operand) {
           if (!is_inside(operand) || operand->node()->is("prim::Constant")) return true;
           if (!operand->type().is(Type::Kind::List)) return can_export(operand);
           const auto can = [&](const Value* item) { return !is_inside(item) || can_export(item); };
           return is_fixed_list(*operand) && std::ranges::all_of(operand->node()->inputs(), can);
         });
}

// Follows a result back through writes, and through views that can be created again. Adds these to `views`.
Value* ChoiceMaker::step_back(Value* result, std::vector<Node*>& views) const {
  while (is_inside(result)) {
    Node& node = *result->node();
    if (Value* same = written_by(*result)) {
      result = same;
    } else if (can_repeat(node)) {
      views.push_back(&node);
      result = node.input();
    } else {
      break;
    }
  }
  return result;
}

Value* ChoiceMaker::written(Value* result) const {
  while (is_inside(result) && written_by(*result)) result = written_by(*result);
  return result;
}

bool ChoiceMaker::can_make(Value* result, std::vector<const Value*>& bases) const {
  std::vector<Node*> views;
  result = step_back(result, views);
  if (!is_inside(result)) {
    bases.push_back(result);
    return true;
  }
  const Node& node = *result->node();
  if (!node.is("prim::If")) return is_never(result) || can_export(result);
  if (is_inside(node.input()) && !can_export(node.input())) return false;
  return std::ranges::all_of(node.blocks(),
                             [&](const Block* block) { return can_make(block->outputs()[result->index()], bases); });
}

// `views` lead from the result to the value of the path, the last one first.
std::unique_ptr<Choice> ChoiceMaker::make(Value* result, std::vector<Node*> views) {
  result = step_back(result, views);
  auto choice = std::make_unique<Choice>();
  if (is_inside(result) && result->node()->is("prim::If") && !is_created_by_one_branch(*result)) {
    Node& inner = *result->node();
    Value* paths[] = {inner.block(0)->outputs()[result->index()], inner.block(1)->outputs()[result->index()]};
    for (std::size_t k = 0; k < 2; ++k)
      if (is_never(paths[k])) return make(paths[1 - k], std::move(views));
    choice->condition = is_inside(inner.input()) ? export_value(inner.input()) : inner.input();
    for (std::size_t k = 0; k < 2; ++k) choice->paths[k] = make(paths[k], views);
    return choice;
  }
  choice->base = is_inside(result) ? export_value(result) : result;
  for (std::size_t i = views.size(); i-- > 0;) {
    for (std::size_t j = 1; j < views[i]->input_count(); ++j) repeat(views[i]->input(j), *choice);
    choice->nodes.push_back(views[i]);
  }
  return choice;
}

void ChoiceMaker::repeat(Value* operand, Choice& choice) {
  if (!is_inside(operand)) return;
  if (operand->node()->is("prim::Constant")) {
    choice.nodes.push_back(operand->node());
  } else if (operand->type().is(Type::Kind::List)) {
    for (Value* item : operand->node()->inputs()) repeat(item, choice);
    choice.nodes.push_back(operand->node());
  } else {
    choice.operands[operand] = export_value(operand);
  }
}

// Makes the value a result of the Ifs around it; undefined in their other branches.
Value* ChoiceMaker::export_value(Value* value) {
  if (const auto found = exported_.find(value); found != exported_.end()) return found->second;
  Value* out = value;
  while (is_inside(out)) {
    Block* block = out->node()->home();
    Node& owner = *block->owner();
    if (Value* result = find_exported(owner, *block, *out)) {
      out = result;
      continue;
    }
    out = add_result_of(*block, out);
  }
  return exported_[value] = out;
}

}  // namespace tonnx::program
