// Modules that a program selects from a list or dict of modules, and their calls.
#include <algorithm>
#include <limits>

#include "aten/schemas.h"
#include "ir/constant_facts.h"
#include "ir/error.h"
#include "torch/graph_import.h"

namespace tonnx::torch {

using ir::Code;
using ir::Error;

// An operator with one result, whose type is that of its schema.
ir::Value* GraphImport::schema_call(std::string_view full_name, std::vector<ir::Value*> inputs,
                                    const ir::Location& location) {
  const ir::SchemaPtr schema = aten::find_schema(full_name);
  ir::Node* node = emit(schema->name, inputs, 1, location);
  node->set_schema(schema);
  node->output()->set_type(schema->returns.at(0).type);
  return node->output();
}

// Lower and upper bound of a value, as far as its defining node shows.
GraphImport::Bounds GraphImport::bounds_of(const ir::Value* number) const {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (const auto known = ir::constant_integer(number)) return {*known, *known};
  const ir::Node& node = *number->node();
  if (node.is("prim::If")) {
    const Bounds a = bounds_of(node.block(0)->outputs()[number->index()]),
                 b = bounds_of(node.block(1)->outputs()[number->index()]);
    return {std::min(a.least, b.least), std::max(a.most, b.most)};
  }
  if (node.is("aten::remainder"))
    if (const auto divisor = ir::constant_integer(node.input(1)); divisor && *divisor > 0) return {0, *divisor - 1};
  for (const ir::Block* block = block_; block->owner(); block = block->owner()->parent())
    if (block->params() == &node && number->index() == 0 && block->owner()->is("prim::Loop"))
      return {0, ir::constant_integer(block->owner()->input(0)).value_or(kMost) - 1};
  return {std::numeric_limits<std::int64_t>::min(), kMost};
}

// The index of one of `count` modules. If it may be out of range it is read from a list of these indices, so that a
// model fails as LibTorch does.
ir::Value* GraphImport::module_place(ir::Value* number, std::int64_t count, const ir::Location& where) {
  const Bounds bounds = bounds_of(number);
  if (bounds.least >= 0 && bounds.most < count) return number;
  if (bounds.least < 0) {  // a negative index becomes one beyond the last
    ir::Value* beyond = schema_call("aten::mul.int", {number, constant({-count}, where)}, where);
    number = schema_call("prim::max.int", {number, beyond}, where);
  }
  ir::Constant::List places;
  for (std::int64_t k = 0; k < count; ++k) places.items.push_back({k});
  ir::Value* known = constant({std::move(places)}, where);
  known->set_type(ir::Type::list(number->type()));
  ir::Value* place = schema_call("aten::__getitem__.t", {known, number}, where);
  place->set_type(number->type());
  return place;
}

// Selects a module from a list or dict by an index or key, which may be dynamic.
void GraphImport::convert_module_index(const JitNode& node) {
  const Imported container = get(node.input(0)), index = get(node.input(1));
  const c10::ivalue::Object* object = container.object();
  if (!object) throw Error(Code::Unsupported, "the modules to select from depend on the inputs");
  const bool by_key = index.ivalue() && index.ivalue()->isString();
  std::vector<c10::IValue> modules;
  for (std::size_t k = 0; k < object->type()->numAttributes(); ++k) {
    if (!object->type()->getAttribute(k)->is_module()) continue;
    if (by_key && object->type()->getAttributeName(k) == index.ivalue()->toStringRef())
      return set(node.output(), object->getSlot(k));
    modules.push_back(object->getSlot(k));
  }
  if (by_key || modules.empty() || node.input(1)->type()->kind() != c10::TypeKind::IntType)
    throw Error(Code::Unsupported, "a module is selected by a key that does not exist, or that depends on the inputs");
  if (index.ivalue()) {  // LibTorch does not accept negative indices here
    const std::int64_t at = index.ivalue()->toInt();
    if (at >= 0 && at < std::ssize(modules)) return set(node.output(), modules[static_cast<std::size_t>(at)]);
    throw Error(Code::Program, "module index " + std::to_string(at) + " is out of range: there are " +
                                   std::to_string(modules.size()) + " modules");
  }
  ir::Value* place = module_place(input(node, 1), std::ssize(modules), location(node));
  frame_->choices[node.output()] = {std::move(modules), place};
  set(node.output(), c10::IValue());
}

// Calls a method of one of several modules, with one branch per module; returns false for other calls.
bool GraphImport::call_chosen(const JitNode& node, const std::string& name, const std::vector<Imported>& arguments) {
  const auto found = frame_->choices.find(node.input(0));
  if (found == frame_->choices.end()) return false;
  const Choice choice = found->second;
  const ir::Location where = location(node);
  const auto call_of = [&](std::size_t k) -> Path {
    return [this, &choice, &name, &arguments, k] {
      std::vector<Imported> given = arguments;
      given[0] = choice.modules[k];
      return call(*choice.modules[k].toObjectRef().type()->findMethod(name), std::move(given));
    };
  };
  std::vector<c10::TypePtr> types;
  for (const JitValue* output : node.outputs()) types.push_back(output->type());
  Path way = call_of(choice.modules.size() - 1);
  for (std::size_t k = choice.modules.size() - 1; k-- > 0;) {
    way = [this, &choice, &where, &types, k, yes = call_of(k), no = std::move(way)] {
      ir::Value* test =
          schema_call("aten::eq.int", {choice.number, constant({static_cast<std::int64_t>(k)}, where)}, where);
      return branch(test, where, types, yes, no);
    };
  }
  set_results(node, way());
  return true;
}

}  // namespace tonnx::torch
