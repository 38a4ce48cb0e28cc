#include "lower/require.h"

namespace tonnx::lower {

namespace {

constexpr std::int64_t kInvalidSize = -2;

}  // namespace

Value* require(Builder& b, Value* x, Value* condition) {
  const ir::Facts facts = x->facts();
  Value* checked = nullptr;
  if (facts.fixed_dims() || !facts.has_rank() || facts.rank() == 1) {
    // The optimiser removes a Reshape between equal shapes. A shape without sizes cannot be invalid, and some runtimes
    // take one negative size for -1.
    Value* place = b.cast(b.op("Not", {condition}), DType::Int64);
    checked = b.take(b.unsqueeze(x, {0}), place, 0);
  } else {
    checked = b.reshape(x, b.where(condition, b.op("Shape", {x}), b.int64s({kInvalidSize})));
  }
  checked->set_facts({facts.dtype, facts.dims, nullptr});
  return checked;
}

}  // namespace tonnx::lower
