// A list or tensor that goes into a container while the program goes on with a new one under its name is copied there.
//
// Needs a value that the program makes, hands on by branches and loops and writes to, that nobody has behind the place
// where it is put, and no write to what is read from containers. Then no write is seen through the container:
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
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/control_flow.h"
#include "ir/writes.h"
#include "program/containers/items.h"
#include "program/edit.h"
#include "program/references/passes.h"
#include "program/writes/views.h"

namespace tonnx::program {

using aten::Container;
using ir::Block;
using ir::Node;
using ir::Type;
using ir::Use;
using ir::Value;

namespace {

bool is_memory_type(const Type& type) { return type.is(Type::Kind::List) || type.is(Type::Kind::Tensor); }

// Whether the value is new, and no other name is known of it where it is made.
bool is_new(const Value& value) {
  const Node& maker = *value.node();
  return aten::acts_as(maker, Container::List) || aten::gives_new_list(maker) || is_fresh(value);
}

class Program {
 public:
  explicit Program(ir::Graph& graph) : graph_(graph) { number(graph.block()); }

  bool run() {
    std::vector<Use> kept;
    for_each_node(graph_.block(), [&](Node* node) {
      for (std::size_t i = 0; i < node->input_count(); ++i)
        if (is_memory_type(node->input(i)->type()) && is_put_away({node, i})) kept.push_back({node, i});
    });
    bool changed = false;
    for (const Use& use : kept) changed = copy(use) || changed;
    return changed;
  }

 private:
  using Names = std::unordered_set<Value*>;

  void number(Block& block) {
    for (Node* node : block.nodes()) {
      begins_[node] = ++position_;
      for (Block* inner : node->blocks()) number(*inner);
      ends_[node] = ++position_;
    }
    begins_[block.return_node()] = ends_[block.return_node()] = ++position_;
  }

  bool copy(const Use& use) {
    Value* value = use.node->input(use.index);
    Names names;
    if (!find_names(value, names)) return false;
    const auto is_written = [](const Value* name) {
      return std::ranges::any_of(name->uses(), [](const Use& use) { return writes_argument(*use.node, use.index); });
    };

    if (std::ranges::none_of(names, is_written) || !is_over(*use.node, names)) return false;
    if (writes_others(value->type(), names)) return false;
    Inserter insert(use.node);
    Value* copied = insert.call(value->type().is(Type::Kind::List) ? "aten::copy.t" : "aten::clone", {value});
    copied->set_type(value->type());
    copied->set_facts(value->facts());
    use.node->set_input(use.index, copied);
    begins_[copied->node()] = ends_[copied->node()] = begins_.at(use.node);
    return true;
  }

  // All that may be names of the value; false where some reader may give it another one, or the program did not make
  // it.
  bool find_names(Value* value, Names& names) const {
    std::vector<Value*> open = {value};
    while (!open.empty()) {
      Value* name = open.back();
      open.pop_back();
      if (!names.insert(name).second) continue;
      if (!add_origins(*name, open)) return false;
      for (const Use& use : name->uses())
        if (!add_readers(use, open)) return false;
    }
    return true;
  }

  static bool add_origins(const Value& name, std::vector<Value*>& open) {
    const Node& node = *name.node();
    if (const std::vector<Value*> origins = handed_from(name); !origins.empty()) {
      open.insert(open.end(), origins.begin(), origins.end());
    } else if (ir::writes(node) && writes_argument(node, 0) && name.index() == 0) {
      open.push_back(node.input());
    } else {
      return is_never(&name) || is_new(name);
    }
    return true;
  }

  bool add_readers(const Use& use, std::vector<Value*>& open) const {
    Node& node = *use.node;
    if (const std::vector<Value*> results = handed_to(use); !results.empty()) {
      open.insert(open.end(), results.begin(), results.end());
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
        open.push_back(out);
      } else if (relation_of(node, out->index()).kind != Relation::Kind::Fresh) {
        return false;
      }
    }
    return true;
  }

  std::int64_t defined_at(const Value& value) const {
    const Block* begun = value.node()->edge_of();
    if (begun && begun->owner()) return begins_.at(begun->owner());
    const auto end = ends_.find(value.node());
    return end == ends_.end() ? 0 : end->second;
  }

  // Whether no name that is there before the node is read behind it, in the same turn or in another one.
  bool is_over(const Node& node, const Names& names) const {
    return std::ranges::all_of(names, [&](const Value* name) {
      const auto comes_apart = [&](const Use& use) { return use.node == &node || is_apart(*name, *use.node, node); };
      return std::ranges::all_of(name->uses(), comes_apart);
    });
  }

  bool is_apart(const Value& name, const Node& reader, const Node& node) const {
    const std::int64_t place = begins_.at(&node);
    if (defined_at(name) > place) return true;
    bool on_other_way = false;  // in the turns of loops that the name does not outlive
    for (const Block* block = node.parent(); block->owner(); block = block->owner()->parent()) {
      const Node& owner = *block->owner();
      const bool is_loop = owner.is("prim::Loop");
      if (is_loop && defined_at(name) < begins_.at(&owner) && is_inside(reader, *block)) return false;
      const auto in_sibling = [&](const Block* side) { return side != block && is_inside(reader, *side); };
      on_other_way = on_other_way || (!is_loop && std::ranges::any_of(owner.blocks(), in_sibling));
    }
    return on_other_way || begins_.at(&reader) < place;
  }

  // Whether the program writes to values of the type that may have come out of a container.
  bool writes_others(const Type& type, const Names& names) const {
    bool any = false;
    for_each_node(graph_.block(), [&](Node* node) {
      for (std::size_t i = 0; i < node->input_count(); ++i) {
        Value* target = node->input(i);
        any =
            any || (writes_argument(*node, i) && target->type() == type && !names.contains(target) && !is_new(*target));
      }
    });
    return any;
  }

  ir::Graph& graph_;
  std::int64_t position_ = 0;
  std::unordered_map<const Node*, std::int64_t> begins_, ends_;
};

}  // namespace

bool copy_stored(ir::Graph& graph) { return Program(graph).run(); }

}  // namespace tonnx::program
