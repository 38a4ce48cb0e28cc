// Stores a copy of a list or tensor that is put into a container, if its variable is assigned a new one afterwards.
// Then no write is visible through the container.
//
// Needs a value that the program creates, passes through Ifs and Loops and writes to, no live alias after the store,
// and no write to a value of that type that may come from a container:
//
//   prim::Loop(%n, %true, %empty)                  prim::Loop(%n, %true, %empty)
//     block0(%i, %l):                                block0(%i, %l):
//       %_ = aten::append(%l, %x)                      %_ = aten::append(%l, %x)
//       %m = prim::If(%c)                              %m = prim::If(%c)
//         block0: %_ = aten::append(%groups, %l)         block0: %k = aten::copy(%l)
//                 -> (prim::ListConstruct())                     %_ = aten::append(%groups, %k)
//         block1: -> (%l)                                        -> (prim::ListConstruct())
#include <algorithm>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/control_flow.h"
#include "ir/writes.h"
#include "program/containers/items.h"
#include "program/edit.h"
#include "program/order.h"
#include "program/references/passes.h"
#include "program/writes/views.h"

namespace tonnx::program {

using ir::Block;
using ir::Node;
using ir::Type;
using ir::Use;
using ir::Value;

namespace {

bool is_memory_type(const Type& type) { return type.is(Type::Kind::List) || type.is(Type::Kind::Tensor); }

class StoredCopies {
 public:
  explicit StoredCopies(ir::Graph& graph) : graph_(graph), order_(graph) {}

  bool run() {
    std::vector<Use> stores;
    for_each_node(graph_.block(), [&](Node* node) {
      for (std::size_t i = 0; i < node->input_count(); ++i)
        if (is_memory_type(node->input(i)->type()) && is_put_away({node, i})) stores.push_back({node, i});
    });
    bool changed = false;
    for (const Use& use : stores) changed = copy(use) || changed;
    return changed;
  }

 private:
  using Names = std::unordered_set<Value*>;

  bool copy(const Use& use) {
    Value* value = use.node->input(use.index);
    Names names;
    if (!find_names(value, names)) return false;
    const auto is_written = [](const Value* name) {
      return std::ranges::any_of(name->uses(), [](const Use& use) { return writes_argument(*use.node, use.index); });
    };

    if (std::ranges::none_of(names, is_written) || !is_dead_after(*use.node, names)) return false;
    if (writes_others(value->type(), names)) return false;
    Inserter insert(use.node);
    Value* copied = insert.call(value->type().is(Type::Kind::List) ? "aten::copy.t" : "aten::clone", {value});
    copied->set_type(value->type());
    copied->set_facts(value->facts());
    use.node->set_input(use.index, copied);
    order_.place(copied->node(), use.node);
    return true;
  }

  // Finds all names of the value; false if it may have unknown aliases, or the program did not create it.
  bool find_names(Value* value, Names& names) const {
    std::vector<Value*> worklist = {value};
    while (!worklist.empty()) {
      Value* name = worklist.back();
      worklist.pop_back();
      if (!names.insert(name).second) continue;
      if (!add_origins(*name, worklist)) return false;
      for (const Use& use : name->uses())
        if (!add_readers(use, worklist)) return false;
    }
    return true;
  }

  static bool add_origins(const Value& name, std::vector<Value*>& worklist) {
    const Node& node = *name.node();
    if (const std::vector<Value*> origins = handed_from(name); !origins.empty()) {
      worklist.insert(worklist.end(), origins.begin(), origins.end());
    } else if (ir::writes(node) && writes_argument(node, 0) && name.index() == 0) {
      worklist.push_back(node.input());
    } else {
      return is_never(&name) || is_new_object(name);
    }
    return true;
  }

  bool add_readers(const Use& use, std::vector<Value*>& worklist) const {
    Node& node = *use.node;
    if (const std::vector<Value*> results = handed_to(use); !results.empty()) {
      worklist.insert(worklist.end(), results.begin(), results.end());
      return true;
    }
    if (is_put_away(use) || aten::gives_new_list(node) || &node == graph_.block().return_node()) return true;
    if (use.node->input(use.index)->type().is(Type::Kind::List) && only_asks(use))
      return std::ranges::none_of(node.outputs(), [](const Value* out) { return out->type().is(Type::Kind::List); });
    if (!node.schema() || !node.blocks().empty()) return false;
    const bool is_write = writes_argument(node, use.index);
    if (is_write && use.index != 0) return false;
    for (Value* out : node.outputs()) {
      if (!is_memory_type(out->type()) || out->is_unused()) continue;
      if (is_write) {
        worklist.push_back(out);
      } else if (relation_of(node, out->index()).kind != Relation::Kind::Fresh) {
        return false;
      }
    }
    return true;
  }

  // True if no name defined before the node is read after it, in this iteration or in a later one.
  bool is_dead_after(const Node& node, const Names& names) const {
    return std::ranges::all_of(names, [&](const Value* name) {
      const auto is_harmless = [&](const Use& use) {
        return use.node == &node || cannot_follow(*name, *use.node, node);
      };
      return std::ranges::all_of(name->uses(), is_harmless);
    });
  }

  bool cannot_follow(const Value& name, const Node& reader, const Node& node) const {
    const std::int64_t position = order_.at(&node).begin;
    if (order_.defined_at(name) > position) return true;
    bool on_other_path = false;  // of an If, in one iteration of each loop around
    for (const Block* block = node.parent(); block->owner(); block = block->owner()->parent()) {
      const Node& owner = *block->owner();
      const bool is_loop = owner.is("prim::Loop");
      if (is_loop && order_.defined_at(name) < order_.at(&owner).begin && is_inside(reader, *block)) return false;
      const auto in_sibling = [&](const Block* other) { return other != block && is_inside(reader, *other); };
      on_other_path = on_other_path || (!is_loop && std::ranges::any_of(owner.blocks(), in_sibling));
    }
    return on_other_path || order_.at(&reader).begin < position;
  }

  // True if the program writes to a value of the type that may come from a container.
  bool writes_others(const Type& type, const Names& names) const {
    bool any = false;
    for_each_node(graph_.block(), [&](Node* node) {
      for (std::size_t i = 0; i < node->input_count(); ++i) {
        Value* target = node->input(i);
        any = any || (writes_argument(*node, i) && target->type() == type && !names.contains(target) &&
                      !is_new_object(*target));
      }
    });
    return any;
  }

  ir::Graph& graph_;
  Order order_;
};

}  // namespace

bool copy_stored(ir::Graph& graph) { return StoredCopies(graph).run(); }

}  // namespace tonnx::program
