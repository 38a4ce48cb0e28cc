#include "exported/control_reader.h"

#include <limits>

#include "exported/document_error.h"
#include "exported/functionalized_reader.h"
#include "ir/error.h"

namespace tonnx::exported {

using ir::Node;
using ir::Type;
using ir::Value;

void ControlReader::read(const Json& node, const std::string& name) {
  const std::string_view op = std::string_view(name).substr(0, name.find('.'));
  if (op == "wrap_with_set_grad_enabled") return call(node, 1, 2);
  if (op == "wrap_with_autocast") return autocast(node);
  if (op == "invoke_subgraph") return call(node, 0, 2);
  if (op == "cond") return cond(node);
  if (op == "while_loop") return while_loop(node);
  if (op == "scan") return scan(node, operands(node, 1, 1), operands(node, 2, 1), operands(node, 3));
  if (op == "map" || op == "map_impl") return scan(node, {}, operands(node, 1, 1), operands(node, 2));
  if (op.starts_with("auto_functionalized")) return FunctionalizedReader(reader_, node).read();
  reader_.leave(node, "higher_order::" + std::string(op), "this higher-order operator has no ONNX form");
}

const Json& ControlReader::graph(const Json& node, std::size_t position) const {
  return node.at("inputs").at(position).at("arg").at("as_graph").at("graph");
}

std::vector<Value*> ControlReader::operands(const Json& node, std::size_t position, std::size_t count) {
  std::vector<Value*> values;
  const Json& inputs = node.at("inputs");
  for (std::size_t i = position; i < inputs.size() && i - position < count; ++i) {
    const Json& argument = inputs[i].at("arg");
    const Tagged t = tagged(argument);
    if (t.is("as_tensors")) {
      for (const Json& item : *t.value) values.push_back(reader_.value(item.at("name").get<std::string>()));
    } else if (t.is("as_ints") || t.is("as_sym_ints")) {
      for (const Json& item : *t.value)
        values.push_back(reader_.argument(Tagged(item.is_object() ? "as_sym_int" : "as_int", &item)));
    } else {
      values.push_back(reader_.argument(argument));
    }
  }
  return values;
}

std::vector<Value*> ControlReader::inline_graph(const Json& graph, ir::Block& block, const std::vector<Value*>& inputs,
                                                const std::optional<std::string>& casts) {
  GraphReader inner(reader_.context_, block, graph);
  inner.casts_ = casts.value_or(reader_.casts_);
  inner.location_ = reader_.location_;
  const Json& names = graph.at("inputs");
  if (names.size() != inputs.size())
    throw DocumentError("a graph of " + std::to_string(names.size()) + " inputs is called with " +
                        std::to_string(inputs.size()) + " arguments");
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Tagged t = tagged(names[i]);
    if (t.value->is_object() && t.value->contains("name"))
      inner.bind(t.value->at("name").get<std::string>(), inputs[i]);
    if (t.value->is_object() && t.value->contains("as_name"))
      inner.bind(t.value->at("as_name").get<std::string>(), inputs[i]);
  }
  inner.read();
  std::vector<Value*> results;
  for (const Json& output : graph.at("outputs")) {
    const Tagged t = tagged(output);
    if (t.is("as_tensors")) {
      for (const Json& item : *t.value) results.push_back(inner.value(item.at("name").get<std::string>()));
    } else {
      results.push_back(inner.argument(output));
    }
  }
  return results;
}

// Names of a node's results, with lists flattened.
std::vector<Tagged> ControlReader::results(const Json& node) {
  std::vector<Tagged> named;
  for (const Json& output : node.at("outputs")) {
    const Tagged t = tagged(output);
    if (!t.is("as_tensors")) {
      named.push_back(output);
      continue;
    }
    for (const Json& item : *t.value) named.emplace_back("as_tensor", &item);
  }
  return named;
}

void ControlReader::bind_values(const Json& node, const std::vector<Value*>& values) {
  const std::vector<Tagged> named = results(node);
  if (named.size() > values.size()) throw DocumentError("a graph has fewer results than names");
  for (std::size_t i = 0; i < named.size(); ++i) {
    const Tagged& t = named[i];
    for (const char* key : {"name", "as_name"})
      if (t.value->is_object() && t.value->contains(key)) reader_.bind(t.value->at(key).get<std::string>(), values[i]);
  }
}

void ControlReader::call(const Json& node, std::size_t position, std::size_t first) {
  bind_values(node, inline_graph(graph(node, position), reader_.block_, operands(node, first)));
}

// (device, dtype, enabled, cache, graph, operands...)
void ControlReader::autocast(const Json& node) {
  const Json& inputs = node.at("inputs");
  const bool enabled = inputs.at(2).at("arg").at("as_bool").get<bool>();
  const std::string device = enabled ? inputs.at(0).at("arg").at("as_string").get<std::string>() : "";
  bind_values(node, inline_graph(graph(node, 4), reader_.block_, operands(node, 5), device));
}

Value* ControlReader::truth(GraphReader& reader, Value* value) {
  if (!value->type().is(Type::Kind::Tensor)) return value;
  return reader.emit_value("aten::Bool.Tensor", std::vector<Value*>{value});
}

std::vector<Value*> ControlReader::copies(const std::vector<Value*>& initial) {
  std::vector<Value*> made;
  for (Value* value : initial) made.push_back(value->type().is(Type::Kind::Tensor) ? reader_.emit_copy(value) : value);
  return made;
}

// Sets the types of block inputs to those of their initial values, and their facts to those of the body's document.
std::vector<Value*> ControlReader::carry(ir::Block& body, const Json& graph, const std::vector<Value*>& initial) {
  const GraphReader names(reader_.context_, body, graph);
  std::vector<Value*> carried;
  for (std::size_t i = 0; i < initial.size(); ++i) {
    Value* value = body.add_input();
    value->set_type(initial[i]->type());
    const Tagged t = tagged(graph.at("inputs").at(i));
    if (t.is("as_tensor")) value->set_facts(names.tensor_facts(t.value->at("name").get<std::string>()));
    carried.push_back(value);
  }
  return carried;
}

void ControlReader::while_loop(const Json& node) {
  const Json& condition = graph(node, 0);
  const Json& body = graph(node, 1);
  const std::vector<Value*> initial = operands(node, 2, 1);
  const std::vector<Value*> captured = operands(node, 3);
  const auto with_captured = [&](std::vector<Value*> values) {
    values.insert(values.end(), captured.begin(), captured.end());
    return values;
  };
  std::vector<Value*> inputs{reader_.constant({std::numeric_limits<std::int64_t>::max()}),
                             truth(reader_, inline_graph(condition, reader_.block_, with_captured(initial)).at(0))};
  for (Value* value : copies(initial)) inputs.push_back(value);
  Node* loop = reader_.emit("prim::Loop", inputs, initial.size());
  ir::Block* block = loop->add_block();
  block->add_input()->set_type(Type::of(Type::Kind::Int));
  const std::vector<Value*> carried = carry(*block, body, initial);
  const std::vector<Value*> next = inline_graph(body, *block, with_captured(carried));
  if (next.size() != carried.size())
    throw DocumentError("the body of a loop returns another number of values than it takes");
  GraphReader inner(reader_.context_, *block, body);
  block->add_output(truth(inner, inline_graph(condition, *block, with_captured(next)).at(0)));
  for (Value* value : next) block->add_output(value);
  bind_loop(node, *loop, next);
}

// Names the first results of a loop by the names in the node.
void ControlReader::bind_loop(const Json& node, Node& loop, const std::vector<Value*>& carried) {
  const std::vector<Tagged> named = results(node);
  for (std::size_t i = 0; i < carried.size(); ++i) {
    loop.output(i)->set_type(carried[i]->type());
    if (i < named.size()) reader_.bind_output(named[i], loop.output(i));
  }
}

// One iteration per row of `rows`: first the loop-carried values, then the results of each iteration, which are
// stacked.
void ControlReader::scan(const Json& node, const std::vector<Value*>& initial, const std::vector<Value*>& rows,
                         const std::vector<Value*>& captured) {
  const Json& body = graph(node, 0);
  const std::vector<Tagged> named = results(node);
  if (rows.empty() || named.size() < initial.size()) throw DocumentError("a scan has no rows");
  const std::size_t stacked = named.size() - initial.size();
  const Type tensor = Type::of(Type::Kind::Tensor);
  Value* zero = reader_.constant({std::int64_t{0}});
  std::vector<Value*> inputs{reader_.emit_value("aten::size.int", std::vector<Value*>{rows[0], zero}),
                             reader_.constant({true})};
  for (Value* value : copies(initial)) inputs.push_back(value);
  for (std::size_t i = 0; i < stacked; ++i) inputs.push_back(reader_.list({}, tensor));
  Node* loop = reader_.emit("prim::Loop", inputs, named.size());
  ir::Block* block = loop->add_block();
  Value* iteration = block->add_input();
  iteration->set_type(Type::of(Type::Kind::Int));
  std::vector<Value*> arguments = carry(*block, body, initial);
  std::vector<Value*> lists;
  for (std::size_t i = 0; i < stacked; ++i) {
    lists.push_back(block->add_input());
    lists.back()->set_type(Type::list(tensor));
  }
  GraphReader inner(reader_.context_, *block, body);
  inner.location_ = reader_.location_;
  Value* axis = inner.constant({std::int64_t{0}});
  for (Value* row : rows) {
    Value* one = inner.emit_value("aten::select.int", std::vector<Value*>{row, axis, iteration});
    const Tagged t = tagged(body.at("inputs").at(arguments.size()));
    one->set_facts(inner.tensor_facts(t.value->at("name").get<std::string>()));
    arguments.push_back(one);
  }
  arguments.insert(arguments.end(), captured.begin(), captured.end());
  const std::vector<Value*> next = inline_graph(body, *block, arguments);
  if (next.size() != named.size()) throw DocumentError("the body of a scan has another number of results");
  block->add_output(inner.constant({true}));
  for (std::size_t i = 0; i < initial.size(); ++i) block->add_output(next[i]);
  for (std::size_t i = 0; i < stacked; ++i) {
    Value* item = inner.list(std::span(&next[initial.size() + i], 1), tensor);
    Value* longer = inner.emit_value("aten::add.t", std::vector<Value*>{lists[i], item});
    longer->set_type(Type::list(tensor));
    block->add_output(longer);
  }
  bind_loop(node, *loop, std::vector<Value*>(next.begin(), next.begin() + static_cast<std::ptrdiff_t>(initial.size())));
  for (std::size_t i = initial.size(); i < named.size(); ++i) {
    loop->output(i)->set_type(Type::list(tensor));
    reader_.bind_output(named[i], reader_.emit_value("aten::stack", std::vector<Value*>{loop->output(i)}));
  }
}

void ControlReader::cond(const Json& node) {
  Value* condition = reader_.argument(node.at("inputs").at(0).at("arg"));
  const std::vector<Value*> inputs = operands(node, 3);
  condition = truth(reader_, condition);
  const std::vector<Tagged> named = results(node);
  Node* branch = reader_.emit("prim::If", std::span(&condition, 1), named.size());
  for (const std::size_t position : {std::size_t{1}, std::size_t{2}}) {
    ir::Block* block = branch->add_block();
    for (Value* result : inline_graph(graph(node, position), *block, inputs)) block->add_output(result);
    if (block->outputs().size() != named.size())
      throw DocumentError("a branch of a condition has another number of results than the condition");
  }
  for (std::size_t i = 0; i < named.size(); ++i) {
    branch->output(i)->set_type(branch->block(0)->outputs()[i]->type());
    reader_.bind_output(named[i], branch->output(i));
  }
}

}  // namespace tonnx::exported
