#include "export/function_symbolic.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "aten/called_as.h"
#include "aten/schemas.h"
#include "ir/complex.h"
#include "ir/function_region.h"
#include "ir/invalid_node.h"
#include "lower/dtype_support.h"
#include "lower/op.h"
#include "onnx/read_functions.h"

namespace tonnx::exporting {
namespace {

using ir::Constant;
using ir::DType;
using ir::Function;
using ir::Type;
using Kind = Function::Kind;

bool is_quantised(DType dtype) { return dtype == DType::QInt8 || dtype == DType::QUInt8 || dtype == DType::QInt32; }

// LibTorch's codes of dtypes, layouts and memory formats are other ones than ONNX's.
bool is_code(const std::string& argument) {
  return argument.ends_with("dtype") || argument == "layout" || argument == "memory_format";
}

// One call of the function, for one node of the program.
class FunctionCall {
 public:
  FunctionCall(const lower::Op& op, const Function& function)
      : op_(op), function_(function), inputs_(function.inputs.size()), is_given_(function.inputs.size()) {}

  lower::Outputs make() {
    const ir::Node& node = op_.node();
    if (node.output_count() != function_.outputs.size())
      fail("returns " + std::to_string(function_.outputs.size()) + " outputs, the operator " +
           std::to_string(node.output_count()));
    for (const ir::Value* out : node.outputs()) check_dtype(out);
    if (!node.schema() || node.schema()->arguments.size() != node.input_count())
      fail("cannot be called for an operator without a schema; register a symbolic that calls it");
    for (std::size_t i = 0; i < node.input_count(); ++i)
      if (is_given_by_name(i)) take_named(i);
    for (std::size_t i = 0; i < node.input_count(); ++i)
      if (!is_given_by_name(i)) take(i);
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      if (!is_given_[i]) fail("has an input '" + function_.inputs[i] + "', for which the operator has no argument");
    return lower::Outputs::many(
        op_->op(function_.full_name(), std::move(inputs_), std::move(attributes_), node.output_count()));
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const {
    op_.refuse("the function " + function_.full_name() + " " + reason);
  }

  const ir::Argument& argument(std::size_t i) const { return op_.node().schema()->arguments[i]; }

  const Function::Parameter* parameter(std::size_t i) const {
    const auto at = std::ranges::find(function_.parameters, argument(i).name, &Function::Parameter::name);
    return at == function_.parameters.end() ? nullptr : &*at;
  }

  bool is_given_by_name(std::size_t i) const {
    return parameter(i) || std::ranges::find(function_.inputs, argument(i).name) != function_.inputs.end();
  }

  void check_dtype(const ir::Value* value) const {
    if (op_.is_complex(value) || ir::is_complex(value->facts().dtype))
      fail("is not called for complex tensors; register a symbolic that calls it");
    if (is_quantised(value->facts().dtype))
      fail("is not called for quantised tensors; register a symbolic that calls it");
  }

  void take_named(std::size_t i) {
    const ir::Value* given = op_.node().input(i);
    check_dtype(given);
    if (const Function::Parameter* wanted = parameter(i)) return set_attribute(i, *wanted, given);
    const auto at = std::ranges::find(function_.inputs, argument(i).name);
    set_input(static_cast<std::size_t>(at - function_.inputs.begin()), i, given);
  }

  void take(std::size_t i) {
    const ir::Value* given = op_.node().input(i);
    check_dtype(given);
    const Constant* known = given->constant();
    if (argument(i).type.without_optional().is(Type::Kind::Tensor)) {
      const auto free = std::ranges::find(is_given_, false);
      if (free != is_given_.end()) return set_input(static_cast<std::size_t>(free - is_given_.begin()), i, given);
      if (known && known->is_none()) return;
    }
    // A function that takes the name of a traced function declares it.
    if (op_.node().is(ir::kFunction) && argument(i).name == ir::kFunctionName) return;
    const auto& standard = argument(i).default_value;
    if (known && ((standard && ir::to_string(*standard) == ir::to_string(*known)) || known->get<Constant::Device>()))
      return;
    fail("has no input or attribute '" + argument(i).name + "' for that argument of the operator" +
         (known ? ", which is " + ir::to_string(*known) : ""));
  }

  void set_input(std::size_t at, std::size_t i, const ir::Value* given) {
    is_given_[at] = true;
    const Constant* known = given->constant();
    if (known && known->is_none()) return;
    const Type& type = argument(i).type.without_optional();
    if (type.is(Type::Kind::Tensor)) {
      inputs_[at] = op_.value_of(given);
    } else if (type.is_number_list()) {
      refuse_code(i);
      inputs_[at] = op_.vector_of(given, type.elements[0].is(Type::Kind::Float) ? floating() : DType::Int64);
    } else if (type.is_scalar()) {
      refuse_code(i);
      inputs_[at] = op_.scalar_of(given, is_called_with_tensor(i) ? dtype_beside(given) : dtype_of(type, given));
    } else {
      fail("cannot get the argument '" + argument(i).name + "' of type " + ir::to_string(argument(i).type) +
           " as an input");
    }
  }

  DType dtype_of(const Type& type, const ir::Value* given) const {
    const Constant* known = given->constant();
    const bool is_float = known ? known->get<double>() != nullptr : given->type().is(Type::Kind::Float);
    const bool is_bool = known ? known->get<bool>() != nullptr : given->type().is(Type::Kind::Bool);
    if (!known && given->type().is(Type::Kind::Number))
      fail("cannot get a number whose type is not known (" + ir::to_string(type) + ")");
    return is_float ? floating() : is_bool ? DType::Bool : DType::Int64;
  }

  // True if the program calls an overload that has a tensor in the place of this number.
  bool is_called_with_tensor(std::size_t i) const {
    const ir::SchemaPtr called = aten::find_schema(aten::called_as(op_.node()));
    return called && i < called->arguments.size() && called->arguments[i].type.is(Type::Kind::Tensor);
  }

  // The dtype of a number beside the first tensor, as LibTorch promotes it.
  DType dtype_beside(const ir::Value* given) const {
    const DType dtype = dtype_of(given->type(), given);
    if (ir::is_floating(dtype)) return dtype;
    for (const ir::Value* value : op_.node().inputs())
      if (value->type().is(Type::Kind::Tensor) && (dtype == DType::Bool || value->facts().dtype != DType::Bool))
        return value->facts().dtype;
    return dtype;
  }

  // The dtype of floats among tensors: that of the first floating tensor.
  DType floating() const {
    for (const ir::Value* value : op_.node().inputs())
      if (value->type().is(Type::Kind::Tensor) && ir::is_floating(value->facts().dtype)) return value->facts().dtype;
    return DType::Float32;
  }

  void refuse_code(std::size_t i) const {
    if (is_code(argument(i).name))
      fail("cannot get the argument '" + argument(i).name +
           "', a code of LibTorch; register a symbolic that calls the function");
  }

  void set_attribute(std::size_t i, const Function::Parameter& wanted, const ir::Value* given) {
    const Constant* known = given->constant();
    if (!known)
      fail("has the attribute '" + wanted.name + "', but that argument is known only at run time; make it an input");
    if (known->is_none()) {
      if (!wanted.has_default) fail("needs the attribute '" + wanted.name + "', but that argument is None");
      return;
    }
    refuse_code(i);
    if (auto value = attribute_of(*known, wanted.kind, argument(i).type)) {
      if (!holds(*value, floating()))
        fail("cannot get the argument '" + wanted.name + "' = " + ir::to_string(*known) +
             " as an attribute, which has 32 bits, for float64 tensors; make it an input of the function");
      attributes_.push_back({wanted.name, std::move(*value)});
      return;
    }
    fail("cannot get the argument '" + wanted.name + "' = " + ir::to_string(*known) + " as an attribute of its type");
  }

  // True if an attribute has the digits of floats among tensors of this dtype.
  static bool holds(const ir::Attribute& attribute, DType dtype) {
    const auto is_held = [&](double number) { return !std::isfinite(number) || lower::holds_attribute(dtype, number); };
    if (const auto* number = std::get_if<double>(&attribute)) return is_held(*number);
    const auto* numbers = std::get_if<std::vector<double>>(&attribute);
    return !numbers || std::ranges::all_of(*numbers, is_held);
  }

  static std::optional<ir::Attribute> attribute_of(const Constant& known, Kind kind, const Type& type) {
    if (const auto* text = known.get<std::string>())
      return kind == Kind::Any || kind == Kind::String ? std::optional<ir::Attribute>(*text) : std::nullopt;
    if (known.is_number()) {
      if (kind == Kind::Floats || kind == Kind::Ints) {
        Constant::List single;
        single.items.push_back(known);
        return attribute_of(Constant{single}, kind, type);
      }
      const bool is_float = kind == Kind::Float || (kind == Kind::Any && known.get<double>());
      if (is_float)
        return lower::fits_attribute(known.as_double()) ? std::optional<ir::Attribute>(known.as_double())
                                                        : std::nullopt;
      if ((kind != Kind::Int && kind != Kind::Any) || known.get<double>()) return std::nullopt;
      return known.as_int64();
    }
    const auto* list = known.get<Constant::List>();
    if (!list || !std::ranges::all_of(list->items, &Constant::is_number)) return std::nullopt;
    const auto is_float = [](const Constant& item) { return item.get<double>() != nullptr; };
    const Type& wanted = type.without_optional();
    const bool of_floats = !wanted.elements.empty() && wanted.elements[0].is(Type::Kind::Float);
    if (kind == Kind::Floats || (kind == Kind::Any && (of_floats || std::ranges::any_of(list->items, is_float)))) {
      std::vector<double> values;
      for (const Constant& item : list->items) values.push_back(item.as_double());
      return std::ranges::all_of(values, lower::fits_attribute) ? std::optional<ir::Attribute>(std::move(values))
                                                                : std::nullopt;
    }
    if ((kind != Kind::Ints && kind != Kind::Any) || std::ranges::any_of(list->items, is_float)) return std::nullopt;
    std::vector<std::int64_t> values;
    for (const Constant& item : list->items) values.push_back(item.as_int64());
    return values;
  }

  const lower::Op& op_;
  const Function& function_;
  lower::Values inputs_;
  std::vector<bool> is_given_;
  lower::Attributes attributes_;
};

std::optional<lower::Outputs> call_function(const Function& function, lower::Op& op) {
  try {
    return FunctionCall(op, function).make();
  } catch (const lower::Refusal&) {
    throw;
  } catch (const ir::InvalidNode& error) {
    op.refuse(error.what());
  } catch (const ir::Error& error) {
    if (error.code() == ir::Code::Unsupported) op.refuse(error.what());
    throw;
  }
}

}  // namespace

void add_functions(lower::Registry& registry, std::span<const std::byte> bytes, const std::string& op,
                   std::int32_t since) {
  std::vector<ir::FunctionPtr> functions;
  for (ir::Function& function : onnx::read_functions(bytes))
    functions.push_back(std::make_shared<const ir::Function>(std::move(function)));
  lower::Registry changed = registry;
  changed.add_functions(functions);
  if (!op.empty()) {
    const ir::FunctionPtr called = functions.back();
    if (since < 0) throw ir::Error(ir::Code::Argument, "opset " + std::to_string(since) + " is below 0");
    if (since > 0)
      if (const std::string why = onnx::misfit(*called, std::max(since, onnx::kFirstWithFunctions)); !why.empty())
        throw ir::Error(ir::Code::Argument,
                        "failed to register operator " + op + " from opset " + std::to_string(since) + " on: " + why);
    changed.add(
        op, std::max(since, 1), [called](lower::Op& source) { return call_function(*called, source); },
        called->full_name());
  }
  registry = std::move(changed);
}

}  // namespace tonnx::exporting
