// What has just been appended to a list is read by its own name, so that whose memory is written to is known:
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

// What tells which item is the last one of its list afterwards.
class Append {
 public:
  explicit Append(const Node& change) : change_(change) {}

  bool run() {
    read_behind(change_.next());
    for (Node* node : gone_) node->erase();
    return !gone_.empty();
  }

 private:
  bool is_read_by(const Node& node) const {
    return aten::acts_as(node, Container::Item) && node.input_count() == 2 && node.input() == change_.input() &&
           constant_integer(node.input(1)) == -1 && node.output()->type() == value()->type();
  }

  // Up to where the list may change; into branches, too.
  void read_behind(Node* first) {
    for (Node* node = first; node; node = node->next()) {
      if (is_read_by(*node)) {
        node->output()->replace_uses(value());
        gone_.push_back(node);
        continue;
      }
      const bool ends = may_change(*node, change_.input()->type());
      if (!ends || node->is("prim::If"))
        for (const Block* block : node->blocks()) read_behind(block->first());
      if (ends) return;
    }
  }

  Value* value() const { return change_.input(1); }

  const Node& change_;
  std::vector<Node*> gone_;
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
