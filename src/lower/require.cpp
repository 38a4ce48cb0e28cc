#include "lower/require.h"

namespace tonnx::lower {

Value* require(Builder& b, Value* x, Value* condition) {
  const ir::Facts facts = x->facts();
  Value* place = b.cast(b.op("Not", {condition}), DType::Int64);
  Value* checked = nullptr;
  if (facts.fixed_dims()) {
    // The optimiser removes a Reshape between equal shapes.
    checked = b.take(b.unsqueeze(x, {0}), place, 0);
  } else {
    Value* only = b.unsqueeze(b.op("Shape", {x}), {0});
    checked = b.reshape(x, b.take(only, place, 0));
  }
  checked->set_facts({facts.dtype, facts.dims, nullptr});
  return checked;
}

}  // namespace tonnx::lower
