#include <algorithm>
#include <vector>

#include "aten/schemas.h"
#include "aten/training_flags.h"
#include "ir/constant_facts.h"
#include "ir/writes.h"
#include "program/writes/state_writes.h"

namespace tonnx::program {
namespace {

using ir::Node;
using ir::Value;

constexpr std::size_t kShared = 8;  // the leading arguments that both operators have

// Its statistics are means over instances.
bool is_instance_norm(const Node& node) { return node.is("aten::instance_norm"); }

// True for functional forms, which return new statistics instead of writing them.
bool returns_statistics(const ir::Schema& schema) {
  return std::ranges::any_of(schema.returns,
                             [](const ir::Argument& result) { return result.name.starts_with("running_"); });
}

std::vector<std::size_t> statistics_of(const Node& node) {
  std::vector<std::size_t> found;
  if (!node.schema() || returns_statistics(*node.schema())) return found;
  for (std::size_t i = 0; i < std::min(node.input_count(), node.schema()->arguments.size()); ++i)
    if (aten::is_statistic(node.schema()->arguments[i].name) && !is_none(node.input(i)) && !writes_argument(node, i))
      found.push_back(i);
  return found;
}

bool may_be_written(const Node& node) {
  if (node.input_count() < kShared || statistics_of(node).size() != 2) return false;
  if (is_instance_norm(node)) return node.input("input")->facts().has_rank() && node.input("input")->facts().rank() > 2;
  return node.is("aten::batch_norm") || node.is("aten::native_batch_norm");
}

bool is_state(const Value& value) { return value.weight() || value.node() == value.node()->graph().block().params(); }

// True if the statistics are state that only such normalisations use.
bool are_statistics_unshared(const Node& node) {
  for (const std::size_t i : statistics_of(node)) {
    if (!is_state(*node.input(i))) return false;
    for (const ir::Use& use : node.input(i)->uses())
      if (!writes_unmarked_statistics(*use.node)) return false;
  }
  return true;
}

void leave_out(const Node& node, ir::StateWrites& writes) {
  for (const std::size_t i : statistics_of(node)) {
    const Value& statistic = *node.input(i);
    if (!is_state(statistic)) continue;
    const auto kind = statistic.weight() ? ir::StateWrite::Kind::Weight : ir::StateWrite::Kind::Input;
    ir::StateWrite write = ir::state_write(kind, statistic.name(), node);
    const auto is_same = [&](const ir::StateWrite& known) { return known.kind == kind && known.name == write.name; };
    if (std::ranges::none_of(writes.left_out, is_same)) writes.left_out.push_back(std::move(write));
  }
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

void write(Value* statistic, Value* updated, Node* before) {
  Value* const inputs[] = {statistic, updated, constant(before, {false})};
  Node* copy = insert("aten::copy_", inputs, before);
  copy->output()->set_facts(without_content(statistic->facts()));
  ir::set_writer(*copy, before->kind());
}

void write_batch_statistics(Node* node) {
  Node* updated = insert("aten::_native_batch_norm_legit_functional", node->inputs().first(kShared), node);
  for (std::size_t i = 1; i < updated->output_count(); ++i)
    updated->output(i)->set_facts(without_content(node->input("running_mean")->facts()));
  for (std::size_t i = 0; i < node->output_count(); ++i) updated->output(i)->set_facts(node->output(i)->facts());
  write(node->input("running_mean"), updated->output(3), node);
  write(node->input("running_var"), updated->output(4), node);
  for (std::size_t i = 0; i < node->output_count(); ++i) node->output(i)->replace_uses(updated->output(i));
  node->erase();
}

// running = lerp(running, mean over the batch of each instance's statistic, momentum); the variance is unbiased.
void write_instance_statistics(Node* node) {
  Value* x = node->input("input");
  const ir::DType dtype = node->input("running_mean")->facts().dtype;
  Value* none = constant(node, {});
  if (x->facts().dtype != dtype) {
    Value* const inputs[] = {x, constant(node, {static_cast<std::int64_t>(dtype)}), constant(node, {false}),
                             constant(node, {false}), none};
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
    Value* each = variance ? insert("aten::var.correction", of_variance, node)->output()
                           : insert("aten::mean.dim", of_mean, node)->output();
    each->set_facts(without_content(x->facts()));
    if (each->facts().dims) each->facts().dims->resize(2);
    Value* statistic = node->input(variance ? "running_var" : "running_mean");
    Value* const of_batch[] = {each, batch, no, none};
    Value* mean = insert("aten::mean.dim", of_batch, node)->output();
    Value* const of_new[] = {statistic, mean, node->input("momentum")};
    Value* updated = insert("aten::lerp.Scalar", of_new, node)->output();
    for (Value* value : {mean, updated}) value->set_facts(without_content(statistic->facts()));
    write(statistic, updated, node);
  }
  for (const std::size_t i : {3, 4}) node->set_input(i, none);
}

void make_writes_explicit(Node* node) {
  is_instance_norm(*node) ? write_instance_statistics(node) : write_batch_statistics(node);
}

}  // namespace

bool writes_unmarked_statistics(const Node& node) {
  return aten::takes_own_statistics(node) && !statistics_of(node).empty();
}

void write_statistics(ir::Graph& graph, ir::StateWrites& writes) {
  std::vector<Node*> replaced, left_out;
  ir::for_each_node(graph.block(), [&](Node* node) {
    if (!writes_unmarked_statistics(*node)) return;
    (may_be_written(*node) && (writes.as_outputs || !are_statistics_unshared(*node)) ? replaced : left_out)
        .push_back(node);
  });
  for (const Node* node : left_out) leave_out(*node, writes);
  for (Node* node : replaced) make_writes_explicit(node);
}

}  // namespace tonnx::program
