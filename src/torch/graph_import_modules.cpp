// Modules that a program picks from a list or dict of them, and their calls.
#include "aten/schemas.h"
#include "ir/error.h"
#include "torch/graph_import.h"

namespace tonnx::torch {

using ir::Code;
using ir::Error;

// An operator of two numbers.
ir::Value* GraphImport::number_call(std::string_view full_name, ir::Value* a, ir::Value* b, const ir::Location& location) {
  const ir::SchemaPtr schema = aten::find_schema(full_name);
  ir::Node* node = emit(schema->name, std::vector<ir::Value*>{a, b}, 1, location);
  node->set_schema(schema);
  node->output()->set_type(schema->returns.at(0).type);
  return node->output();
}

// A module of a list or dict of them, by a number or a key; which one a run may decide.
void GraphImport::convert_module_index(const JitNode& node) {
  const Imported container = get(node.input(0)), index = get(node.input(1));
  const c10::ivalue::Object* object = container.object();
  if (!object) throw Error(Code::Unsupported, "which modules there are to pick from depends on the inputs");
  const bool by_key = index.ivalue() && index.ivalue()->isString();
  std::vector<c10::IValue> modules;
  for (std::size_t k = 0; k < object->type()->numAttributes(); ++k) {
    if (!object->type()->getAttribute(k)->is_module()) continue;
    if (by_key && object->type()->getAttributeName(k) == index.ivalue()->toStringRef()) return set(node.output(), object->getSlot(k));
    modules.push_back(object->getSlot(k));
  }
  if (by_key || modules.empty() || node.input(1)->type()->kind() != c10::TypeKind::IntType)
    throw Error(Code::Unsupported, "a module is picked by a key that the modules have not, or that depends on the inputs");
  if (index.ivalue()) {  // LibTorch takes none from the end
    const std::int64_t at = index.ivalue()->toInt();
    if (at >= 0 && at < std::ssize(modules)) return set(node.output(), modules[static_cast<std::size_t>(at)]);
    throw Error(Code::Program, "there are " + std::to_string(modules.size()) + " modules, and number " + std::to_string(at) + " is picked");
  }
  frame_->choices[node.output()] = {std::move(modules), input(node, 1)};
  set(node.output(), c10::IValue());
}

// The call of a method of one module among several, in a branch each; false where that is not what is called.
bool GraphImport::call_chosen(const JitNode& node, const std::string& name, const std::vector<Imported>& arguments) {
  const auto found = frame_->choices.find(node.input(0));
  if (found == frame_->choices.end()) return false;
  const Choice choice = found->second;
  const ir::Location where = location(node);
  const auto call_of = [&](std::size_t k) -> Way {
    return [this, &choice, &name, &arguments, k] {
      std::vector<Imported> given = arguments;
      given[0] = choice.modules[k];
      return call(*choice.modules[k].toObjectRef().type()->findMethod(name), std::move(given));
    };
  };
  std::vector<c10::TypePtr> types;
  for (const JitValue* output : node.outputs()) types.push_back(output->type());
  Way way = call_of(choice.modules.size() - 1);
  for (std::size_t k = choice.modules.size() - 1; k-- > 0;) {
    way = [this, &choice, &where, &types, k, yes = call_of(k), no = std::move(way)] {
      ir::Value* test = number_call("aten::eq.int", choice.number, constant({static_cast<std::int64_t>(k)}, where), where);
      return branch(test, where, types, yes, no);
    };
  }
  set_results(node, way());
  return true;
}

}  // namespace tonnx::torch
