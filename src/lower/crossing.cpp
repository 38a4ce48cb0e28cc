#include "lower/crossing.h"

#include <algorithm>

#include "ir/complex.h"
#include "ir/constant_facts.h"
#include "ir/merge.h"
#include "lower/emptiness.h"
#include "lower/list_facts.h"

namespace tonnx::lower {
namespace {

using Kind = ir::Type::Kind;
using Ways = std::span<const ir::Value* const>;

// The type of the value when it is not None.
const ir::Type& type_of(const ir::Value* value, Ways ways) {
  const ir::Type& type = value->type();
  if (type.is(Kind::Optional) && type.elements.size() == 1) return type.elements[0];
  if (!type.is(Kind::Any) && !type.is(Kind::Other)) return type;
  return ways.front()->type();
}

std::string at_odds(const ir::Node& node, const std::string& one, const std::string& other) {
  return node.is("prim::Loop")
             ? "the loop carries a value that is " + one + " before an iteration and " + other + " after it"
             : "the value is " + one + " after one branch and " + other + " after the other";
}

}  // namespace

Crossing::Crossing(const Op& op, const ir::Value* value, Ways ways) : op_(op), value_(value) {
  const auto nones = std::count_if(ways.begin(), ways.end(), ir::is_none);
  if (nones == static_cast<std::ptrdiff_t>(ways.size())) {
    form_ = Form::Nothing;
  } else if (nones > 0) {
    choose_optional(ways);
  } else {
    choose(ways);
  }
}

void Crossing::choose_optional(Ways ways) {
  constexpr std::int32_t kFirst = 16;  // If returns optionals from this opset on
  const ir::Node* end = op_.node().graph().block().return_node();
  for (const ir::Use& use : value_->uses())
    if (use.node != end || !op_.node().is("prim::If"))
      op_.refuse(at_odds(op_.node(), "None", "something") + "; whether it is None must be known before the model runs");
  if (op_.opset() < kFirst) op_.needs_opset(kFirst, "an output that is None in some runs");
  const auto something = std::find_if_not(ways.begin(), ways.end(), ir::is_none);
  const ir::Type& type = type_of(value_, std::span(&*something, 1));
  choose(std::span(&*something, 1));
  if (form_ == Form::Items && type.elements.at(0).is_scalar()) {
    form_ = Form::Vector;
    facts_ = {{facts_.empty() ? number_dtype(type.elements[0], {}) : facts_[0].dtype, std::vector<ir::Dim>{ir::Dim()},
               nullptr}};
  }
  if (form_ == Form::Items) choose_sequence(any_item(op_, std::span(&*something, 1)));
  if (form_ == Form::Nothing || form_ == Form::Complex)
    op_.refuse(
        "an output that is None in some runs must be a tensor, a number or a list in the others; it is of type " +
        to_string(type));
  is_optional_ = true;
}

void Crossing::choose(Ways ways) {
  const ir::Type& type = type_of(value_, ways);
  switch (type.kind) {
    case Kind::Int:
    case Kind::Float:
    case Kind::Bool:
    case Kind::Number:
      form_ = Form::Number;
      facts_.push_back({number_dtype(type, value_->facts()), std::vector<ir::Dim>{}, nullptr});
      if (facts_[0].dtype == DType::Undefined) op_.refuse("the type of a number must be known");
      return;
    case Kind::List: return choose_list(ways);
    case Kind::Tensor: return choose_tensor(ways);
    default: op_.refuse("a value of type " + to_string(type) + " has no ONNX form");
  }
}

void Crossing::choose_tensor(Ways ways) {
  const auto complex = [&](const ir::Value* way) { return op_.is_complex(way); };
  form_ = std::any_of(ways.begin(), ways.end(), complex) ? Form::Complex : Form::Tensor;
  ir::Facts facts = ir::of_part(value_->facts());
  open_emptied_axes(facts, *value_);
  for (const ir::Value* way : ways) {
    const Lowered* known = op_.lowered(way);
    const DType dtype = known && known->one ? known->one->facts().dtype : ir::part_dtype(way->facts().dtype);
    if (form_ == Form::Complex && !complex(way)) op_.refuse(at_odds(op_.node(), "complex", "real"));
    if (facts.dtype == DType::Undefined) facts.dtype = dtype;
    if (dtype != DType::Undefined && dtype != facts.dtype)
      op_.refuse(at_odds(op_.node(), std::string(ir::name_of(facts.dtype)), std::string(ir::name_of(dtype))) +
                 "; a model needs one dtype: cast it");
  }
  facts_.assign(form_ == Form::Complex ? 2 : 1, facts);
}

void Crossing::choose_list(Ways ways) {
  const ir::Type& element = type_of(value_, ways).elements.at(0);
  std::optional<std::vector<ir::Facts>> items = static_items(op_, ways.front());
  for (const ir::Value* way : ways.subspan(1)) {
    const auto others = items ? static_items(op_, way) : std::nullopt;
    if (!others || others->size() != items->size()) items.reset();
    for (std::size_t i = 0; items && i < items->size(); ++i) (*items)[i] = ir::join((*items)[i], (*others)[i]);
  }
  if (items) {
    form_ = Form::Items;
    facts_ = std::move(*items);
    for (const ir::Facts& item : facts_)
      if (item.dtype == DType::Undefined)
        op_.refuse("the items of a list have different dtypes; a model needs one dtype");
    return;
  }
  ir::Facts any = any_item(op_, ways);
  any.constant = nullptr;
  if (element.is_scalar()) {
    form_ = Form::Vector;
    const DType dtype = number_dtype(element, any);
    if (dtype == DType::Undefined) op_.refuse("the type of the numbers in a list must be known");
    facts_.push_back({dtype, std::vector<ir::Dim>{ir::Dim()}, nullptr});
    return;
  }
  if (element.is(Kind::Optional))
    op_.refuse(
        "a list whose length is known at run time only and whose items may be None has no ONNX form; "
        "leave out the None items, or use a tensor without elements for None");
  if (!element.is(Kind::Tensor)) op_.refuse("a list of type " + to_string(element) + " has no ONNX form");
  if (op_.opset() < 13)
    op_.needs_opset(13, "a list whose length is known at run time only and that leaves a branch or a loop");
  choose_sequence(std::move(any));
}

void Crossing::choose_sequence(ir::Facts item) {
  form_ = Form::Sequence;
  item.constant = nullptr;
  if (item.dtype == DType::Undefined) op_.refuse("the dtype of the tensors in a list must be known");
  facts_.assign(1, std::move(item));
}

void Crossing::describe(std::size_t i, Value* fresh) const {
  fresh->set_facts(facts_.at(i));
  if (form_ == Form::Sequence && !is_optional_) fresh->set_type(ir::Type::list(ir::Type::of(Kind::Tensor)));
}

Values Crossing::send(const ir::Value* way) const { return is_optional_ ? Values{send_optional(way)} : send_form(way); }

Value* Crossing::send_optional(const ir::Value* way) const {
  if (!ir::is_none(way)) return op_->op("Optional", send_form(way));
  ir::TypeAttribute type{facts_[0].dtype, {}, facts_[0].has_rank(), form_ == Form::Sequence};
  for (const ir::Dim& dim : facts_[0].dims.value_or(std::vector<ir::Dim>()))
    type.dims.push_back(dim.is_fixed() ? dim.size() : -1);
  return op_->op("Optional", {}, {{"type", std::move(type)}});
}

Values Crossing::send_form(const ir::Value* way) const {
  switch (form_) {
    case Form::Nothing: return {};
    case Form::Number: return {op_.scalar_of(way, facts_[0].dtype)};
    case Form::Vector: return {op_.vector_of(way, facts_[0].dtype)};
    case Form::Sequence: return {send_sequence(way)};
    case Form::Items: return send_items(way);
    case Form::Complex: {
      const Parts parts = op_.parts_of(way);
      return {parts.real, parts.imaginary};
    }
    case Form::Tensor: break;
  }
  Value* value = op_.value_of(way);
  const DType dtype = value->facts().dtype;
  if (dtype != DType::Undefined && facts_[0].dtype != DType::Undefined && dtype != facts_[0].dtype)
    op_.refuse(at_odds(op_.node(), std::string(ir::name_of(facts_[0].dtype)), std::string(ir::name_of(dtype))) +
               "; a model needs one dtype: cast it");
  return {value};
}

Value* Crossing::send_sequence(const ir::Value* way) const {
  Value* sequence = op_.sequence_of(way, facts_[0].dtype);
  const DType dtype = sequence->facts().dtype;
  if (dtype != DType::Undefined && dtype != facts_[0].dtype)
    op_.refuse("a list holds tensors of " + std::string(ir::name_of(facts_[0].dtype)) + " and of " +
               std::string(ir::name_of(dtype)) + "; a model needs one dtype: cast them");
  return sequence;
}

Values Crossing::send_items(const ir::Value* way) const {
  Values items = op_.items_of(way);
  if (items.size() != facts_.size())
    op_.refuse("a list has " + std::to_string(facts_.size()) + " items on one path and " +
               std::to_string(items.size()) + " on another");
  const bool numbers = type_of(value_, std::span(&way, 1)).elements.at(0).is_scalar();
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!numbers) continue;
    if (!items[i]->facts().has_rank() || items[i]->facts().rank() > 0) items[i] = op_->reshape(items[i], Dims{});
    items[i] = op_->cast(items[i], facts_[i].dtype);
  }
  return items;
}

Lowered Crossing::receive(std::span<Value* const> values) const {
  if (is_optional_) return {Lowered::Kind::One, values[0], {}};
  // A loop-carried tensor may have another shape than those that entered; LibTorch's facts describe it.
  for (std::size_t i = 0; i < values.size() && form_ != Form::Tensor && form_ != Form::Complex; ++i)
    ir::merge_agreeing(values[i]->facts(), facts_[i]);
  switch (form_) {
    case Form::Nothing: return {};
    case Form::Items: return {Lowered::Kind::List, nullptr, Values(values.begin(), values.end())};
    case Form::Sequence: return {Lowered::Kind::Sequence, values[0], {}};
    case Form::Complex: return {Lowered::Kind::Complex, values[0], {}, values[1]};
    default: return {Lowered::Kind::One, values[0], {}};
  }
}

}  // namespace tonnx::lower
