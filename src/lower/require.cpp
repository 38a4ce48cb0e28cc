#include "lower/require.h"

namespace tonnx::lower {

Value* require(Builder& b, Value* x, Value* condition) {
  const ir::Facts facts = x->facts();
  Value* only = b.unsqueeze(b.op("Shape", {x}), {0});
  Value* place = b.cast(b.op("Not", {condition}), DType::Int64);
  Value* checked = b.reshape(x, b.take(only, place, 0));
  checked->set_facts({facts.dtype, facts.dims, nullptr});
  return checked;
}

}  // namespace tonnx::lower
