#include "torch/arguments.h"

#include <algorithm>
#include <charconv>

#include "aten/schemas.h"
#include "ir/error.h"
#include "ir/quantised_tensor.h"
#include "torch/convert.h"

namespace tonnx::torch {

using ir::Code;
using ir::Constant;
using ir::Error;

namespace {

// The receiver is the first argument of a method's schema, with any name.
constexpr std::size_t kReceiver = 1;

Constant number_as_tensor(const Constant& c) {
  if (const auto* b = c.get<bool>())
    return Constant{ir::Tensor::scalar(ir::DType::Bool, static_cast<std::int64_t>(*b))};
  if (const auto* i = c.get<std::int64_t>()) return Constant{ir::Tensor::scalar(ir::DType::Int64, *i)};
  return Constant{ir::Tensor::scalar(ir::DType::Float32, *c.get<double>())};
}

// Parses a string as an int, since keys of some hosts are always strings; else returns the constant.
Constant whole_number(const Constant& c) {
  const auto* text = c.get<std::string>();
  std::int64_t number = 0;
  if (!text) return c;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  return error == std::errc() && end == text->data() + text->size() ? Constant{number} : c;
}

// Converts numbers to tensors, ints to floats and bools from and to ints as the type requires, also inside containers.
Constant adapt(const Constant& c, const c10::TypePtr& type) {
  switch (type->kind()) {
    case c10::TypeKind::OptionalType:
      return c.is_none() ? c : adapt(c, type->expectRef<c10::OptionalType>().getElementType());
    case c10::TypeKind::TensorType: return c.is_number() ? number_as_tensor(c) : c;
    case c10::TypeKind::FloatType:
      if (const auto* i = c.get<std::int64_t>()) return Constant{static_cast<double>(*i)};
      if (const auto* b = c.get<bool>()) return Constant{static_cast<double>(*b)};
      return c;
    case c10::TypeKind::IntType:
      if (const auto* b = c.get<bool>()) return Constant{static_cast<std::int64_t>(*b)};
      return c;
    case c10::TypeKind::BoolType:
      if (const auto* i = c.get<std::int64_t>()) return Constant{*i != 0};
      return c;
    case c10::TypeKind::ListType: {
      const auto& element = type->expectRef<c10::ListType>().getElementType();
      Constant::List result;
      if (const auto* list = c.get<Constant::List>())
        result.items = list->items;
      else if (const auto* tuple = c.get<Constant::Tuple>())
        result.items = tuple->items;
      else
        return c;
      for (Constant& item : result.items) item = adapt(item, element);
      return Constant{std::move(result)};
    }
    case c10::TypeKind::TupleType: {
      const auto& tuple_type = type->expectRef<c10::TupleType>();
      Constant::Tuple result;
      if (const auto* tuple = c.get<Constant::Tuple>())
        result = *tuple;
      else if (const auto* list = c.get<Constant::List>())
        result.items = list->items;
      else
        return c;
      if (result.items.size() != tuple_type.elements().size()) return c;
      for (std::size_t i = 0; i < result.items.size(); ++i)
        result.items[i] = adapt(result.items[i], tuple_type.elements()[i]);
      return Constant{std::move(result)};
    }
    case c10::TypeKind::DictType: {
      const auto* dict = c.get<Constant::Dict>();
      if (!dict) return c;
      const auto& dict_type = type->expectRef<c10::DictType>();
      Constant::Dict result = *dict;
      for (auto& [key, value] : result.items) {
        if (dict_type.getKeyType()->kind() == c10::TypeKind::IntType) key = whole_number(key);
        value = adapt(value, dict_type.getValueType());
      }
      return Constant{std::move(result)};
    }
    default: return c;
  }
}

// The script class that a type is or contains; null if there is none.
const c10::ClassType* class_in(const c10::Type& type) {
  if (const auto* found = type.castRaw<c10::ClassType>()) return found;
  for (const c10::TypePtr& part : type.containedTypes())
    if (const auto* found = class_in(*part)) return found;
  return nullptr;
}

// Refuses an argument that is or contains an object of a script class, since a model has no input for one.
void refuse_object(const c10::Argument& formal) {
  const c10::ClassType* type = class_in(*formal.type());
  if (!type) return;
  std::string held;
  for (std::size_t k = 0; k < type->numAttributes(); ++k)
    held += (k == 0 ? "" : ", ") + type->getAttributeName(k) + ": " + type->getAttribute(k)->annotation_str();
  const std::string name = type->name() ? type->name()->name() : type->annotation_str();
  const bool is_object = formal.type()->castRaw<c10::ClassType>() != nullptr;
  const std::string text = "argument '" + formal.name() + "' " + (is_object ? "is an object" : "contains objects") +
                           " of script class " + name + " (" + held +
                           "), but a model has inputs only for tensors and numbers; pass the content of the object, or "
                           "a NamedTuple of it, and create the object inside the method";
  throw Error(Code::Unsupported, text, {{.op = {}, .text = text, .module = {}, .source = {}}});
}

// Throws Error(Code::Argument) unless the constant can have the type.
void check(const BoundArgument& argument) {
  if (argument.value.is_none() && argument.type->kind() == c10::TypeKind::TensorType)
    throw Error(Code::Argument, "argument '" + argument.name + "' is a Tensor and cannot be None");
  try {
    to_ivalue(argument.value, argument.type);
  } catch (const Error& e) {
    throw Error(Code::Argument, "argument '" + argument.name + "': " + e.what());
  } catch (const c10::Error& e) {
    throw Error(Code::Argument, "argument '" + argument.name + "' is not of type " + argument.type->annotation_str());
  }
}

// True if the keywords are the entries of the next argument, a dict: no keyword is the name of an argument. A dict at
// the end of the arguments is read as keywords.
bool is_dict_argument(const std::vector<BoundArgument>& arguments, const ir::Arguments& given) {
  if (given.keywords.empty() || given.positional.size() >= arguments.size()) return false;
  const auto is_argument = [&](const auto& keyword) {
    return std::any_of(arguments.begin(), arguments.end(),
                       [&](const BoundArgument& a) { return a.name == keyword.first; });
  };
  c10::TypePtr type = arguments[given.positional.size()].type;
  if (const auto optional = type->cast<c10::OptionalType>()) type = optional->getElementType();
  const auto dict = type->cast<c10::DictType>();
  return dict && dict->getKeyType()->kind() == c10::TypeKind::StringType &&
         std::none_of(given.keywords.begin(), given.keywords.end(), is_argument);
}

Constant dict_of(const ir::Arguments& given) {
  Constant::Dict dict;
  for (const auto& [name, value] : given.keywords) dict.items.emplace_back(Constant{name}, value);
  return Constant{std::move(dict)};
}

void set_value(BoundArgument& argument, Constant value) {
  argument.value = std::move(value);
  argument.given = true;
}

}  // namespace

std::string expected_text(const c10::FunctionSchema& schema) {
  std::string text;
  for (std::size_t i = kReceiver; i < schema.arguments().size(); ++i) {
    const auto& argument = schema.arguments()[i];
    if (!text.empty()) text += ", ";
    text += argument.name() + ": " + argument.type()->annotation_str();
    if (argument.default_value())
      if (const auto value = to_ir(*argument.default_value())) text += " = " + ir::to_string(*value);
  }
  return text.empty() ? "no arguments" : text;
}

std::vector<BoundArgument> bind_arguments(const c10::FunctionSchema& schema, const ir::Arguments& given) {
  const auto fail = [&](const std::string& text) {
    throw Error(Code::Argument, text + "; '" + schema.name() + "' expects " + expected_text(schema));
  };
  std::vector<BoundArgument> result;
  for (std::size_t i = kReceiver; i < schema.arguments().size(); ++i)
    result.push_back({schema.arguments()[i].name(), schema.arguments()[i].type(), {}, false});
  if (given.positional.size() > result.size())
    fail(std::to_string(given.positional.size()) + " arguments are too many");
  for (std::size_t i = 0; i < given.positional.size(); ++i) set_value(result[i], given.positional[i]);
  const bool is_dict = is_dict_argument(result, given);
  if (is_dict) set_value(result[given.positional.size()], dict_of(given));
  for (std::size_t i = 0; i < given.keywords.size() && !is_dict; ++i) {
    const auto& [name, value] = given.keywords[i];
    const auto it = std::find_if(result.begin(), result.end(), [&](const BoundArgument& b) { return b.name == name; });
    if (it == result.end()) fail("there is no argument '" + name + "'");
    if (it->given) fail("argument '" + name + "' is specified twice");
    set_value(*it, value);
  }
  for (std::size_t i = 0; i < result.size(); ++i) {
    BoundArgument& argument = result[i];
    const auto& formal = schema.arguments()[i + kReceiver];
    if (argument.given ? !argument.value.is_none()
                       : !formal.default_value() && argument.type->kind() != c10::TypeKind::OptionalType)
      refuse_object(formal);
    if (argument.given) {
      argument.value = adapt(argument.value, argument.type);
      check(argument);
    } else if (formal.default_value()) {
      auto value = to_ir(*formal.default_value());
      if (!value) fail("argument '" + argument.name + "' is missing and its default cannot be read");
      argument.value = std::move(*value);
    } else if (argument.type->kind() != c10::TypeKind::OptionalType) {
      fail("argument '" + argument.name + "' is missing");
    }
  }
  return result;
}

namespace {

// True if a value in it, at any depth, satisfies `is`.
bool holds(const Constant& value, bool (*is)(const Constant&)) {
  if (is(value)) return true;
  const auto any = [is](const std::vector<Constant>& items) {
    return std::any_of(items.begin(), items.end(), [is](const Constant& item) { return holds(item, is); });
  };
  if (const auto* list = value.get<Constant::List>()) return any(list->items);
  if (const auto* tuple = value.get<Constant::Tuple>()) return any(tuple->items);
  if (const auto* dict = value.get<Constant::Dict>())
    return std::any_of(dict->items.begin(), dict->items.end(),
                       [is](const auto& item) { return holds(item.value, is); });
  return false;
}

bool has_tensor(const Constant& value) {
  return holds(value, [](const Constant& item) { return item.get<ir::Tensor>() != nullptr; });
}

// True if it holds a number or a string, which the model contains as a constant.
bool has_leaf(const Constant& value) {
  return holds(value, [](const Constant& item) { return item.is_number() || item.get<std::string>(); });
}

// The operator that reads a tensor as a number of this type; null for other types.
const char* reader_of(const c10::Type& type) {
  switch (type.kind()) {
    case c10::TypeKind::IntType: return "aten::Int.Tensor";
    case c10::TypeKind::FloatType: return "aten::Float.Tensor";
    case c10::TypeKind::BoolType: return "aten::Bool.Tensor";
    default: return nullptr;
  }
}

class InputMaker {
 public:
  InputMaker(GraphImport& import, std::vector<ir::Tensor>& examples) : import_(import), examples_(examples) {}

  Imported make(const Constant& value, const c10::TypePtr& type, const std::string& name) {
    if (type->kind() == c10::TypeKind::OptionalType && !value.is_none())
      return make(value, type->expectRef<c10::OptionalType>().getElementType(), name);
    if (const auto* tensor = value.get<ir::Tensor>(); tensor && ir::is_quantised(*tensor)) {
      return import_.add_quantised_input(*tensor, name, examples_);
    } else if (tensor) {
      const Imported made = input(*tensor, ir::Type::Kind::Tensor, name);
      const char* read = reader_of(*type);
      return read ? number(made.value(), read) : made;
    }
    if (const auto* b = value.get<bool>())
      return input(ir::Tensor::scalar(ir::DType::Bool, static_cast<std::int64_t>(*b)), ir::Type::Kind::Bool, name);
    if (const auto* i = value.get<std::int64_t>())
      return input(ir::Tensor::scalar(ir::DType::Int64, *i), ir::Type::Kind::Int, name);
    if (const auto* d = value.get<double>())
      return input(ir::Tensor::scalar(ir::DType::Float64, *d), ir::Type::Kind::Float, name);
    if (const auto* tuple = value.get<Constant::Tuple>()) return make_tuple(*tuple, type, name);
    if (const auto* list = value.get<Constant::List>(); list && has_tensor(value)) return make_list(*list, type, name);
    if (const auto* dict = value.get<Constant::Dict>(); dict && has_tensor(value)) return make_dict(*dict, type, name);
    if (value.get<Constant::List>() || value.get<Constant::Dict>()) {
      if (has_leaf(value)) warn_of_constant(value, name);
      // a new value, since the program may change it
      ir::Value* made = import_.constant(value);
      made->set_type(to_ir(*type));
      import_.note_argument(made, name);
      return made;
    }
    if (value.get<std::string>()) warn_of_constant(value, name);
    return Imported(to_ivalue(value, type));
  }

 private:
  void warn_of_constant(const Constant& value, const std::string& name) {
    import_.warn("argument '" + name + "' is " + ir::to_string(value) + " in the model, not an input");
  }

  Imported number(ir::Value* tensor, const char* read) {
    const ir::SchemaPtr schema = aten::find_schema(read);
    ir::Node* node = import_.emit(schema->name, std::vector{tensor}, 1);
    node->set_schema(schema);
    node->output()->set_type(schema->returns.at(0).type);
    return node->output();
  }

  Imported input(const ir::Tensor& example, ir::Type::Kind kind, const std::string& name) {
    examples_.push_back(example);
    return import_.add_input(example, kind, name);
  }

  Imported make_tuple(const Constant::Tuple& tuple, const c10::TypePtr& type, const std::string& name) {
    const auto tuple_type = type->cast<c10::TupleType>();
    auto parts = std::make_shared<Parts>();
    std::vector<c10::TypePtr> types;
    for (std::size_t i = 0; i < tuple.items.size(); ++i) {
      types.push_back(tuple_type ? tuple_type->elements()[i] : to_ivalue(tuple.items[i]).type());
      parts->items.push_back(make(tuple.items[i], types.back(), name + "." + std::to_string(i)));
    }
    parts->type = tuple_type ? c10::TypePtr(tuple_type) : c10::TypePtr(c10::TupleType::create(types));
    return Imported(std::shared_ptr<const Parts>(std::move(parts)));
  }

  Imported make_list(const Constant::List& list, const c10::TypePtr& type, const std::string& name) {
    const auto list_type = type->cast<c10::ListType>();
    std::vector<ir::Value*> items;
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      const c10::TypePtr element = list_type ? list_type->getElementType() : to_ivalue(list.items[i]).type();
      items.push_back(import_.materialise(make(list.items[i], element, name + "." + std::to_string(i))));
    }
    ir::Value* value = import_.emit("prim::ListConstruct", items, 1)->output();
    value->set_type(to_ir(list_type ? *type : *to_ivalue(Constant{list}).type()));
    import_.note_argument(value, name);
    return value;
  }

  Imported make_dict(const Constant::Dict& dict, const c10::TypePtr& type, const std::string& name) {
    const auto dict_type = type->cast<c10::DictType>();
    std::vector<ir::Value*> items;
    for (const auto& [key, value] : dict.items) {
      const c10::TypePtr element = dict_type ? dict_type->getValueType() : to_ivalue(value).type();
      const auto* text = key.get<std::string>();
      items.push_back(import_.constant(key));
      items.push_back(import_.materialise(make(value, element, name + "." + (text ? *text : ir::to_string(key)))));
    }
    ir::Value* made = import_.emit("prim::DictConstruct", items, 1)->output();
    made->set_type(to_ir(dict_type ? *type : *to_ivalue(Constant{dict}).type()));
    import_.note_argument(made, name);
    return made;
  }

  GraphImport& import_;
  std::vector<ir::Tensor>& examples_;
};

// Replaces tensors in a value made of the same constant by recorded tensors.
class InputFiller {
 public:
  InputFiller(std::span<void* const> inputs, std::size_t& next) : inputs_(inputs), next_(next) {}

  c10::IValue fill(const Constant& value, const c10::IValue& made) {
    if (value.get<ir::Tensor>()) {
      const at::Tensor& recorded = *static_cast<const at::Tensor*>(inputs_[next_++]);
      return made.isTensor() ? c10::IValue(recorded) : number_in(recorded, *made.type());
    }
    if (value.is_number()) {
      ++next_;
      return made;
    }
    if (const auto* tuple = value.get<Constant::Tuple>()) {
      std::vector<c10::IValue> items;
      for (std::size_t i = 0; i < tuple->items.size(); ++i)
        items.push_back(fill(tuple->items[i], made.toTupleRef().elements()[i]));
      return tuple_like(made, std::move(items));
    }
    if (!has_tensor(value)) return made;
    if (const auto* list = value.get<Constant::List>()) {
      const auto old = made.toList();
      c10::impl::GenericList items(old.elementType());
      for (std::size_t i = 0; i < list->items.size(); ++i) items.push_back(fill(list->items[i], old.get(i)));
      return items;
    }
    const auto* dict = value.get<Constant::Dict>();
    const auto old = made.toGenericDict();
    c10::impl::GenericDict items(old.keyType(), old.valueType());
    auto entry = old.begin();
    for (std::size_t i = 0; i < dict->items.size(); ++i, ++entry)
      items.insert(entry->key(), fill(dict->items[i].value, entry->value()));
    return items;
  }

 private:
  std::span<void* const> inputs_;
  std::size_t& next_;
};

}  // namespace

c10::IValue recorded_argument(const BoundArgument& argument, std::span<void* const> inputs, std::size_t& next) {
  c10::IValue made = to_ivalue(argument.value, argument.type);
  return argument.given ? InputFiller(inputs, next).fill(argument.value, made) : made;
}

bool is_tensor_list(const BoundArgument& argument) {
  c10::TypePtr type = argument.type;
  if (const auto optional = type->cast<c10::OptionalType>()) type = optional->getElementType();
  const auto list = type->cast<c10::ListType>();
  return argument.given && list && list->getElementType()->kind() == c10::TypeKind::TensorType &&
         argument.value.get<Constant::List>();
}

Imported add_inputs(GraphImport& import, const BoundArgument& argument, std::vector<ir::Tensor>& examples) {
  const c10::TypePtr& type = argument.type;
  if (!argument.given) return Imported(to_ivalue(argument.value, type));
  return InputMaker(import, examples).make(argument.value, type, argument.name);
}

}  // namespace tonnx::torch
