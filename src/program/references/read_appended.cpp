// Replaces a read of the item just appended to a list by that item, so that the storage which a write changes is known:
//
//   %_ = aten::append(%l, %t)                %_ = aten::append(%l, %t)
//   %u = aten::__getitem__(%l, -1)           %_ = aten::add_(%t, %x)
//   %_ = aten::add_(%u, %x)
#include <vector>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "ir/writes.h"
#include "program/containers/items.h"
#include "program/nodes_where.h"
#include "program/references/passes.h"

namespace tonnx::program {

using aten::Container;
using ir::Block;
using ir::Node;
using ir::Value;

namespace {

// An append, which defines the last item of its list until the list changes again.
class Append {
 public:
  explicit Append(const Node& change) : change_(change) {}

  bool run() {
    replace_reads_after(change_.next());
    for (Node* node : replaced_) node->erase();
    return !replaced_.empty();
  }

 private:
  bool is_read_by(const Node& node) const {
    return aten::acts_as(node, Container::Item) && node.input_count() == 2 && node.input() == change_.input() &&
           constant_integer(node.input(1)) == -1 && node.output()->type() == value()->type();
  }

  // Replaces the reads from `first` on, those in nested blocks included, until the list may change.
  void replace_reads_after(Node* first) {
    for (Node* node = first; node; node = node->next()) {
      if (is_read_by(*node)) {
        node->output()->replace_uses(value());
        replaced_.push_back(node);
        continue;
      }
      const bool ends = may_change(*node, change_.input()->type());
      if (!ends || node->is("prim::If"))
        for (const Block* block : node->blocks()) replace_reads_after(block->first());
      if (ends) return;
    }
  }

  Value* value() const { return change_.input(1); }

  const Node& change_;
  std::vector<Node*> replaced_;
};

}  // namespace

bool read_appended(ir::Graph& graph) {
  const std::vector<Node*> changes = nodes_where(
      graph, [&](const Node* node) { return aten::acts_as(*node, Container::Append) && node->input_count() == 2; });
  bool changed = false;
  for (const Node* change : changes) changed = Append(*change).run() || changed;
  return changed;
}

}  // namespace tonnx::program
