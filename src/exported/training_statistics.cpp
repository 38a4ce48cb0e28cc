#include "exported/training_statistics.h"

#include <vector>

#include "aten/schemas.h"
#include "aten/training_flags.h"

namespace tonnx::exported {
namespace {

using ir::Node;
using ir::Value;

constexpr std::size_t kShared = 8;  // first arguments that both operators have

bool is_none(const Value* value) { return value->constant() && value->constant()->is_none(); }

// Of each instance, which the statistics are means of.
bool is_of_instances(const Node& node) { return node.is("aten::instance_norm"); }

bool writes_statistics(const Node& node) {
  if ((!node.is("aten::batch_norm") && !is_of_instances(node)) || node.input_count() < kShared) return false;
  if (!aten::takes_own_statistics(node) || is_none(node.input("running_mean")) || is_none(node.input("running_var"))) return false;
  return !is_of_instances(node) || (node.input("input")->facts().has_rank() && node.input("input")->facts().rank() > 2);
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

Value* constant(Node* before, ir::Constant value) {
  Node* node = before->graph().create_constant(std::move(value));
  node->insert_before(before);
  return node->output();
}

void write(Value* kept, Value* made, Node* before) {
  Value* const inputs[] = {kept, made, constant(before, {false})};
  insert("aten::copy_", inputs, before)->output()->set_facts(without_content(kept->facts()));
}

void tell_batch_statistics(Node* node) {
  Node* made = insert("aten::_native_batch_norm_legit_functional", node->inputs().first(kShared), node);
  made->output(0)->set_facts(node->output()->facts());
  for (std::size_t i = 1; i < made->output_count(); ++i) made->output(i)->set_facts(without_content(node->input("running_mean")->facts()));
  write(node->input("running_mean"), made->output(3), node);
  write(node->input("running_var"), made->output(4), node);
  node->output()->replace_uses(made->output(0));
  node->erase();
}

// running = lerp(running, mean over the batch of each instance's statistic, momentum); the variance is unbiased.
void tell_instance_statistics(Node* node) {
  Value* x = node->input("input");
  const ir::DType dtype = node->input("running_mean")->facts().dtype;
  Value* none = constant(node, {});
  if (x->facts().dtype != dtype) {
    Value* const inputs[] = {x, constant(node, {static_cast<std::int64_t>(dtype)}), constant(node, {false}), constant(node, {false}), none};
    Value* cast = insert("aten::to.dtype", inputs, node)->output();
    cast->set_facts(without_content(x->facts()));
    cast->facts().dtype = dtype;
    x = cast;
  }
  ir::Constant::List inner, first{{{std::int64_t{0}}}};
  for (std::int64_t axis = 2; axis < x->facts().rank(); ++axis) inner.items.push_back({axis});
  Value *axes = constant(node, {inner}), *batch = constant(node, {first});
  Value *no = constant(node, {false}), *one = constant(node, {std::int64_t{1}});
  Value* const of_mean[] = {x, axes, no, none};
  Value* const of_variance[] = {x, axes, one, no};
  for (const bool variance : {false, true}) {
    Value* each = variance ? insert("aten::var.correction", of_variance, node)->output() : insert("aten::mean.dim", of_mean, node)->output();
    each->set_facts(without_content(x->facts()));
    each->facts().dims->resize(2);
    Value* kept = node->input(variance ? "running_var" : "running_mean");
    Value* const of_batch[] = {each, batch, no, none};
    Value* mean = insert("aten::mean.dim", of_batch, node)->output();
    Value* const of_new[] = {kept, mean, node->input("momentum")};
    Value* made = insert("aten::lerp.Scalar", of_new, node)->output();
    for (Value* value : {mean, made}) value->set_facts(without_content(kept->facts()));
    write(kept, made, node);
  }
  for (const std::size_t i : {3, 4}) node->set_input(i, none);
}

void tell_statistics(Node* node) { is_of_instances(*node) ? tell_instance_statistics(node) : tell_batch_statistics(node); }

}  // namespace

void tell_statistics(ir::Graph& program, bool all) {
  std::vector<Node*> found;
  ir::for_each_node(program.block(), [&](Node* node) {
    if (writes_statistics(*node) && (all || !is_alone(*node))) found.push_back(node);
  });
  for (Node* node : found) tell_statistics(node);
}

}  // namespace tonnx::exported
