#include "lower/stay.h"

#include <algorithm>

#include "aten/traits.h"
#include "ir/function_region.h"
#include "ir/refusal.h"
#include "ir/writes.h"
#include "lower/dtype_support.h"

namespace tonnx::lower {
namespace {

using ir::Constant;
using ir::Type;

bool has_form(DType dtype) {
  const bool is_quantised = dtype == DType::QInt8 || dtype == DType::QUInt8 || dtype == DType::QInt32;
  return !ir::is_complex(dtype) && !is_quantised && (dtype == DType::Undefined || ir::onnx_type(dtype) != 0);
}

DType dtype_of(const Type& scalar) {
  if (scalar.is(Type::Kind::Float)) return DType::Float64;
  return scalar.is(Type::Kind::Bool) ? DType::Bool : DType::Int64;
}

std::optional<DType> dtype_of(const Constant& number) {
  if (number.get<bool>()) return DType::Bool;
  if (number.get<std::int64_t>()) return DType::Int64;
  if (number.get<double>()) return DType::Float64;
  return std::nullopt;
}

// The dtype of the numbers of a list; nullopt if it holds something else. `empty`: the dtype of an empty list.
std::optional<DType> dtype_of(const Constant::List& list, DType empty) {
  if (list.items.empty()) return empty;
  const auto first = dtype_of(list.items[0]);
  const bool alike = std::ranges::all_of(list.items, [&](const Constant& item) { return dtype_of(item) == first; });
  return alike ? first : std::nullopt;
}

// Gathers the inputs and attributes of the node.
class Arguments {
 public:
  Arguments(const Op& op, bool as_aten) : op_(op), as_aten_(as_aten) {}

  // False if the argument has no form.
  bool add(const ir::Argument& argument, const Value* given) {
    const Type& wanted = argument.type.without_optional();
    const Constant* known = given->constant();
    // An input that may be absent after the items of a list could be one of them.
    if (has_list_ && argument.type.is(Type::Kind::Optional) && (as_aten_ || wanted.is(Type::Kind::Tensor)))
      return false;
    if (known && known->is_none()) {
      if (as_aten_ || wanted.is(Type::Kind::Tensor)) inputs.push_back(nullptr);
      return true;
    }
    if (known && known->get<Constant::Device>()) {  // a model has no devices
      if (as_aten_) inputs.push_back(nullptr);
      return true;
    }
    if (wanted.is_tensor_list()) {
      if (has_list_) return false;  // the items of two lists could not be distinguished
      has_list_ = true;
      return std::ranges::all_of(op_.items_of(given), [&](Value* item) {
        if (item) return add_input(item);
        inputs.push_back(nullptr);
        return true;
      });
    }
    if (wanted.is(Type::Kind::Tensor)) return add_input(op_.value_of(given));
    if (!known) return add_dynamic(given);
    if (const auto* text = known->get<std::string>()) return add_attribute(argument.name, *text);
    return as_aten_ ? add_constant_input(argument, given, *known) : add_constant(argument.name, *known);
  }

  Values inputs;
  Attributes attributes;

 private:
  bool add_input(Value* value) {
    if (!value || !has_form(value->facts().dtype)) return false;
    inputs.push_back(value);
    return true;
  }

  bool add_attribute(const std::string& name, ir::Attribute value) {
    attributes.push_back({name, std::move(value)});
    return true;
  }

  // For a dynamic scalar or list of scalars.
  bool add_dynamic(const Value* given) {
    const Type& type = given->type();
    if (type.is_number_list()) return add_input(op_.vector_of(given, dtype_of(type.elements[0])));
    if (type.is(Type::Kind::Number) || type.is_scalar())
      return add_input(type.is(Type::Kind::Number) ? op_.value_of(given) : op_.scalar_of(given, dtype_of(type)));
    return false;
  }

  bool add_constant_input(const ir::Argument& argument, const Value* given, const Constant& known) {
    if (const auto dtype = dtype_of(known)) return add_input(op_.scalar_of(given, *dtype));
    const auto* list = known.get<Constant::List>();
    const Type& wanted = argument.type.without_optional();
    const bool floats = !wanted.elements.empty() && wanted.elements[0].is(Type::Kind::Float);
    const auto dtype = list ? dtype_of(*list, floats ? DType::Float64 : DType::Int64) : std::nullopt;
    return dtype && add_input(op_.vector_of(given, *dtype));
  }

  bool add_constant(const std::string& name, const Constant& known) {
    if (const auto* flag = known.get<bool>()) return add_attribute(name, std::int64_t{*flag});
    if (const auto* whole = known.get<std::int64_t>()) return add_attribute(name, *whole);
    if (const auto* real = known.get<double>()) return fits_attribute(*real) && add_attribute(name, *real);
    const auto* list = known.get<Constant::List>();
    const auto dtype = list ? dtype_of(*list, DType::Int64) : std::nullopt;
    if (!dtype) return false;
    if (*dtype != DType::Float64) {
      Dims items;
      for (const Constant& item : list->items) items.push_back(item.as_int64());
      return add_attribute(name, std::move(items));
    }
    std::vector<double> items;
    for (const Constant& item : list->items) items.push_back(*item.get<double>());
    return std::ranges::all_of(items, fits_attribute) && add_attribute(name, std::move(items));
  }

  const Op& op_;
  bool as_aten_;
  bool has_list_ = false;
};

}  // namespace

bool may_stay(const ir::Node& node, Operators operators) {
  if (operators == Operators::Onnx || !node.schema() || !node.blocks().empty() || node.output_count() == 0)
    return false;
  if (ir::is_refused(node) || ir::why_refused(node) || ir::writes(node)) return false;
  if (node.is(ir::kFunction)) return operators != Operators::Aten;
  if (aten::traits_of(node).effect == aten::Effect::Outside) return false;
  const std::string_view domain = node.domain();
  if (operators != Operators::Fallthrough) return domain == "aten";
  return domain != "prim" && domain != "onnx" && domain != "tonnx";
}

std::optional<Outputs> stay(const Op& op, Operators operators) {
  const ir::Node& node = op.node();
  const bool as_aten = operators != Operators::Fallthrough && !node.is(ir::kFunction);
  const auto has_result = [](const ir::Value* out) {
    return out->type().is(Type::Kind::Tensor) && has_form(out->facts().dtype);
  };
  if (!std::ranges::all_of(node.outputs(), has_result)) return std::nullopt;
  const ir::Schema& schema = *node.schema();
  if (schema.is_vararg || schema.arguments.size() != node.input_count()) return std::nullopt;
  Arguments arguments(op, as_aten);
  for (std::size_t i = 0; i < schema.arguments.size(); ++i)
    if (op.is_complex(node.input(i)) || !arguments.add(schema.arguments[i], node.input(i))) return std::nullopt;
  std::string name = node.kind();
  // Without it clamp(x, None, n) could be the overload for tensors, or the one for numbers.
  if (!as_aten && !node.is(ir::kFunction) && !schema.overload.empty())
    arguments.attributes.push_back({"overload_name", schema.overload});
  if (as_aten) {
    name = "org.pytorch.aten::ATen";
    arguments.attributes.push_back({"operator", std::string(node.op())});
    arguments.attributes.push_back({"overload_name", schema.overload});
  }
  const Values made = op->op(name, arguments.inputs, std::move(arguments.attributes), node.output_count());
  for (std::size_t i = 0; i < made.size(); ++i) {
    ir::Facts facts = op.result(i);
    facts.constant = nullptr;
    made[i]->set_facts(std::move(facts));
  }
  return Outputs::many(made);
}

}  // namespace tonnx::lower
