#include "program/traces/size_nodes.h"

#include <algorithm>

namespace tonnx::program {

using ir::Node;
using ir::Value;
using Kind = SizeExpression::Kind;

namespace {

std::string_view integer_operator(Kind kind) {
  switch (kind) {
    case Kind::Add: return "aten::add.int";
    case Kind::Multiply: return "aten::mul.int";
    case Kind::FloorDivide: return "aten::floordiv.int";
    case Kind::Minimum: return "prim::min.int";
    default: return "prim::max.int";
  }
}

std::string_view real_operator(Kind kind) {
  switch (kind) {
    case Kind::Add: return "aten::add.float";
    case Kind::Multiply: return "aten::mul.float";
    case Kind::Divide: return "aten::div.float";
    case Kind::SquareRoot: return "aten::sqrt.float";
    default: return "aten::log.float";
  }
}

Node* outermost(Node* node) {
  while (node->parent()->owner()) node = node->parent()->owner();
  return node;
}

}  // namespace

SizeNodes::SizeNodes(ir::Graph& graph, std::vector<Axis> axes, std::size_t symbols)
    : graph_(graph), axes_(std::move(axes)), symbols_(symbols), start_(graph.block().first()) {
  for (std::size_t i = 0; i < axes_.size(); ++i) names_.push_back("#" + std::to_string(i));
}

bool SizeNodes::is_early(const SizeExpression& e) const {
  if (e.kind == Kind::Size) return static_cast<std::size_t>(e.integer) < symbols_;
  return std::all_of(e.operands.begin(), e.operands.end(), [&](const SizeExpression& o) { return is_early(o); });
}

// Inserts at the start or before the outermost node that contains `reader`; `where` identifies the position.
Inserter SizeNodes::at(const SizeExpression& expression, Node* reader, std::string& where) const {
  Node* before = outermost(reader);
  if (is_early(expression) && start_) {
    before = start_;
  } else if (!is_early(expression)) {
    where = "@" + std::to_string(reinterpret_cast<std::uintptr_t>(before));
  }
  return Inserter(before);
}

Value* SizeNodes::number(const SizeExpression& expression, Node* reader) {
  if (expression.is_real()) return real(expression, reader);
  std::string where;
  Inserter insert = at(expression, reader, where);
  return build(expression, insert, where);
}

Value* SizeNodes::real(const SizeExpression& expression, Node* reader) {
  std::string where;
  Inserter insert = at(expression, reader, where);
  return build_real(expression, insert, where);
}

Value* SizeNodes::once(const std::string& key, const std::function<Value*()>& make) {
  auto& known = built_[key];
  if (!known) known = make();
  return known;
}

Value* SizeNodes::build(const SizeExpression& e, Inserter& insert, const std::string& where) {
  if (e.kind == Kind::Integer) return insert.integer(e.integer);
  if (e.kind == Kind::Size) return size(static_cast<std::size_t>(e.integer), insert);
  return once(to_string(e, names_) + where, [&] {
    Value* first = build(e.operands[0], insert, where);
    return insert.call(integer_operator(e.kind), {first, build(e.operands[1], insert, where)});
  });
}

// The size of an input is read at the start, so that it dominates every later use. Another size is read right after its
// value's node: code may change the shape in place later.
Value* SizeNodes::size(std::size_t index, Inserter& insert) {
  const auto read = [&](Inserter& inserter) {
    const Axis& axis = axes_[index];
    return inserter.call("aten::size.int", {axis.value, inserter.integer(static_cast<std::int64_t>(axis.axis))});
  };
  return once(names_[index], [&] {
    if (index < symbols_ && !start_) return read(insert);
    Inserter position = index < symbols_ ? Inserter(start_) : Inserter::after(*axes_[index].value->node());
    return read(position);
  });
}

Value* SizeNodes::build_real(const SizeExpression& e, Inserter& insert, const std::string& where) {
  if (e.kind == Kind::Real) return insert.constant({e.real});
  return once("float " + to_string(e, names_) + where, [&] {
    if (!e.is_real()) return insert.call("aten::Float.int", {build(e, insert, where)});
    Value* first = build_real(e.operands[0], insert, where);
    if (e.operands.size() == 1) return insert.call(real_operator(e.kind), {first});
    return insert.call(real_operator(e.kind), {first, build_real(e.operands[1], insert, where)});
  });
}

}  // namespace tonnx::program
