#include "lower/op.h"

#include <algorithm>

#include "lower/list_facts.h"
#include "lower/sequence.h"

namespace tonnx::lower {

using ir::Constant;
using ir::Tensor;

Op::Op(const ir::Node& node, Builder& builder, ValueMap& values, BlockLowering& blocks, bool training)
    : node_(node), builder_(builder), values_(values), blocks_(blocks), training_(training) {}

void Op::refuse(const std::string& reason) const { throw Refusal(reason); }

void Op::refuse_argument(std::string_view argument, const std::string& reason) const {
  throw Refusal("argument '" + std::string(argument) + "' " + reason);
}

void Op::needs_opset(std::int32_t opset, const std::string& reason) const {
  throw Refusal(reason + " needs opset " + std::to_string(opset) + " or newer; the target is " +
                std::to_string(this->opset()));
}

bool Op::has(std::string_view argument) const { return node_.schema() && node_.schema()->index_of(argument) >= 0; }

const ir::Value* Op::source(std::string_view argument) const {
  if (const ir::Value* v = node_.input(argument)) return v;
  refuse_argument(argument, "is not part of the operator's schema");
}

const Constant* Op::constant(std::string_view argument) const { return source(argument)->constant(); }

bool Op::is_none(std::string_view argument) const {
  const ir::Value* v = node_.input(argument);
  if (!v) return true;
  if (const Constant* c = v->constant()) return c->is_none();
  return v->type().is(ir::Type::Kind::None);
}

const Lowered* Op::lowered(const ir::Value* source) const {
  const auto it = values_.find(source);
  return it == values_.end() ? nullptr : &it->second;
}

Value* Op::materialise(const Constant& constant) const {
  if (const Tensor* t = constant.get<Tensor>()) return builder_.constant(*t);
  if (const bool* b = constant.get<bool>()) return builder_.scalar(DType::Bool, std::int64_t{*b});
  if (const std::int64_t* i = constant.get<std::int64_t>()) return builder_.scalar(DType::Int64, *i);
  if (const double* d = constant.get<double>()) return builder_.scalar(DType::Float64, *d);
  if (const Constant::List* list = constant.get<Constant::List>()) {
    const auto whole = [](const Constant& c) { return c.get<std::int64_t>() != nullptr; };
    if (std::all_of(list->items.begin(), list->items.end(), whole)) {
      Dims values;
      for (const Constant& c : list->items) values.push_back(c.as_int64());
      return builder_.int64s(values);
    }
  }
  refuse("the constant " + to_string(constant) + " has no tensor form");
}

namespace {

// The dtype of the scalars in a list; Int64 if the type does not specify it.
DType item_dtype(const ir::Type& type) {
  const DType dtype = type.is_number_list() ? number_dtype(type.elements.at(0), {}) : DType::Undefined;
  return dtype == DType::Undefined ? DType::Int64 : dtype;
}

}  // namespace

Value* Op::value_of(const ir::Value* source) const {
  if (const Lowered* known = lowered(source)) {
    if (known->kind == Lowered::Kind::One) return known->one;
    if (known->kind == Lowered::Kind::List) {
      if (source->type().is_tensor_list()) refuse("expected a tensor, not a list of tensors");
      return vector_of(source, item_dtype(source->type()));
    }
    if (known->kind == Lowered::Kind::Sequence)
      refuse("expected a tensor, not a list whose length is known at run time only");
    if (is_complex(source)) refuse("it is not supported for complex tensors");
  }
  if (is_complex(source)) refuse("it is not supported for complex tensors");
  if (source->weight()) {
    Value* weight = builder_.graph().add_weight(source->name(), *source->weight());
    weight->set_origin(source->origin());
    values_[source] = {Lowered::Kind::One, weight, {}};
    return weight;
  }
  if (const Constant* c = source->constant()) {
    const DType dtype = c->get<Constant::List>() ? item_dtype(source->type()) : DType::Int64;
    return dtype == DType::Int64 ? materialise(*c) : vector_of(source, dtype);
  }
  refuse("an input has no value in the model");
}

Value* Op::tensor(std::string_view argument) const {
  const ir::Value* v = source(argument);
  if (is_none(argument)) refuse_argument(argument, "is None");
  return value_of(v);
}

Value* Op::optional_tensor(std::string_view argument) const {
  return is_none(argument) ? nullptr : value_of(source(argument));
}

Values Op::tensors(std::string_view argument) const {
  Values items = optional_tensors(argument);
  if (std::find(items.begin(), items.end(), nullptr) != items.end())
    refuse_argument(argument, "must contain tensors, not None");
  return items;
}

Values Op::optional_tensors(std::string_view argument) const {
  const ir::Value* v = source(argument);
  const Constant* c = v->constant();
  if (is_complex(v)) refuse_argument(argument, "contains a complex tensor, which is not supported");
  if (!lowered(v) && !(c && c->get<Constant::List>())) refuse_argument(argument, "must be a list of tensors");
  if (const Lowered* known = lowered(v); known && known->kind != Lowered::Kind::List)
    refuse_argument(argument, "is a list whose length is known at run time only");
  return items_of(v);
}

Values Op::items_of(const ir::Value* source) const {
  if (const Lowered* known = lowered(source)) {
    if (known->kind == Lowered::Kind::List) return known->list;
    if (is_complex(source)) refuse("it is not supported for complex tensors");
    refuse("the length of a list is known at run time only");
  }
  const Constant* c = source->constant();
  const Constant::List* list = c ? c->get<Constant::List>() : nullptr;
  if (!list) refuse("internal error: a list has no value in the model");
  Values items;
  for (const Constant& item : list->items) items.push_back(item.is_none() ? nullptr : materialise(item));
  return items;
}

Value* Op::sequence_of(const ir::Value* source, DType dtype) const {
  if (const Lowered* known = lowered(source); known && known->kind == Lowered::Kind::Sequence) return known->one;
  Values items;
  if (is_complex(source))
    for (const Parts& item : parts_in(source)) items.push_back(item.imaginary ? joined(item) : item.real);
  else
    items = items_of(source);
  for (const Value* item : items)
    if (item && items.front()) require_one_dtype(items.front()->facts().dtype, item->facts().dtype);
  if (!items.empty()) return builder_.op("SequenceConstruct", items);
  return builder_.op("SequenceEmpty", {}, {{"dtype", static_cast<std::int64_t>(ir::onnx_type(dtype))}});
}

namespace {

std::string must_be_constant(const ir::Value* given, const char* what) {
  std::string text = std::string("must be a constant ") + what + "; it depends on the model's inputs";
  const auto inputs = given->node() ? given->node()->graph().inputs() : std::span<ir::Value* const>();
  if (std::ranges::find(inputs, given) != inputs.end())
    text += ": fix '" + given->name() + "' to the example's value (fixed axes)";
  return text;
}

}  // namespace

std::int64_t Op::integer(std::string_view argument) const {
  const Constant* c = constant(argument);
  if (!c) refuse_argument(argument, must_be_constant(source(argument), "integer"));
  if (!c->is_number() && !c->get<Tensor>()) refuse_argument(argument, "must be an integer, not " + to_string(*c));
  return c->as_int64();
}

double Op::number(std::string_view argument) const {
  const Constant* c = constant(argument);
  if (!c) refuse_argument(argument, must_be_constant(source(argument), "number"));
  if (!c->is_number() && !c->get<Tensor>()) refuse_argument(argument, "must be a number, not " + to_string(*c));
  return c->as_double();
}

bool Op::flag(std::string_view argument) const {
  const Constant* c = constant(argument);
  if (!c) refuse_argument(argument, must_be_constant(source(argument), "bool"));
  if (!c->is_number()) refuse_argument(argument, "must be a bool, not " + to_string(*c));
  return c->as_int64() != 0;
}

std::string Op::text(std::string_view argument) const {
  const Constant* c = constant(argument);
  if (!c) refuse_argument(argument, must_be_constant(source(argument), "string"));
  const std::string* s = c->get<std::string>();
  if (!s) refuse_argument(argument, "must be a string, not " + to_string(*c));
  return *s;
}

Dims Op::integers(std::string_view argument) const {
  const Constant* c = constant(argument);
  if (!c) refuse_argument(argument, must_be_constant(source(argument), "list of integers"));
  if (const Constant::List* list = c->get<Constant::List>()) {
    Dims values;
    for (const Constant& item : list->items) values.push_back(item.as_int64());
    return values;
  }
  if (const Tensor* t = c->get<Tensor>()) return t->to_int64s();
  if (c->is_number()) return {c->as_int64()};
  refuse_argument(argument, "must be a list of integers, not " + to_string(*c));
}

std::optional<DType> Op::dtype(std::string_view argument) const {
  if (is_none(argument)) return std::nullopt;
  return static_cast<DType>(integer(argument));
}

std::optional<std::int64_t> Op::maybe_integer(std::string_view argument) const {
  return is_none(argument) ? std::nullopt : std::optional(integer(argument));
}

std::optional<double> Op::maybe_number(std::string_view argument) const {
  return is_none(argument) ? std::nullopt : std::optional(number(argument));
}

std::optional<Dims> Op::maybe_integers(std::string_view argument) const {
  return is_none(argument) ? std::nullopt : std::optional(integers(argument));
}

Value* Op::scalar_of(const ir::Value* source, DType dtype) const {
  if (const Constant* c = source->constant()) {
    if (c->get<double>() || (c->get<Tensor>() && !ir::is_integral(c->get<Tensor>()->dtype)))
      return builder_.scalar(dtype, c->as_double());
    if (c->is_number() || c->get<Tensor>()) return builder_.scalar(dtype, c->as_int64());
    refuse("expected a number, not " + to_string(*c));
  }
  Value* value = value_of(source);
  if (!value->facts().has_rank() || value->facts().rank() > 0) value = builder_.reshape(value, Dims{});
  return builder_.cast(value, dtype);
}

Value* Op::scalar(std::string_view argument, DType dtype) const { return scalar_of(source(argument), dtype); }

Value* Op::int_vector(std::string_view argument) const {
  if (is_constant(argument)) return builder_.int64s(integers(argument));
  return int_vector_of(source(argument));
}

Value* Op::vector_of(const ir::Value* source, DType dtype) const {
  const Lowered* known = lowered(source);
  if (!known || known->kind != Lowered::Kind::List) {
    const Constant* c = source->constant();
    const Constant::List* list = c ? c->get<Constant::List>() : nullptr;
    if (list && dtype != DType::Int64) {
      Values items;
      for (const Constant& item : list->items) items.push_back(builder_.cast(materialise(item), dtype));
      return join_numbers(items, dtype);
    }
    Value* value = builder_.cast(value_of(source), dtype);
    const bool is_vector = value->facts().has_rank() && value->facts().rank() == 1;
    return is_vector ? value : builder_.reshape(value, {-1});
  }
  return join_numbers(Values(known->list), dtype);
}

// Joins rank-0 scalars to one vector.
Value* Op::join_numbers(const Values& items, DType dtype) const {
  Values parts;
  std::vector<std::byte> pending;  // adjacent constants are merged
  const auto flush = [&] {
    const auto count = static_cast<std::int64_t>(pending.size() / ir::size_of(dtype));
    if (count > 0)
      parts.push_back(builder_.constant(Tensor::from_bytes(dtype, {count}, pending.data(), pending.size())));
    pending.clear();
  };
  for (Value* item : items) {
    if (!item) refuse("a list of numbers contains None");
    const Value* known = item->constant() ? builder_.cast(item, dtype) : nullptr;
    if (known && known->constant()) {
      const Tensor dense = known->constant()->get<Tensor>()->contiguous();
      pending.insert(pending.end(), dense.data(), dense.data() + dense.bytes());
    } else {
      flush();
      parts.push_back(builder_.reshape(builder_.cast(item, dtype), {1}));
    }
  }
  flush();
  if (parts.empty()) return builder_.constant(Tensor::from_bytes(dtype, {0}, nullptr, 0));
  return builder_.concat(parts, 0);
}

std::int64_t Op::rank_of(const Value* v) const {
  if (!v->facts().has_rank()) refuse("the rank of an input must be known");
  return v->facts().rank();
}

std::int64_t Op::wrap_axis(std::int64_t axis, std::int64_t rank) const {
  const std::int64_t span = std::max<std::int64_t>(rank, 1);
  if (axis < -span || axis >= span)
    refuse("axis " + std::to_string(axis) + " is out of range for rank " + std::to_string(rank));
  return axis < 0 ? axis + span : axis;
}

std::int64_t Op::axis(std::string_view argument, const Value* of) const {
  return wrap_axis(integer(argument), rank_of(of));
}

Dims Op::axes(std::string_view argument, const Value* of) const {
  Dims result = maybe_integers(argument).value_or(Dims{});
  for (std::int64_t& a : result) a = wrap_axis(a, rank_of(of));
  return result;
}

std::optional<std::int64_t> Op::fixed_size(const Value* v, std::int64_t axis) const {
  if (!v->facts().has_rank()) return std::nullopt;
  const ir::Dim& dim = v->facts().dims->at(static_cast<std::size_t>(wrap_axis(axis, v->facts().rank())));
  return dim.is_fixed() ? std::optional(dim.size()) : std::nullopt;
}

bool Op::is_never_empty(const Value* v, std::int64_t axis) const {
  const auto& dims = v->facts().dims;
  return dims && axis < static_cast<std::int64_t>(dims->size()) &&
         blocks_.is_above_zero((*dims)[static_cast<std::size_t>(axis)]);
}

DType Op::result_dtype(std::size_t i) const {
  const DType dtype = result(i).dtype;
  if (dtype == DType::Undefined) refuse("the dtype of the result must be known");
  return dtype;
}

}  // namespace tonnx::lower
