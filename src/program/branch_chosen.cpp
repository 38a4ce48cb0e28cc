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

void add_ends(Node& node, Ends& ends) {
  for (Block* block : node.blocks()) ends[block->return_node()] = block;
}

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
  ChosenTensor(Node& branch, std::size_t index, Ends& ends) : branch_(branch), index_(index), value_(branch.output(index)), ends_(ends) {}

  bool can_be() const { return value_->type().is(Type::Kind::Tensor) && is_from_before(0) && is_from_before(1) && side(0) != side(1); }

  // Adds what is chosen to `written` if it, a view of it, or one of the two is written to or among those.
  bool join(std::unordered_set<const Value*>& written) const {
    if (!is_written(value_, written) && !written.contains(side(0)) && !written.contains(side(1))) return false;
    written.insert({value_, side(0), side(1)});
    return true;
  }

  void read_as_itself() {
    while (read_written_as_itself(value_)) {
    }
  }
  void run() { spread(value_); }

 private:
  Value* side(std::size_t k) const { return branch_.block(k)->outputs()[index_]; }

  bool is_from_before(std::size_t k) const {
    const Node* maker = side(k)->node();
    return side(k)->weight() || (maker && maker->parent() != branch_.block(k) && maker != branch_.block(k)->params());
  }

  static bool is_written(const Value* value, const std::unordered_set<const Value*>& written) {
    return written.contains(value) || std::any_of(value->uses().begin(), value->uses().end(), [&](const ir::Use& use) {
      return writes_argument(*use.node, use.index) || (is_view(use) && is_written(use.node->output(), written));
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
    for (std::size_t k = 0; k < 2; ++k) {
      Block* block = again->add_block();
      Inserter inside(block, place.location());
      ValueMap map = {{value_, side(k)}};
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
    add_ends(*again, ends_);
    if (const auto end = ends_.find(&place); end != ends_.end()) {
      end->second->append(again);
    } else {
      again->insert_before(&place);
    }
    return again;
  }

  Node& branch_;
  std::size_t index_;
  Value* value_;
  Ends& ends_;
  std::vector<Node*> chain_;  // of views, from the value on
};

}  // namespace

bool branch_chosen_tensors(ir::Graph& graph) {
  std::vector<ChosenTensor> open;
  bool reshapes = false;  // a view that is made later might be another one
  Ends ends = {{graph.block().return_node(), &graph.block()}};
  for_each_node(graph.block(), [&](Node* node) {
    add_ends(*node, ends);
    for (std::size_t i = 0; node->is("prim::If") && i < node->output_count(); ++i)
      if (ChosenTensor chosen(*node, i, ends); chosen.can_be()) open.push_back(chosen);
    const aten::Write write = aten::write_of(*node);
    reshapes = reshapes || write == aten::Write::Shape || write == aten::Write::Resize || write == aten::Write::Memory;
  });
  if (reshapes) return false;
  std::unordered_set<const Value*> written;
  std::vector<bool> is_found(open.size());
  for (bool more = true; more;) {
    more = false;
    for (std::size_t i = 0; i < open.size(); ++i)
      if (!is_found[i] && open[i].join(written)) is_found[i] = more = true;
  }
  for (std::size_t i = 0; i < open.size(); ++i)
    if (is_found[i]) open[i].read_as_itself();
  // The last one first, for it may choose what an earlier one gives.
  for (std::size_t i = open.size(); i-- > 0;)
    if (is_found[i]) open[i].run();
  return std::ranges::count(is_found, true) > 0;
}

}  // namespace tonnx::program
