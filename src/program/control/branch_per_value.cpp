#include "program/control/branch_per_value.h"

#include "ir/type.h"

namespace tonnx::program {

using ir::Block;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

constexpr std::size_t kMostNested = 8;  // keys that are compared one by one

// The operator that compares keys of this type; null if a model cannot represent them.
const char* comparison(const Type& key) {
  switch (key.kind) {
    case Type::Kind::Int: return "aten::eq.int";
    case Type::Kind::Float: return "aten::eq.float";
    case Type::Kind::Bool: return "aten::eq.bool";
    case Type::Kind::String: return "aten::eq.str";
    default: return nullptr;
  }
}

}  // namespace

bool takes_key(const Type& key) { return comparison(key); }

Value* equals_key(Inserter& insert, Value* value, const Value* key) {
  return insert.call(comparison(value->type()), {value, insert.constant(*key->constant())});
}

Selector Selector::by_key(Inserter& insert, Value* key, std::span<Value* const> keys) {
  if (keys.size() <= kMostNested) return {By::Key, key, keys};
  const auto count = static_cast<std::int64_t>(keys.size());
  Value* index = insert.integer(-3 * count);  // invalid, also below opset 11, if no key is equal
  for (std::int64_t i = 0; i < count; ++i) {
    Value* is_equal = insert.call("aten::Int.bool", {equals_key(insert, key, keys[static_cast<std::size_t>(i)])});
    Value* added = insert.call("aten::mul.int", {is_equal, insert.integer(3 * count + i)});
    index = insert.call("aten::add.int", {index, added});
  }
  return by_index(insert.normalised_index(index, count));
}

Selector Selector::by_valid_key(Inserter& insert, Value* key, std::span<Value* const> keys) {
  Selector selector = by_key(insert, key, keys);
  selector.is_valid_ = true;
  return selector;
}

Value* Selector::is(Inserter& insert, std::size_t at) const {
  if (by_ == By::Flag) return operand_;
  if (by_ == By::Index) return insert.call("aten::eq.int", {operand_, insert.integer(static_cast<std::int64_t>(at))});
  Value* is_key = equals_key(insert, operand_, keys_[at]);
  // Two keys of type bool are complete, so no other key needs a check.
  if (is_valid_ || at + 2 < keys_.size() || operand_->type().is(Type::Kind::Bool)) return is_key;
  return insert.first_of(is_key, equals_key(insert, operand_, keys_[at + 1]));
}

Selector::Split Selector::split(Inserter& insert, Range range) const {
  const auto [begin, end] = range;
  const std::size_t middle = by_ == By::Index ? begin + (end - begin) / 2 : begin + 1;
  Value* condition = middle == begin + 1
                         ? is(insert, begin)
                         : insert.call("aten::lt.int", {operand_, insert.integer(static_cast<std::int64_t>(middle))});
  return {condition, {begin, middle}, {middle, end}};
}

namespace {

std::vector<Value*> branch_in(Inserter& insert, const Node& node, const Selector& selector, Selector::Range range,
                              const CandidateResults& each) {
  if (range.begin + 1 == range.end) return each(insert, range.begin);
  const Selector::Split parts = selector.split(insert, range);
  Node* branch = node.graph().create("prim::If", {&parts.condition, 1}, node.output_count());
  branch->set_location(node.location());
  for (const Selector::Range part : {parts.first, parts.second}) {
    Block* block = branch->add_block();
    Inserter inside(block, node.location());
    for (Value* value : branch_in(inside, node, selector, part, each)) block->add_output(value);
  }
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    branch->output(i)->set_type(node.output(i)->type());
    branch->output(i)->set_facts(node.output(i)->facts());
  }
  insert.insert(branch);
  return {branch->outputs().begin(), branch->outputs().end()};
}

}  // namespace

std::vector<Value*> branch_per_candidate(Inserter& insert, const Node& node, const Selector& selector,
                                         std::size_t count, const CandidateResults& each) {
  return branch_in(insert, node, selector, {0, count}, each);
}

void branch_per_value(Node& node, const Value* replaced, std::span<Value* const> values, const Selector& selector) {
  Inserter insert(&node);
  const auto copy_with = [&](Inserter& inside, std::size_t k) -> std::vector<Value*> {
    if (replaced->node() == &node) return {values[k]};
    ValueMap map = {{replaced, values[k]}};
    Node* copy = copy_node(node, map);
    inside.insert(copy);
    return {copy->outputs().begin(), copy->outputs().end()};
  };
  const std::vector<Value*> results = branch_per_candidate(insert, node, selector, values.size(), copy_with);
  for (std::size_t i = 0; i < results.size(); ++i) node.output(i)->replace_uses(results[i]);
  node.erase();
}

}  // namespace tonnx::program
