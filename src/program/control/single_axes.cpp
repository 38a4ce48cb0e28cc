#include "program/control/single_axes.h"

#include <cstdint>
#include <map>
#include <numeric>
#include <string>

#include "aten/traits.h"

namespace tonnx::program {

namespace {

// True if the size is not 1 for any values of its symbols. Proved only for linear sizes: they are above 1 at 0 and
// never decrease, or their steps cannot reach 1.
bool is_never_one(const ir::Polynomial& size) {
  std::map<std::string, ir::Polynomial> none;
  for (const std::string& symbol : size.symbols()) none.emplace(symbol, ir::Polynomial(0));
  const auto least = size.with(none).constant();
  if (!least) return false;
  bool grows = true;
  std::int64_t step = 0;
  for (const std::string& symbol : size.symbols()) {
    const auto more = (size.with({{symbol, ir::Polynomial::symbol(symbol) + 1}}) - size).constant();
    if (!more) return false;
    grows = grows && *more >= 0;
    step = std::gcd(step, *more);
  }
  return (grows && *least > 1) || (step != 0 && (*least - 1) % step != 0);
}

}  // namespace

SingleAxes single_axes(const ir::Node& node, const ir::FactsView& known) {
  SingleAxes single;
  if (!aten::traits_of(node).drops_single) return single;
  const auto& dims = known.of(node.input()).dims;
  if (!dims) return single;
  const auto rank = static_cast<std::int64_t>(dims->size());
  std::vector<bool> named(dims->size());
  const auto name = [&](std::int64_t axis) {
    const std::int64_t from_front = axis < 0 ? axis + rank : axis;
    if (from_front >= 0 && from_front < rank) named[static_cast<std::size_t>(from_front)] = true;
  };
  const ir::Constant* axes = node.input_count() > 1 ? known.constant(node.input(1)) : nullptr;
  if (axes && axes->get<std::int64_t>()) {
    name(*axes->get<std::int64_t>());
  } else if (const auto* list = axes ? axes->get<ir::Constant::List>() : nullptr) {
    for (const ir::Constant& axis : list->items) name(axis.as_int64());
  } else {
    named.assign(dims->size(), true);
  }
  for (std::size_t axis = 0; axis < dims->size(); ++axis) {
    const ir::Dim& dim = (*dims)[axis];
    if (!named[axis]) continue;
    if (dim.is_fixed()) {
      if (dim.size() == 1) single.dropped.push_back(axis);
    } else if (!dim.polynomial() || !is_never_one(*dim.polynomial())) {
      single.open.push_back(axis);
    }
  }
  return single;
}

}  // namespace tonnx::program
