// Derives schemas of operators that are not in the table.
#include "exported/document_error.h"
#include "exported/graph_reader.h"
#include "ir/error.h"

namespace tonnx::exported {

using ir::Type;

namespace {

Type list(Type::Kind element) { return Type::list(Type::of(element)); }

// The type that a call uses for an argument or a result.
Type type_of(const Tagged& value) {
  using Kind = Type::Kind;
  if (value.is("as_tensor")) return Type::of(Kind::Tensor);
  if (value.is("as_tensors")) return list(Kind::Tensor);
  if (value.is("as_optional_tensor") || value.is("as_none")) return {Kind::Optional, {Type::of(Kind::Tensor)}, {}};
  if (value.is("as_optional_tensors")) return Type::list({Kind::Optional, {Type::of(Kind::Tensor)}, {}});
  if (value.is("as_float") || value.is("as_sym_float")) return Type::of(Kind::Float);
  if (value.is("as_bool") || value.is("as_sym_bool")) return Type::of(Kind::Bool);
  if (value.is("as_string")) return Type::of(Kind::String);
  if (value.is("as_device")) return Type::of(Kind::Device);
  if (value.is("as_complex")) return Type::of(Kind::Complex);
  if (value.is("as_ints") || value.is("as_sym_ints")) return list(Kind::Int);
  if (value.is("as_floats") || value.is("as_sym_floats")) return list(Kind::Float);
  if (value.is("as_bools") || value.is("as_sym_bools")) return list(Kind::Bool);
  if (value.is("as_strings")) return list(Kind::String);
  return Type::of(Kind::Int);
}

}  // namespace

OperatorName operator_name(std::string_view target) {
  const std::size_t dot = target.find('.');
  const std::size_t last = target.rfind('.');
  if (dot == std::string_view::npos || last == dot)
    throw DocumentError("there is no operator '" + std::string(target) + "'");
  const std::string_view overload = target.substr(last + 1);
  return {std::string(target.substr(0, dot)) + "::" + std::string(target.substr(dot + 1, last - dot - 1)),
          overload == "default" ? std::string() : std::string(overload)};
}

ir::SchemaPtr schema_of_call(const std::string& name, const std::string& overload, const Json& node) {
  auto schema = std::make_shared<ir::Schema>();
  schema->name = name;
  schema->overload = overload;
  for (const Json& input : node.at("inputs")) {
    ir::Argument argument;
    argument.name = input.at("name").get<std::string>();
    argument.type = type_of(tagged(input.at("arg")));
    schema->arguments.push_back(std::move(argument));
  }
  for (const Json& output : node.at("outputs")) {
    ir::Argument result;
    result.type = type_of(tagged(output));
    schema->returns.push_back(std::move(result));
  }
  return schema;
}

}  // namespace tonnx::exported
