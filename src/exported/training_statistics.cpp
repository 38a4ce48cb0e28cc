#include "exported/training_statistics.h"

#include <vector>

#include "aten/schemas.h"

namespace tonnx::exported {
namespace {

using ir::Node;
using ir::Value;

constexpr std::size_t kShared = 8;  // first arguments that both operators have

bool is_none(const Value* value) { return value->constant() && value->constant()->is_none(); }

bool writes_statistics(const Node& node) {
  if (!node.is("aten::batch_norm") || node.input_count() < kShared) return false;
  const ir::Constant* training = node.input("training")->constant();
  const bool* known = training ? training->get<bool>() : nullptr;
  return known && *known && !is_none(node.input("running_mean")) && !is_none(node.input("running_var"));
}

// Nobody else sees what it writes.
bool is_alone(const Node& node) {
  for (const char* name : {"running_mean", "running_var"})
    for (const ir::Use& use : node.input(name)->uses())
      if (!writes_statistics(*use.node)) return false;
  return true;
}

Node* insert(const char* full_name, std::span<Value* const> inputs, Node* before) {
  const ir::SchemaPtr schema = aten::find_schema(full_name);
  Node* node = before->graph().create(schema->name, inputs, schema->returns.size());
  node->set_schema(schema);
  node->set_location(before->location());
  for (std::size_t i = 0; i < node->output_count(); ++i) node->output(i)->set_type(schema->returns[i].type);
  node->insert_before(before);
  return node;
}

ir::Facts without_content(ir::Facts facts) {
  facts.constant = nullptr;
  return facts;
}

void tell_statistics(Node* node) {
  Node* made = insert("aten::_native_batch_norm_legit_functional", node->inputs().first(kShared), node);
  made->output(0)->set_facts(node->output()->facts());
  for (std::size_t i = 1; i < made->output_count(); ++i) made->output(i)->set_facts(without_content(node->input("running_mean")->facts()));
  Node* blocking = node->graph().create_constant({false});
  blocking->insert_before(node);
  for (const std::size_t i : {0, 1}) {
    Value* kept = node->input(i == 0 ? "running_mean" : "running_var");
    Value* const inputs[] = {kept, made->output(3 + i), blocking->output()};
    insert("aten::copy_", inputs, node)->output()->set_facts(without_content(kept->facts()));
  }
  node->output()->replace_uses(made->output(0));
  node->erase();
}

}  // namespace

void tell_statistics(ir::Graph& program, bool all) {
  std::vector<Node*> found;
  ir::for_each_node(program.block(), [&](Node* node) {
    if (writes_statistics(*node) && (all || !is_alone(*node))) found.push_back(node);
  });
  for (Node* node : found) tell_statistics(node);
}

}  // namespace tonnx::exported
