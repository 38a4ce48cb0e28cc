// Tensors of which a branch chooses one, and that are written to behind it, are read and written in a branch each. So are others that
// a branch chooses of the same tensors.
//
// Needs two tensors from before the branch, and no operator that gives a tensor other sizes in place:
//
//   %c = prim::If(%k)                        prim::If(%k)
//     block0: -> (%a)                          block0: %_ = aten::add_(%a, 1)
//     block1: -> (%b)                          block1: %_ = aten::add_(%b, 1)
//   %_ = aten::add_(%c, 1)                   %c = prim::If(%k)
//   -> (%a, %c)                                block0: -> (%a)
//                                              block1: -> (%b)
//                                            -> (%a, %c)
#include <algorithm>
#include <list>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "aten/traits.h"
#include "ir/writes.h"
#include "program/edit.h"
#include "program/simplify.h"

namespace tonnx::program {

using ir::Block;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

using Ends = std::unordered_map<const Node*, Block*>;  // the blocks that these nodes end

// Whether nothing but this view of its first argument comes of a node; made anew later, it is the same one.
bool is_view(const ir::Use& use) {
  const Node& node = *use.node;
  if (use.index != 0 || !node.schema() || node.output_count() != 1 || !node.output()->type().is(Type::Kind::Tensor)) return false;
  if (aten::traits_of(node).inverse == aten::Inverse::None || aten::traits_of(node).alias != aten::Alias::Marked || writes(node)) return false;
  const auto is_tensor = [](const Value* in) { return in->type().is(Type::Kind::Tensor) || in->type().is_tensor_list(); };
  return std::none_of(node.inputs().begin() + 1, node.inputs().end(), is_tensor);
}

// One of two tensors from before a branch that is written to behind it, itself or by views: whatever reads it, or a view of it, does so
// in a branch of its own.
class ChosenTensor {
 public:
  ChosenTensor(Node& branch, std::size_t index, const Ends& ends)
      : branch_(branch), value_(branch.output(index)), sides_{branch.block(0)->outputs()[index], branch.block(1)->outputs()[index]}, ends_(ends) {}

  bool can_be() const {
    return value_->type().is(Type::Kind::Tensor) && is_from_before(0) && is_from_before(1) && sides_[0] != sides_[1];
  }
  bool is_written() const { return is_written(value_); }
  std::span<Value* const> sides() const { return sides_; }

  void run() { spread(value_); }

 private:
  bool is_from_before(std::size_t side) const {
    const Node* maker = sides_[side]->node();
    return sides_[side]->weight() || (maker && maker->parent() != branch_.block(side) && maker != branch_.block(side)->params());
  }

  static bool is_written(const Value* value) {
    return std::any_of(value->uses().begin(), value->uses().end(), [](const ir::Use& use) {
      return writes_argument(*use.node, use.index) || (is_view(use) && is_written(use.node->output()));
    });
  }

  // y = x.add_(1) is x.
  static bool read_written_as_itself(Value* value) {
    for (const ir::Use& use : value->uses()) {
      const Node& node = *use.node;
      const ir::Schema* schema = node.schema();
      if (!schema || !writes_argument(node, use.index) || node.output_count() != 1 || node.output()->is_unused()) continue;
      if (schema->returns[0].alias_set != schema->arguments[use.index].alias_set) continue;
      node.output()->replace_uses(value);
      return true;
    }
    return false;
  }

  // Brings what was chosen, or the view of it that the chain makes, to each of its readers.
  void spread(Value* value) {
    while (read_written_as_itself(value)) {
    }
    while (!value->uses().empty()) {
      const ir::Use use = value->uses().front();
      Node& reader = *use.node;
      if (is_view(use)) {
        chain_.push_back(&reader);
        spread(reader.output());
        chain_.pop_back();
        reader.erase();
      } else if (reader.schema() && reader.blocks().empty() && reader.parent()) {
        Node* again = chosen_again(reader, value, &reader);
        for (std::size_t i = 0; i < reader.output_count(); ++i) reader.output(i)->replace_uses(again->output(i));
        reader.erase();
      } else {
        reader.set_input(use.index, chosen_again(reader, value, nullptr)->output());
      }
    }
  }

  // The same choice before `place`, of what `copied` gives of it; null: of the value itself, which is handed on.
  Node* chosen_again(Node& place, const Value* value, const Node* copied) {
    Value* condition = branch_.input();
    Node* again = branch_.graph().create("prim::If", {&condition, 1}, copied ? copied->output_count() : 1);
    again->set_location(branch_.location());
    for (Value* side : sides_) {
      Block* block = again->add_block();
      Inserter inside(block, place.location());
      ValueMap map = {{value_, side}};
      for (const Node* view : chain_) inside.insert(copy_node(*view, map));
      if (!copied) {
        block->add_output(map.at(value));
        continue;
      }
      Node* copy = copy_node(*copied, map);
      inside.insert(copy);
      for (Value* out : copy->outputs()) block->add_output(out);
    }
    for (std::size_t i = 0; i < again->output_count(); ++i) {
      const Value* old = copied ? copied->output(i) : value;
      again->output(i)->set_type(old->type());
      again->output(i)->set_facts(old->facts());
    }
    if (const auto end = ends_.find(&place); end != ends_.end()) {
      end->second->append(again);
    } else {
      again->insert_before(&place);
    }
    return again;
  }

  Node& branch_;
  Value* value_;
  Value* sides_[2];
  const Ends& ends_;
  std::vector<Node*> chain_;  // of views, from the value on
};

}  // namespace

bool branch_chosen_tensors(ir::Graph& graph) {
  std::list<ChosenTensor> open;
  bool reshapes = false;  // a view that is made later might be another one
  Ends ends = {{graph.block().return_node(), &graph.block()}};
  for_each_node(graph.block(), [&](Node* node) {
    for (Block* block : node->blocks()) ends[block->return_node()] = block;
    for (std::size_t i = 0; node->is("prim::If") && i < node->output_count(); ++i)
      if (ChosenTensor chosen(*node, i, ends); chosen.can_be()) open.push_back(chosen);
    const aten::Write write = aten::write_of(*node);
    reshapes = reshapes || write == aten::Write::Shape || write == aten::Write::Resize || write == aten::Write::Memory;
  });
  if (reshapes) return false;
  std::unordered_set<const Value*> written;
  bool changed = false;
  for (bool found = true; found;) {
    const auto meets = [&](const Value* side) { return written.contains(side); };
    const auto next = std::find_if(open.begin(), open.end(), [&](const ChosenTensor& chosen) {
      return chosen.is_written() || std::any_of(chosen.sides().begin(), chosen.sides().end(), meets);
    });
    found = next != open.end();
    if (!found) break;
    written.insert(next->sides().begin(), next->sides().end());
    next->run();
    open.erase(next);
    changed = true;
  }
  return changed;
}

}  // namespace tonnx::program
