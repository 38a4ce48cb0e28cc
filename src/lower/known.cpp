#include "lower/known.h"

#include <algorithm>

namespace tonnx::lower {

const ir::Tensor* known_tensor(const ir::Value* value) {
  const ir::Constant* c = value->constant();
  return c ? c->get<ir::Tensor>() : nullptr;
}

std::optional<std::vector<std::int64_t>> known_integers(const ir::Value* value) {
  const ir::Tensor* t = known_tensor(value);
  if (!t || !ir::is_integral(t->dtype)) return std::nullopt;
  return t->to_int64s();
}

std::optional<std::int64_t> known_integer(const ir::Value* value) {
  const auto all = known_integers(value);
  return all && all->size() == 1 ? std::optional(all->front()) : std::nullopt;
}

std::optional<double> known_number(const ir::Value* value) {
  const ir::Tensor* t = known_tensor(value);
  if (!t || t->numel() != 1 || ir::is_complex(t->dtype)) return std::nullopt;
  return t->as_double(0);
}

bool is_known_empty(const ir::Value* value) {
  const auto& dims = value->facts().dims;
  return dims && std::ranges::any_of(*dims, [](const ir::Dim& dim) { return dim.is_fixed() && dim.size() == 0; });
}

}  // namespace tonnx::lower
