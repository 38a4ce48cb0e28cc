#include "program/same_constant.h"

#include <algorithm>

namespace tonnx::program {

using ir::Constant;
using ir::Tensor;

namespace {

template <class Items>
bool same_items(const Items& a, const Items& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return same_constant(x, y); });
}

}  // namespace

bool same_constant(const Constant& a, const Constant& b) {
  if (a.value.index() != b.value.index()) return false;
  if (const auto* tensor = a.get<Tensor>()) return tensor->equals(*b.get<Tensor>());
  if (const auto* device = a.get<Constant::Device>()) return device->name == b.get<Constant::Device>()->name;
  if (const auto* list = a.get<Constant::List>()) return same_items(list->items, b.get<Constant::List>()->items);
  if (const auto* tuple = a.get<Constant::Tuple>())
    return tuple->names == b.get<Constant::Tuple>()->names && same_items(tuple->items, b.get<Constant::Tuple>()->items);
  if (const auto* dict = a.get<Constant::Dict>()) {
    const auto& other = b.get<Constant::Dict>()->items;
    const auto same_entry = [](const auto& x, const auto& y) {
      return same_constant(x.first, y.first) && same_constant(x.second, y.second);
    };
    return std::equal(dict->items.begin(), dict->items.end(), other.begin(), other.end(), same_entry);
  }
  return ir::to_string(a) == ir::to_string(b);
}

}  // namespace tonnx::program
