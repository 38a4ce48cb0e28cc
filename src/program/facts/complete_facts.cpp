#include "program/facts/complete_facts.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "aten/containers.h"
#include "aten/result_facts.h"
#include "ir/merge.h"

namespace tonnx::program {

namespace {

using aten::Container;
using ir::Block;
using ir::DType;
using ir::Facts;
using ir::Node;
using ir::Value;

bool has_no_facts(const Value& value) {
  const Facts& facts = value.facts();
  return facts.dtype == ir::DType::Undefined && !facts.dims && !facts.constant;
}

void complete(Block& block);

// Joins the facts of both branches, or of no iteration and any iteration of a loop.
void complete_results(Node& node) {
  const bool is_loop = node.is("prim::Loop");
  if (is_loop) {
    for (std::size_t i = 1; i < node.block(0)->inputs().size(); ++i) {
      Value* carried = node.block(0)->inputs()[i];
      if (has_no_facts(*carried)) carried->facts().dtype = node.input(i + 1)->facts().dtype;
    }
  }
  for (Block* inner : node.blocks()) complete(*inner);
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    if (!has_no_facts(*node.output(i))) continue;
    Facts facts = is_loop ? ir::join(node.input(i + 2)->facts(), node.block(0)->outputs()[i + 1]->facts())
                          : ir::join(node.block(0)->outputs()[i]->facts(), node.block(1)->outputs()[i]->facts());
    facts.constant = nullptr;
    node.output(i)->set_facts(std::move(facts));
  }
}

void complete_by_arguments(Node& node) {
  const auto lacks_facts = [](const Value* out) { return !out->facts().dims && !out->facts().constant; };
  if (node.is("prim::Constant") || std::ranges::none_of(node.outputs(), lacks_facts)) return;
  const std::vector<Facts> rule_facts = aten::result_facts(node);
  for (std::size_t i = 0; i < rule_facts.size(); ++i) {
    if (!lacks_facts(node.output(i))) continue;
    Facts facts = node.output(i)->facts();
    if (!ir::merge(facts, rule_facts[i])) node.output(i)->set_facts(std::move(facts));
  }
}

void complete(Block& block) {
  for (Node* node : block.nodes()) {
    if (node->blocks().empty()) {
      complete_by_arguments(*node);
    } else {
      complete_results(*node);
    }
  }
}

// The dtype of all tensors that may be in a list.
class ItemDtype {
 public:
  // Undefined if unknown or ambiguous.
  DType of(const Value* list) {
    walk(list);
    return is_known_ ? dtype_ : DType::Undefined;
  }

 private:
  void add_item(const Value* tensor) {
    const DType dtype = tensor->facts().dtype;
    is_known_ = is_known_ && dtype != DType::Undefined && (dtype_ == DType::Undefined || dtype_ == dtype);
    dtype_ = dtype;
  }

  void walk(const Value* list) {
    if (!is_known_ || !seen_.insert(list).second) return;
    const Node* node = list->node();
    const Block* body = node ? node->edge_of() : nullptr;
    if (body && body->owner()) {
      walk(body->owner()->input(list->index() + 1));
      walk(body->outputs()[list->index()]);
    } else if (!node || body) {
      is_known_ = false;
    } else if (node->is("prim::If")) {
      for (const Block* branch : node->blocks()) walk(branch->outputs()[list->index()]);
    } else if (node->is("prim::Loop")) {
      walk(node->input(list->index() + 2));
      walk(node->block(0)->outputs()[list->index() + 1]);
    } else if (aten::acts_as(*node, Container::List)) {
      for (const Value* item : node->inputs()) add_item(item);
    } else if (aten::acts_as(*node, Container::Concat)) {
      for (const Value* part : node->inputs()) walk(part);
    } else if (aten::acts_as(*node, Container::Part) || aten::acts_as(*node, Container::Copy)) {
      walk(node->input());
    } else {
      is_known_ = false;
    }
  }

  std::unordered_set<const Value*> seen_;
  DType dtype_ = DType::Undefined;
  bool is_known_ = true;
};

// Sets the dtype of an item from the list, whose items may have nothing else in common (tensors of several ranks).
void complete_item(Node& node) {
  Value* item = node.output();
  if (item->type().is(ir::Type::Kind::Tensor) && item->facts().dtype == DType::Undefined &&
      node.input()->type().is_tensor_list())
    item->facts().dtype = ItemDtype().of(node.input());
}

void complete_operators(Block& block) {
  for (Node* node : block.nodes()) {
    if (node->blocks().empty()) complete_by_arguments(*node);
    if (aten::acts_as(*node, Container::Item)) complete_item(*node);
    for (Block* inner : node->blocks()) complete_operators(*inner);
  }
}

}  // namespace

void complete_facts(ir::Graph& graph) { complete(graph.block()); }

void complete_open_facts(ir::Graph& graph) { complete_operators(graph.block()); }

}  // namespace tonnx::program
