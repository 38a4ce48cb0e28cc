#include "exported/examples.h"

#include "exported/document_error.h"
#include "ir/error.h"

namespace tonnx::exported {

using ir::Code;
using ir::Constant;
using ir::Error;

namespace {

[[noreturn]] void refuse(const std::string& type) {
  throw Error(Code::Unsupported, "the example inputs in the archive contain an object of " + type +
                                     ", which is not supported; specify your own example inputs");
}

Constant constant_of(const Pickled& value) {
  if (value.get<Pickled::None>()) return {Constant::None{}};
  if (const auto* flag = value.get<bool>()) return {*flag};
  if (const auto* number = value.get<std::int64_t>()) return {*number};
  if (const auto* number = value.get<double>()) return {*number};
  if (const auto* text = value.get<std::string>()) return {*text};
  if (const auto* tensor = value.get<ir::Tensor>()) return {*tensor};
  if (const auto* list = value.get<Pickled::List>()) {
    Constant::List items;
    for (const PickledPtr& item : *list) items.items.push_back(constant_of(*item));
    return {std::move(items)};
  }
  if (const auto* dict = value.get<Pickled::Dict>()) {
    Constant::Dict items;
    for (const auto& [key, item] : *dict) items.items.emplace_back(constant_of(*key), constant_of(*item));
    return {std::move(items)};
  }
  const auto* object = value.get<Pickled::Object>();
  refuse(object ? "'" + object->type + "'" : "an unknown class");
}

}  // namespace

ir::Arguments examples_of(const Pickled& saved) {
  const auto* pair = saved.get<Pickled::List>();
  const auto* positional = pair && pair->size() == 2 ? (*pair)[0]->get<Pickled::List>() : nullptr;
  const auto* keywords = positional ? (*pair)[1]->get<Pickled::Dict>() : nullptr;
  if (!keywords) throw DocumentError("its example inputs are not a tuple of arguments and a dict of keywords");
  ir::Arguments arguments;
  for (const PickledPtr& value : *positional) arguments.positional.push_back(constant_of(*value));
  for (const auto& [key, value] : *keywords) {
    const auto* name = key->get<std::string>();
    if (!name) throw DocumentError("a keyword of its example inputs is not a string");
    arguments.keywords.emplace_back(*name, constant_of(*value));
  }
  return arguments;
}

}  // namespace tonnx::exported
