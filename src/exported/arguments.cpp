// Converts arguments of nodes to values.
#include <complex>

#include "exported/document_error.h"
#include "exported/enums.h"
#include "exported/graph_reader.h"
#include "ir/error.h"

namespace tonnx::exported {

using ir::Constant;
using ir::Type;
using ir::Value;

namespace {

// JSON has no infinities; they are strings.
double real(const Json& value) {
  if (!value.is_string()) return value.get<double>();
  const std::string text = value.get<std::string>();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  throw DocumentError("'" + text + "' is not a number");
}

Constant device(const Json& value) {
  std::string name = value.at("type").get<std::string>();
  if (const Json* index = value.find("index"); index && !index->is_null()) name += ":" + index->dump();
  return {Constant::Device{std::move(name)}};
}

Constant list_of(const Json& items, const std::function<Constant(const Json&)>& item) {
  Constant::List list;
  for (const Json& json : items) list.items.push_back(item(json));
  return {std::move(list)};
}

// Returns the number of an enumeration; refuses -1, which is unknown.
std::int64_t known(std::int64_t number, const Json& value, const char* what) {
  if (number < 0)
    throw ir::Error(ir::Code::Unsupported, std::string(what) + " number " + value.dump() + " is not supported");
  return number;
}

Constant dtype(const Json& value) {
  const ir::DType dtype = dtype_of(value.get<std::int64_t>());
  if (dtype == ir::DType::Undefined) known(-1, value, "dtype");
  return {static_cast<std::int64_t>(dtype)};
}

const Type* element_of(const Type* list) {
  while (list && list->is(Type::Kind::Optional) && !list->elements.empty()) list = &list->elements[0];
  return list && list->is(Type::Kind::List) && !list->elements.empty() ? &list->elements[0] : nullptr;
}

const Type* plain(const Type* type) {
  while (type && type->is(Type::Kind::Optional) && !type->elements.empty()) type = &type->elements[0];
  return type;
}

}  // namespace

Constant constant_of(const Tagged& t) {
  const Json& v = *t.value;
  const auto integer = [](const Json& j) { return Constant{j.get<std::int64_t>()}; };
  const auto floating = [](const Json& j) { return Constant{real(j)}; };
  const auto text = [](const Json& j) { return Constant{j.get<std::string>()}; };
  const auto boolean = [](const Json& j) { return Constant{j.get<bool>()}; };
  if (t.is("as_none")) return {Constant::None{}};
  if (t.is("as_int")) return integer(v);
  if (t.is("as_float")) return floating(v);
  if (t.is("as_bool")) return boolean(v);
  if (t.is("as_string")) return text(v);
  if (t.is("as_complex")) return {std::complex<double>(real(v.at("real")), real(v.at("imag")))};
  if (t.is("as_scalar_type")) return dtype(v);
  if (t.is("as_memory_format")) return {known(memory_format_of(v.get<std::int64_t>()), v, "memory format")};
  if (t.is("as_layout")) return {known(layout_of(v.get<std::int64_t>()), v, "layout")};
  if (t.is("as_device")) return device(v);
  if (t.is("as_ints")) return list_of(v, integer);
  if (t.is("as_floats")) return list_of(v, floating);
  if (t.is("as_bools")) return list_of(v, boolean);
  if (t.is("as_strings")) return list_of(v, text);
  if (t.is("as_int_lists")) return list_of(v, [&](const Json& j) { return list_of(j, integer); });
  throw ir::Error(ir::Code::Unsupported, "an argument of kind '" + t.name() + "' has no ONNX form");
}

// Converts to the type that an operator needs: integers to floats, and a single number to a list.
Value* GraphReader::constant(Constant value, const Type* type) {
  if (const Type* wanted = plain(type)) {
    if (wanted->is(Type::Kind::Float) && value.get<std::int64_t>())
      value = {static_cast<double>(*value.get<std::int64_t>())};
    if (const Type* element = element_of(type); element && element->is(Type::Kind::Float))
      if (auto* list = std::get_if<Constant::List>(&value.value))
        for (Constant& item : list->items)
          if (item.get<std::int64_t>()) item = {static_cast<double>(*item.get<std::int64_t>())};
  }
  const bool is_list = value.get<Constant::List>() != nullptr;
  ir::Node* node = context_.graph.create_constant(std::move(value));
  node->set_location(location_);
  block_.append(node);
  const Type* wanted = plain(type);
  if (is_list && wanted && wanted->is(Type::Kind::List)) node->output()->set_type(*wanted);
  return node->output();
}

Value* GraphReader::list(std::span<Value* const> items, Type element) {
  Value* made = emit("prim::ListConstruct", items, 1)->output();
  made->set_type(Type::list(std::move(element)));
  return made;
}

// Creates a list of names of numbers and numbers.
Value* GraphReader::numbers(const Json& items, Type::Kind kind) {
  std::vector<Value*> values;
  Constant::List constants;
  for (const Json& item : items) {
    values.push_back(argument(Tagged(kind == Type::Kind::Int    ? "as_sym_int"
                                     : kind == Type::Kind::Bool ? "as_sym_bool"
                                                                : "as_sym_float",
                                     &item)));
    if (const Constant* known = values.back()->constant()) constants.items.push_back(*known);
  }
  if (constants.items.size() != values.size()) return list(values, Type::of(kind));
  const Type type = Type::list(Type::of(kind));
  return constant({std::move(constants)}, &type);
}

Value* GraphReader::tensors(const Json& items) {
  std::vector<Value*> values;
  bool optional = false;
  for (const Json& item : items) {
    const bool named = item.contains("name");
    const Tagged t = named ? Tagged{"as_tensor", &item} : tagged(item);
    optional = optional || t.is("as_none");
    values.push_back(t.is("as_none") ? constant({Constant::None{}}) : value(t.value->at("name").get<std::string>()));
  }
  const Type tensor = Type::of(Type::Kind::Tensor);
  return list(values, optional ? Type{Type::Kind::Optional, {tensor}, {}} : tensor);
}

Value* GraphReader::argument(const Tagged& t, const Type* wanted) {
  const auto number = [&](const char* constant_kind) {
    const Json* name = t.value->find("as_name");
    if (!name) return constant(constant_of(Tagged(constant_kind, &t.value->at(constant_kind))), wanted);
    Value* named = value(name->get<std::string>());
    if (!named->constant() || named->node()->is("prim::Constant")) return named;
    Value* fixed = constant(*named->constant(), wanted);
    context_.replaced[fixed] = named;
    return fixed;
  };
  if (t.is("as_tensor")) return value(t.value->at("name").get<std::string>());
  if (t.is("as_tensors") || t.is("as_optional_tensors")) return tensors(*t.value);
  if (t.is("as_optional_tensor")) return this->argument(*t.value, wanted);
  if (t.is("as_sym_int")) return number("as_int");
  if (t.is("as_sym_float")) return number("as_float");
  if (t.is("as_sym_bool")) return number("as_bool");
  if (t.is("as_sym_ints")) return numbers(*t.value, Type::Kind::Int);
  if (t.is("as_sym_floats")) return numbers(*t.value, Type::Kind::Float);
  if (t.is("as_sym_bools")) return numbers(*t.value, Type::Kind::Bool);
  if (t.is("as_custom_obj"))
    throw ir::Error(ir::Code::Unsupported, "an object of class " + t.value->at("class_fqn").get<std::string>() +
                                               " has no ONNX form; pass tensors and numbers instead");
  return constant(constant_of(t), wanted);
}

}  // namespace tonnx::exported
