#include "ir/facts.h"

namespace tonnx::ir {

std::optional<std::vector<std::int64_t>> Facts::fixed_dims() const {
  if (!dims) return std::nullopt;
  std::vector<std::int64_t> out;
  out.reserve(dims->size());
  for (const Dim& dim : *dims) {
    if (!dim.is_fixed()) return std::nullopt;
    out.push_back(dim.size());
  }
  return out;
}

}  // namespace tonnx::ir
