// The functional form of tensor operators that write: the new content of the written argument.
#include <algorithm>
#include <string>
#include <string_view>

#include "aten/called_as.h"
#include "aten/functional_form.h"
#include "aten/schemas.h"
#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "ir/merge.h"
#include "program/writes/write_rewriter.h"

namespace tonnx::program {

using ir::DType;
using ir::Facts;
using ir::Node;
using ir::Schema;
using ir::Type;
using ir::Value;

namespace {

constexpr std::string_view kTo = "aten::to.dtype";
constexpr std::string_view kToOther = "aten::to.other";
constexpr std::string_view kFullLike = "aten::full_like";
constexpr std::string_view kZerosLike = "aten::zeros_like";
constexpr std::string_view kExpandAs = "aten::expand_as";

// Casts `value` to the dtype of self; `self` is the current value of self.
Value* cast(Inserter& insert, Value* value, DType dtype, Value* self) {
  if (dtype != DType::Undefined) return insert.call(kTo, {value, insert.integer(static_cast<std::int64_t>(dtype))});
  return insert.call(kToOther, {value, self});
}

Value* as_content_of(Inserter& insert, Value* value, const Facts& facts, const Facts& self_facts, Value* self) {
  if (facts.dtype == DType::Undefined || facts.dtype != self_facts.dtype)
    value = cast(insert, value, self_facts.dtype, self);
  const bool has_same_sizes = facts.dims && self_facts.dims && ir::same_dims(*facts.dims, *self_facts.dims);
  return has_same_sizes ? value : insert.call(kExpandAs, {value, self});
}

// True if the functional form chooses the dtype of its result: zeros, arange.
bool chooses_dtype(const aten::FunctionalForm& form) {
  const int dtype = form.schema->index_of("dtype");
  return dtype >= 0 && form.arguments[static_cast<std::size_t>(dtype)] == aten::FunctionalForm::kDefault;
}

bool is_out(const Node& node, std::size_t written) { return node.schema()->arguments[written].name == "out"; }

// Of a functional form with a `dtype` that is not specified: true if LibTorch computes in the dtype of `out`, as
// reductions with the argument and arange() do, and not in another one that it casts.
bool computes_in_dtype_of_out(const Node& node, std::size_t written, const aten::FunctionalForm& form) {
  if (!is_out(node, written)) return false;
  if (const Value* given = node.input("dtype")) return ir::is_none(given);
  return chooses_dtype(form) &&
         std::ranges::any_of(form.schema->arguments,
                             [](const ir::Argument& argument) { return argument.type.is(Type::Kind::Number); }) &&
         std::ranges::none_of(form.schema->arguments,
                              [](const ir::Argument& argument) { return argument.type.is(Type::Kind::Tensor); });
}

// True if the functional form may return another dtype than that of self.
bool may_promote(const Node& node, std::size_t written, const Schema& form) {
  const DType self = node.input(written)->facts().dtype;
  switch (aten::traits_of(form.name, form.overload).dtype) {
    case aten::ResultDtype::Self: return false;
    case aten::ResultDtype::Bool: return self != DType::Bool;
    case aten::ResultDtype::Promoted: break;
  }
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    if (i == written) continue;
    const Value* in = node.input(i);
    const bool may_be_tensor =
        in->type().is(Type::Kind::Tensor) || in->type().is(Type::Kind::List) || in->type().is(Type::Kind::Optional);
    if (!may_be_tensor || (in->constant() && in->constant()->is_none())) continue;
    if (!in->type().is(Type::Kind::Tensor)) {
      if (in->type().is(Type::Kind::List) && !in->type().is_tensor_list()) continue;
      return true;
    }
    if (self == DType::Undefined || in->facts().dtype != self) return true;
  }
  return false;
}

}  // namespace

Value* functional_value(Node& node, std::size_t written, std::vector<Value*> inputs, Inserter& insert) {
  const Facts self_facts = node.input(written)->facts();
  Value* self = inputs[written];
  switch (aten::write_of(node)) {
    case aten::Write::Copy:
    case aten::Write::Fill:
      if (node.input(1)->type().is(Type::Kind::Tensor))
        return as_content_of(insert, inputs[1], node.input(1)->facts(), self_facts, self);
      return insert.call(kFullLike, {self, inputs[1]});
    case aten::Write::Zero: return insert.call(kZerosLike, {self});
    case aten::Write::Resize:
    case aten::Write::Memory:
    case aten::Write::Layout:
      throw refusal(
          node,
          "changes the storage of a tensor, which has no ONNX form; assign another tensor to the variable instead");
    default: break;
  }
  const Schema& schema = *node.schema();
  const aten::FunctionalForm form = aten::functional_form(schema, written);
  if (!form.schema)
    throw refusal(node, "writes to its argument " + schema.arguments[written].name + " and has no functional form");
  std::vector<Value*> arguments = functional_arguments(form, inputs, insert);
  const auto dtype = static_cast<std::size_t>(form.schema->index_of("dtype"));
  const bool is_exact =
      self_facts.dtype != DType::Undefined && dtype < arguments.size() && computes_in_dtype_of_out(node, written, form);
  if (is_exact) arguments[dtype] = insert.integer(static_cast<std::int64_t>(self_facts.dtype));
  Node* functional = node.graph().create(form.schema->name, arguments, 1);
  functional->set_schema(form.schema);
  if (const ir::SchemaPtr called = aten::find_schema(aten::called_as(node)))
    if (const aten::FunctionalForm own = aten::functional_form(*called, written); own.schema)
      functional->set_attribute(aten::kCalledAs, own.schema->full_name());
  functional->output()->set_type(Type::of(Type::Kind::Tensor));
  insert.insert(functional);
  Value* now = functional->output();
  const bool is_cast = !is_exact && (chooses_dtype(form) || may_promote(node, written, *form.schema));
  return is_cast ? cast(insert, now, self_facts.dtype, self) : now;
}

std::vector<Value*> functional_arguments(const aten::FunctionalForm& form, std::span<Value* const> inputs,
                                         Inserter& insert) {
  std::vector<Value*> arguments;
  for (std::size_t i = 0; i < form.arguments.size(); ++i) {
    const std::size_t at = form.arguments[i];
    if (at < inputs.size())
      arguments.push_back(inputs[at]);
    else if (const auto& value = form.schema->arguments[i].default_value)
      arguments.push_back(insert.constant(*value));
    else
      break;
  }
  return arguments;
}

}  // namespace tonnx::program
