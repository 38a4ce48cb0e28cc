#include <optional>
#include <vector>

#include "aten/containers.h"
#include "ir/merge.h"
#include "program/containers/passes.h"
#include "program/control/carry.h"
#include "program/edit.h"
#include "program/nodes_where.h"

namespace tonnx::program {

using ir::Block;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

// A list that is defined outside a branch, and the items that one path of the branch appends to it.
struct Appended {
  Value* list;
  std::vector<Value*> items;
};

std::optional<Appended> appended(const Block& path, Value* end) {
  Appended result{end, {}};
  while (const Node* node = result.list->node()) {
    if (node->parent() != &path) break;
    const Node* added = aten::put_behind(*node);
    if (!added) return std::nullopt;
    result.items.insert(result.items.begin(), added->inputs().begin(), added->inputs().end());
    result.list = node->input(0);
  }
  return result;
}

bool can_be_selected(const Value& a, const Value& b) {
  if (a.type() != b.type()) return false;
  if (!a.type().is(Type::Kind::Tensor)) return a.type().is_scalar();
  const ir::Facts &f = a.facts(), &g = b.facts();
  return f.dtype != ir::DType::Undefined && f.dtype == g.dtype && f.has_rank() && g.has_rank() && f.rank() == g.rank();
}

bool hoist_appends(Node& branch, std::size_t k) {
  Value* out = branch.output(k);
  if (out->is_unused() || !out->type().is(Type::Kind::List)) return false;
  Block &yes = *branch.block(0), &no = *branch.block(1);
  const auto a = appended(yes, yes.outputs()[k]), b = appended(no, no.outputs()[k]);
  if (!a || !b || a->list != b->list || a->items.size() != b->items.size() || a->items.empty()) return false;
  for (std::size_t i = 0; i < a->items.size(); ++i)
    if (!can_be_selected(*a->items[i], *b->items[i])) return false;
  std::vector<Value*> selected;
  for (std::size_t i = 0; i < a->items.size(); ++i) {
    Value *one = a->items[i], *other = b->items[i];
    selected.push_back(add_result(branch, one->type(), one, other));
    selected.back()->set_facts(ir::join(one->facts(), other->facts()));
  }
  Inserter after = Inserter::after(branch);
  after.set_location(branch.location());
  Value* longer = after.call("aten::add.t", {a->list, after.list(out->type(), selected)});
  longer->set_type(out->type());
  longer->set_facts(out->facts());
  out->replace_uses(longer);
  return true;
}

}  // namespace

bool hoist_appends(ir::Graph& graph) {
  const std::vector<Node*> branches = branches_of(graph);
  bool changed = false;
  for (Node* branch : branches)
    for (std::size_t k = branch->output_count(); k-- > 0;) changed = hoist_appends(*branch, k) || changed;
  return changed;
}

}  // namespace tonnx::program
