#include "ir/flat_inputs.h"

namespace tonnx::ir {
namespace {

void flatten(const Constant& value, const std::string& name, std::vector<FlatInput>& result) {
  const auto number = [&](DType dtype, auto n) { result.push_back({name, Tensor::scalar(dtype, n)}); };
  if (const auto* tensor = value.get<Tensor>()) {
    result.push_back({name, *tensor});
  } else if (const auto* b = value.get<bool>()) {
    number(DType::Bool, static_cast<std::int64_t>(*b));
  } else if (const auto* i = value.get<std::int64_t>()) {
    number(DType::Int64, *i);
  } else if (const auto* d = value.get<double>()) {
    number(DType::Float32, *d);
  } else if (const auto* list = value.get<Constant::List>()) {
    for (std::size_t i = 0; i < list->items.size(); ++i)
      flatten(list->items[i], name + "." + std::to_string(i), result);
  } else if (const auto* tuple = value.get<Constant::Tuple>()) {
    for (std::size_t i = 0; i < tuple->items.size(); ++i)
      flatten(tuple->items[i], name + "." + std::to_string(i), result);
  } else if (const auto* dict = value.get<Constant::Dict>()) {
    for (const auto& [key, item] : dict->items) {
      const auto* text = key.get<std::string>();
      flatten(item, name + "." + (text ? *text : to_string(key)), result);
    }
  }
}

}  // namespace

std::vector<FlatInput> flat_inputs(const Arguments& arguments) {
  std::vector<FlatInput> result;
  const bool single = arguments.positional.size() == 1;
  for (std::size_t i = 0; i < arguments.positional.size(); ++i)
    flatten(arguments.positional[i], single ? "input" : "input_" + std::to_string(i), result);
  for (const auto& [name, value] : arguments.keywords) flatten(value, name, result);
  return result;
}

}  // namespace tonnx::ir
