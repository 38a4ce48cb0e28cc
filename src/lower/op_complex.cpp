#include "ir/complex.h"
#include "lower/op.h"

// Op's getters for complex tensors and lists.
namespace tonnx::lower {

using ir::Constant;
using ir::Tensor;

bool Op::is_complex(const ir::Value* source) const {
  if (const Lowered* known = lowered(source))
    return known->kind == Lowered::Kind::Complex || known->kind == Lowered::Kind::ComplexList;
  if (const Constant* c = source->constant()) return ir::is_complex(*c);
  return ir::is_complex(source->facts().dtype) || source->type().is(ir::Type::Kind::Complex);
}

Parts Op::parts_of(const ir::Value* source) const {
  if (const Lowered* known = lowered(source); known && known->kind == Lowered::Kind::Complex)
    return {known->one, known->imaginary};
  if (!is_complex(source)) return {value_of(source), nullptr};
  if (const Tensor* weight = source->weight()) {
    Value* whole = builder_.graph().add_weight(source->name(), ir::with_parts(*weight));
    whole->set_origin(source->origin());
    const std::int64_t last = weight->rank();
    const Parts parts{builder_.gather(whole, builder_.int64(0), last), builder_.gather(whole, builder_.int64(1), last)};
    values_[source] = {Lowered::Kind::Complex, parts.real, {}, parts.imaginary};
    return parts;
  }
  if (const Constant* c = source->constant(); c && !c->get<Constant::List>())
    return {materialise(ir::part_of(*c, false)), materialise(ir::part_of(*c, true))};
  refuse("an input has no value in the model");
}

std::vector<Parts> Op::parts_in(const ir::Value* list) const {
  const Lowered* known = lowered(list);
  std::vector<Parts> items;
  if (known && known->kind == Lowered::Kind::ComplexList) {
    for (std::size_t i = 0; i < known->list.size(); ++i) items.push_back({known->list[i], known->imaginaries[i]});
    return items;
  }
  const Constant* c = known ? nullptr : list->constant();
  if (c && ir::is_complex(*c)) {
    for (const Constant& item : c->get<Constant::List>()->items)
      items.push_back({materialise(ir::part_of(item, false)),
                       ir::is_complex(item) ? materialise(ir::part_of(item, true)) : nullptr});
    return items;
  }
  for (Value* item : items_of(list)) items.push_back({item, nullptr});
  return items;
}

Value* Op::joined(const Parts& parts) const {
  // A value that may be a scalar or a matrix has an unknown rank; from opset 11 on, a negative axis works for it.
  const std::int64_t last = opset() >= 11 && !parts.real->facts().has_rank() ? -1 : rank_of(parts.real);
  Value* imaginary = parts.imaginary ? parts.imaginary
                                     : builder_.constant_of_shape(builder_.shape(parts.real), dtype_of(parts.real), 0);
  return builder_.concat({builder_.unsqueeze(parts.real, {last}), builder_.unsqueeze(imaginary, {last})}, last);
}

}  // namespace tonnx::lower
