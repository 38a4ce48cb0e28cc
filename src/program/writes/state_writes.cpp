#include "program/writes/state_writes.h"

#include <algorithm>
#include <optional>

#include "program/references/alias.h"

namespace tonnx::program {

using ir::StateWrite;
using ir::Value;

namespace {

constexpr const char* kOwnsConstants = "owns_constants";

// None if the storage does not outlive the call.
std::optional<StateWrite> state_of(const Value& root, const ir::Node& writer, bool owns_constants) {
  if (!root.type().is(ir::Type::Kind::Tensor)) return std::nullopt;
  const bool is_constant = root.weight() ? root.has_made_up_name() : root.node() && root.node()->is("prim::Constant");
  if (is_constant && owns_constants) return ir::state_write(StateWrite::Kind::Constant, "", writer);
  if (root.weight()) return ir::state_write(StateWrite::Kind::Weight, root.name(), writer);
  if (!root.node()) return std::nullopt;
  if (root.node() == root.node()->graph().block().params())
    return ir::state_write(StateWrite::Kind::Input, root.name(), writer);
  return std::nullopt;
}

// True if the write is recorded, or goes to the former value of an attribute that is assigned a new one.
bool is_recorded(const std::vector<StateWrite>& writes, const StateWrite& write) {
  return std::ranges::any_of(writes, [&](const StateWrite& known) {
    const bool is_former = known.kind == StateWrite::Kind::Attribute && write.kind == StateWrite::Kind::Weight;
    if (write.kind == StateWrite::Kind::Constant) return known == write;
    return (known.kind == write.kind || is_former) && known.name == write.name;
  });
}

}  // namespace

std::vector<std::string> names_of(const StateWrite& write, const ir::StateWrites& writes) {
  std::vector<std::string> names{write.name};
  const auto others = writes.other_names.find(write.name);
  if (write.kind == StateWrite::Kind::Weight && others != writes.other_names.end())
    names.insert(names.end(), others->second.begin(), others->second.end());
  return names;
}

void own_constants(ir::Graph& graph) { graph.block().return_node()->set_attribute(kOwnsConstants, std::int64_t{1}); }

void find_state_writes(ir::Graph& graph, ir::StateWrites& writes) {
  const AliasForest forest(graph);
  const bool owns_constants = graph.block().return_node()->attribute(kOwnsConstants) != nullptr;
  const auto add = [&](Value* root, const ir::Node& writer, bool is_certain) {
    std::optional<StateWrite> write = state_of(*root, writer, owns_constants);
    if (!write || writes.temporary.contains(write->name)) return;
    write->is_certain = is_certain;
    if (is_recorded(writes.outputs, *write) || is_recorded(writes.left_out, *write)) return;
    for (const std::string& name : names_of(*write, writes)) {
      write->name = name;
      if (!writes.as_outputs || write->kind == StateWrite::Kind::Constant) {
        writes.left_out.push_back(*write);
      } else {
        graph.block().add_output(root);
        writes.outputs.push_back(*write);
      }
    }
  };
  for (const auto& [root, writer] : forest.first_writes()) add(root, *writer, true);
  for (const auto& [root, writer] : forest.first_writes())
    for (const Value* origin : forest.possible_origins(root)) add(const_cast<Value*>(origin), *writer, false);
}

void drop_unwritten_outputs(ir::Graph& graph, ir::StateWrites& writes) {
  const std::size_t first = graph.outputs().size() - writes.outputs.size();
  for (std::size_t i = writes.outputs.size(); i-- > 0;) {
    const Value* now = graph.outputs()[first + i];
    if (writes.outputs[i].kind == StateWrite::Kind::Attribute) continue;
    const bool is_weight = writes.outputs[i].kind == StateWrite::Kind::Weight;
    const bool is_unwritten = is_weight ? now->weight() != nullptr : now->node() == graph.block().params();
    if (!is_unwritten) continue;
    const StateWrite state{writes.outputs[i].kind, now->name(), {}, {}, {}};
    if (std::ranges::count(names_of(state, writes), writes.outputs[i].name) == 0) continue;
    graph.block().return_node()->remove_input(first + i);
    writes.outputs.erase(writes.outputs.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

}  // namespace tonnx::program
