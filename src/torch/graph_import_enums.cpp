// Members of an enumeration that are known only at run time are represented by their index.
#include <ATen/core/enum_type.h>

#include "aten/schemas.h"
#include "ir/error.h"
#include "torch/convert.h"
#include "torch/graph_import.h"

namespace tonnx::torch {

using ir::Code;
using ir::Error;

bool holds_enum(const c10::Type& type) {
  if (type.kind() == c10::TypeKind::EnumType) return true;
  for (const auto& inner : type.containedTypes())
    if (holds_enum(*inner)) return true;
  return false;
}

// Imports comparisons of members, their names and their values; returns false for other nodes.
bool GraphImport::convert_enum(const JitNode& node) {
  const auto is_member = [](const JitValue* value) { return value->type()->kind() == c10::TypeKind::EnumType; };
  const auto inputs = node.inputs();
  if (std::none_of(inputs.begin(), inputs.end(), [](const JitValue* value) { return holds_enum(*value->type()); }))
    return false;
  const bool returns_enum = std::any_of(node.outputs().begin(), node.outputs().end(),
                                        [](const JitValue* value) { return holds_enum(*value->type()); });
  if (returns_enum || node.kind() == c10::aten::len) return false;
  const ir::Location where = location(node);
  const std::string kind = node.kind().toQualString();
  std::string name;
  std::vector<ir::Value*> operands;
  if (inputs.size() == 2 && is_member(inputs[0]) && is_member(inputs[1])) {
    name = kind + ".int";
    operands = {input(node, 0), input(node, 1)};
  } else if (inputs.size() == 1 && is_member(inputs[0])) {
    const bool asks_name = node.kind() == c10::prim::EnumName;
    if (asks_name || node.kind() == c10::prim::EnumValue) {
      c10::impl::GenericList answers(node.output()->type());
      for (const auto& [member, value] : inputs[0]->type()->expectRef<c10::EnumType>().enumNamesValues())
        answers.push_back(asks_name ? c10::IValue(member) : value);
      name = "aten::__getitem__.t";
      operands = {materialise_ivalue(c10::IValue(answers), "", where), input(node, 0)};
    }
  }
  const ir::SchemaPtr schema = name.empty() ? nullptr : aten::find_schema(name);
  if (!schema)
    throw Error(Code::Unsupported,
                "it uses members of an enumeration that are known only at run time; only ==, !=, name and value of "
                "these are supported");
  ir::Node* made = emit(schema->name, operands, 1, where);
  made->set_schema(schema);
  made->output()->set_type(to_ir(*node.output()->type()));
  set(node.output(), made->output());
  return true;
}

}  // namespace tonnx::torch
