// A tuple that an If or a Loop returns, or that the program returns, becomes one value for each item.
//
//   %t = prim::If(%c)                        %x, %y = prim::If(%c)
//     block0: -> ((%a, %b))                    block0: -> (%a, %b)
//     block1: -> (%u)                          block1: -> (prim::TupleUnpack(%u))
//                                            %t = prim::TupleConstruct(%x, %y)
#include <vector>

#include "aten/containers.h"
#include "ir/control_flow.h"
#include "program/containers/container_walk.h"
#include "program/containers/passes.h"
#include "program/edit.h"

namespace tonnx::program {

using ir::Block;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

bool is_tuple(const Value& value) { return value.type().is(Type::Kind::Tuple); }

// The content is the items. Nothing writes to a tuple.
class TupleWalk final : public ContainerWalk {
 public:
  TupleWalk(ir::Graph& graph, Value& seed, bool /*has_writes*/) : ContainerWalk(graph, seed, false) {}

 private:
  bool creates(const Node& node) const override {
    return aten::acts_as(node, aten::Container::Tuple) && node.output()->type() == type_;
  }
  // Tuples of unknown content are unpacked.
  bool converts(const Value& value) const override {
    const bool is_phi = value.type() == type_ && !ir::handed_from(value).empty();
    return is_tuple(value) && !is_phi && !creates(*value.node());
  }
  Content converted(Value& value, Inserter* insert) override {
    if (!insert) return Content(type_.elements.size());
    Node* unpack = make_unpack(&value);
    insert->insert(unpack);
    return {unpack->outputs().begin(), unpack->outputs().end()};
  }

  bool can_read(const ir::Use&) const override { return true; }
  bool can_change(const ir::Use&) const override { return false; }
  std::optional<Content> created(Node& node, const Contents&, bool) override {
    return Content(node.inputs().begin(), node.inputs().end());
  }
  std::optional<Content> changed(Node&, const Content&, bool) override { return std::nullopt; }
  bool read(Node&, std::size_t, const Content&, bool) override { return false; }

  std::size_t size(const Content&) const override { return type_.elements.size(); }
  const Type& value_type(std::size_t i) const override { return type_.elements[i]; }
  bool can_make(const Content&) const override { return true; }
  Value* make(Inserter& insert, const Content& content) override { return insert.tuple(type_, content); }
};

bool unpack_outputs(Block& block) {
  bool changed = false;
  for (std::size_t i = 0; i < block.outputs().size();) {
    if (!is_tuple(*block.outputs()[i])) {
      ++i;
      continue;
    }
    Node* items = make_unpack(block.outputs()[i]);
    block.append(items);
    block.return_node()->remove_input(i);
    for (Value* item : items->outputs()) block.return_node()->insert_input(i + item->index(), item);
    changed = true;
  }
  return changed;
}

}  // namespace

bool split_tuples(ir::Graph& graph) {
  const bool is_split = walk_containers<TupleWalk>(graph, is_tuple);
  return unpack_outputs(graph.block()) || is_split;
}

}  // namespace tonnx::program
