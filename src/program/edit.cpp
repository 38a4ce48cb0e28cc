#include "program/edit.h"

#include <numeric>

#include "aten/schemas.h"
#include "ir/error.h"
#include "ir/source_line.h"

namespace tonnx::program {

using ir::Block;
using ir::Constant;
using ir::Node;
using ir::Type;
using ir::Value;

void Inserter::insert(Node* node) {
  if (!node->location().scope && !node->location().line) node->set_location(location_);
  if (before_) {
    node->insert_before(before_);
  } else {
    block_->append(node);
  }
}

Value* Inserter::constant(Constant constant) {
  Node* node = block_->graph().create_constant(std::move(constant));
  insert(node);
  return node->output();
}

Value* Inserter::integers(std::span<const std::int64_t> values) {
  Constant::List list;
  for (const std::int64_t v : values) list.items.push_back({v});
  Value* value = constant({std::move(list)});
  value->set_type(Type::list(Type::of(Type::Kind::Int)));
  return value;
}

Value* Inserter::normalised_index(Value* index, std::int64_t count) {
  std::vector<std::int64_t> indices(static_cast<std::size_t>(count));
  std::iota(indices.begin(), indices.end(), std::int64_t{0});
  Value* normalised = call("aten::__getitem__.t", {integers(indices), index});
  normalised->set_type(Type::of(Type::Kind::Int));
  return normalised;
}

Value* Inserter::only_item(Value* value, Value* index) {
  Value* item = value->type().is(Type::Kind::Tensor)
                    ? call("aten::select.int", {call("aten::unsqueeze", {value, integer(0)}), integer(0), index})
                    : call("aten::__getitem__.t", {list(Type::list(value->type()), {&value, 1}), index});
  item->set_type(value->type());
  item->set_facts(value->facts());
  return item;
}

Value* Inserter::first_of(Value* first, Value* second) {
  // The index is 1 for the first, 0 for the second, and the invalid 2 for neither.
  Value* twice = call("aten::mul.int", {integer(2), call("aten::Int.bool", {second})});
  Value* number = call("aten::sub.int", {call("aten::sub.int", {integer(2), call("aten::Int.bool", {first})}), twice});
  return call("aten::eq.int", {normalised_index(number, 2), integer(1)});
}

namespace {

bool names_operator(const ir::Location& location) { return location.line && !location.line->made_for().empty(); }

// The location of an operator that replaces `source`: `location`, extended by the name of `source` for messages. It is
// not extended if it is another location than that of `source`.
ir::Location location_for(const Node& source, const ir::Location& location) {
  const bool is_same = source.location().scope == location.scope && source.location().line == location.line;
  if (!is_same || !source.schema() || source.domain() == "prim" || names_operator(location)) return location;
  return {location.scope, std::make_shared<const ir::SourceLine>(location.line, source.full_name())};
}

// True if the node is another operator than `source`, and not the functional form of it.
bool is_other_operator(const Node& node, const Node& source) {
  std::string_view own = node.kind(), name = source.kind();
  if (name.ends_with('_') && !name.ends_with("__")) name.remove_suffix(1);
  return own != name && own != source.kind();
}

}  // namespace

Value* Inserter::call(std::string_view full_name, std::span<Value* const> inputs) {
  const ir::SchemaPtr schema = aten::find_schema(full_name);
  if (!schema) throw ir::Error(ir::Code::Internal, "there is no operator " + std::string(full_name));
  Node* node = block_->graph().create(schema->name, inputs, schema->returns.size());
  for (std::size_t i = node->input_count(); i < schema->arguments.size(); ++i) {
    const auto& value = schema->arguments[i].default_value;
    if (!value)
      throw ir::Error(ir::Code::Internal,
                      schema->full_name() + " built without its argument " + schema->arguments[i].name);
    node->add_input(constant(*value));
  }
  node->set_schema(schema);
  for (std::size_t i = 0; i < schema->returns.size(); ++i) node->output(i)->set_type(schema->returns[i].type);
  insert(node);
  if (before_ && is_other_operator(*node, *before_)) node->set_location(location_for(*before_, location_));
  return node->output_count() == 0 ? nullptr : node->output();
}

Value* Inserter::list(Type type, std::span<Value* const> items) {
  return container("prim::ListConstruct", std::move(type), items);
}

Value* Inserter::tuple(Type type, std::span<Value* const> items) {
  return container("prim::TupleConstruct", std::move(type), items);
}

Value* Inserter::dict(Type type, std::span<Value* const> entries) {
  return container("prim::DictConstruct", std::move(type), entries);
}

Value* Inserter::zero(const Type& type) {
  switch (type.kind) {
    case Type::Kind::Float: return constant({0.0});
    case Type::Kind::Bool: return boolean(false);
    default: return integer(0);
  }
}

Value* Inserter::branch(Value* condition, const Type& type, const Side& yes, const Side& no) {
  Node* node = block_->graph().create("prim::If", {&condition, 1}, 0);
  insert(node);
  for (const Side* side : {&yes, &no}) {
    Block* block = node->add_block();
    Inserter inside(block, before_ ? location_for(*before_, location_) : location_);
    if (Value* result = (*side)(inside)) block->add_output(result);
  }
  if (node->block(0)->outputs().empty()) return nullptr;
  Value* result = node->add_output();
  result->set_type(type);
  return result;
}

Value* Inserter::either(Value* condition, const Type& type, Value* yes, Value* no) {
  return branch(condition, type, [&](Inserter&) { return yes; }, [&](Inserter&) { return no; });
}

Value* Inserter::container(std::string kind, Type type, std::span<Value* const> items) {
  Node* node = block_->graph().create(std::move(kind), items, 1);
  node->output()->set_type(std::move(type));
  insert(node);
  return node->output();
}

Node* copy_node(const Node& node, ValueMap& map) { return copy_node(node, map, node.graph()); }

Node* copy_node(const Node& node, ValueMap& map, ir::Graph& graph) {
  const auto mapped = [&](Value* value) {
    const auto found = map.find(value);
    return found == map.end() ? value : found->second;
  };
  const auto copy_value = [&](const Value& from, Value& to) {
    to.set_type(from.type());
    to.set_facts(from.facts());
    map[&from] = &to;
  };
  Node* copy = graph.create(node.kind(), {}, 0);
  for (Value* in : node.inputs()) copy->add_input(mapped(in));
  for (const Value* out : node.outputs()) copy_value(*out, *copy->add_output());
  copy->set_schema(node.schema_ptr());
  copy->set_location(node.location());
  for (const ir::NamedAttribute& a : node.attributes()) copy->set_attribute(a.name, a.value);
  for (const Block* from : node.blocks()) {
    Block* to = copy->add_block();
    for (const Value* in : from->inputs()) copy_value(*in, *to->add_input());
    for (const Node* inner : from->nodes()) to->append(copy_node(*inner, map, graph));
    for (Value* out : from->outputs()) to->add_output(mapped(out));
  }
  return copy;
}

ir::Node* make_unpack(ir::Value* tuple) {
  const std::vector<ir::Type>& items = tuple->type().elements;
  ir::Node* node = tuple->node()->graph().create("prim::TupleUnpack", {&tuple, 1}, items.size());
  for (std::size_t i = 0; i < items.size(); ++i) node->output(i)->set_type(items[i]);
  return node;
}

ir::Node* make_unpack(ir::Value* list, std::size_t count) {
  ir::Node* node = list->node()->graph().create("prim::ListUnpack", {&list, 1}, count);
  for (Value* item : node->outputs()) item->set_type(list->type().elements.at(0));
  return node;
}

void copy_shape(const Value& from, Value& to) {
  if (to.node()->is("prim::Constant")) return;
  ir::Facts facts = from.facts();
  facts.constant = nullptr;
  to.set_facts(std::move(facts));
  to.set_type(from.type());
}

bool is_never(const ir::Value* value) { return value->node()->is("prim::Uninitialized"); }

void splice_before(Block& block, Node* node) {
  for (Node* inner : block.nodes()) inner->move_before(node);
}

}  // namespace tonnx::program
