#include "torch/source_names.h"

#include <limits>
#include <numbers>
#include <optional>
#include <set>

#include <torch/csrc/jit/frontend/error_report.h>
#include <torch/csrc/jit/frontend/sugared_value.h>
#include <torch/csrc/jit/ir/ir.h>

#include "torch/division_guard.h"

namespace tonnx::torch {

namespace jit = ::torch::jit;

namespace {

using Sugared = std::shared_ptr<jit::SugaredValue>;

Sugared constant(const c10::IValue& value, jit::GraphFunction& function, const jit::SourceRange& place) {
  return std::make_shared<jit::SimpleValue>(function.graph()->insertConstant(value, place));
}

std::optional<double> number_named(const std::string& name) {
  static const std::map<std::string, double> numbers = {{"pi", std::numbers::pi},
                                                        {"e", std::numbers::e},
                                                        {"tau", 2 * std::numbers::pi},
                                                        {"inf", std::numeric_limits<double>::infinity()},
                                                        {"nan", std::numeric_limits<double>::quiet_NaN()}};
  const auto found = numbers.find(name);
  return found == numbers.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::int64_t> dtype_named(const std::string& name) {
  using enum c10::ScalarType;
  static const std::map<std::string, c10::ScalarType> dtypes = {{"uint8", Byte},
                                                                {"int8", Char},
                                                                {"int16", Short},
                                                                {"short", Short},
                                                                {"int32", Int},
                                                                {"int", Int},
                                                                {"int64", Long},
                                                                {"long", Long},
                                                                {"float16", Half},
                                                                {"half", Half},
                                                                {"float32", Float},
                                                                {"float", Float},
                                                                {"float64", Double},
                                                                {"double", Double},
                                                                {"bfloat16", BFloat16},
                                                                {"bool", Bool},
                                                                {"complex32", ComplexHalf},
                                                                {"complex64", ComplexFloat},
                                                                {"cfloat", ComplexFloat},
                                                                {"complex128", ComplexDouble},
                                                                {"cdouble", ComplexDouble},
                                                                {"float8_e5m2", Float8_e5m2},
                                                                {"float8_e4m3fn", Float8_e4m3fn}};
  const auto found = dtypes.find(name);
  return found == dtypes.end() ? std::nullopt : std::optional(static_cast<std::int64_t>(found->second));
}

std::optional<std::int64_t> layout_named(const std::string& name) {
  static const std::map<std::string, std::int64_t> layouts = {
      {"strided", static_cast<std::int64_t>(c10::Layout::Strided)},
      {"contiguous_format", static_cast<std::int64_t>(c10::MemoryFormat::Contiguous)},
      {"preserve_format", static_cast<std::int64_t>(c10::MemoryFormat::Preserve)},
      {"channels_last", static_cast<std::int64_t>(c10::MemoryFormat::ChannelsLast)},
      {"channels_last_3d", static_cast<std::int64_t>(c10::MemoryFormat::ChannelsLast3d)}};
  const auto found = layouts.find(name);
  return found == layouts.end() ? std::nullopt : std::optional(found->second);
}

// Python's own exception classes that a program may raise.
bool is_exception(const std::string& name) {
  static const std::set<std::string> classes = {
      "ArithmeticError", "AssertionError", "AttributeError",     "BaseException",       "BufferError",
      "EOFError",        "Exception",      "FloatingPointError", "IndexError",          "KeyError",
      "LookupError",     "MemoryError",    "NameError",          "NotImplementedError", "OSError",
      "OverflowError",   "RecursionError", "RuntimeError",       "StopIteration",       "SystemError",
      "TypeError",       "UnicodeError",   "ValueError",         "ZeroDivisionError"};
  return classes.contains(name);
}

// Namespaces of operators: torch.ops.my_ops, and torch.linalg, whose operators are aten::linalg_NAME.
class Operators final : public jit::SugaredValue {
 public:
  explicit Operators(std::string prefix) : prefix_(std::move(prefix)) {}
  std::string kind() const override { return "namespace of operators"; }
  Sugared attr(const jit::SourceRange&, jit::GraphFunction&, const std::string& field) override {
    return std::make_shared<jit::BuiltinFunction>(c10::Symbol::fromQualString(prefix_ + field), std::nullopt);
  }

 private:
  const std::string prefix_;
};

// torch.ops
class Namespaces final : public jit::SugaredValue {
 public:
  std::string kind() const override { return "torch.ops"; }
  Sugared attr(const jit::SourceRange&, jit::GraphFunction&, const std::string& field) override {
    return std::make_shared<Operators>(field + "::");
  }
};

class Math final : public jit::SugaredValue {
 public:
  std::string kind() const override { return "module math"; }
  Sugared attr(const jit::SourceRange& place, jit::GraphFunction& function, const std::string& field) override {
    if (const auto number = number_named(field)) return constant(*number, function, place);
    static const std::set<std::string> same = {
        "acos",  "acosh",   "asin", "asinh",    "atan",  "atan2", "atanh", "ceil",      "copysign", "cos",
        "cosh",  "degrees", "erf",  "erfc",     "exp",   "expm1", "fabs",  "factorial", "floor",    "fmod",
        "frexp", "gamma",   "gcd",  "isfinite", "isinf", "isnan", "ldexp", "lgamma",    "log",      "log10",
        "log1p", "modf",    "pow",  "radians",  "sin",   "sinh",  "sqrt",  "tan",       "tanh"};
    if (!same.contains(field)) throw jit::ErrorReport(place) << "TorchScript has no math." << field;
    return std::make_shared<jit::BuiltinFunction>(c10::Symbol::fromQualString("aten::" + field), std::nullopt);
  }
};

class Torch final : public jit::SugaredValue {
 public:
  std::string kind() const override { return "module torch"; }
  Sugared attr(const jit::SourceRange& place, jit::GraphFunction& function, const std::string& field) override {
    if (const auto dtype = dtype_named(field)) return constant(*dtype, function, place);
    if (const auto layout = layout_named(field)) return constant(*layout, function, place);
    if (const auto number = number_named(field)) return constant(*number, function, place);
    if (field == "ops") return std::make_shared<Namespaces>();
    if (field == "linalg" || field == "fft" || field == "special")
      return std::make_shared<Operators>("aten::" + field + "_");
    if (field == "nn" || field == "jit" || field == "autograd")
      throw jit::ErrorReport(place)
          << "torch." << field
          << " is Python; source text can only call LibTorch's operators, torch.relu(x) or x.relu()";
    return std::make_shared<jit::BuiltinFunction>(c10::Symbol::fromQualString("aten::" + field), std::nullopt);
  }
};

class Divisor final : public jit::SugaredValue {
 public:
  std::string kind() const override { return "divisor"; }
  Sugared call(const jit::SourceRange&, jit::GraphFunction& function, at::ArrayRef<jit::NamedValue> arguments,
               at::ArrayRef<jit::NamedValue>, std::size_t) override {
    return std::make_shared<jit::SimpleValue>(unfolded(arguments[0].value(*function.graph())));
  }
};

class Names final : public jit::Resolver {
 public:
  explicit Names(std::map<std::string, jit::Function*> functions) : functions_(std::move(functions)) {}

  Sugared resolveValue(const std::string& name, jit::GraphFunction& function, const jit::SourceRange& place) override {
    if (const auto found = functions_.find(name); found != functions_.end())
      return std::make_shared<jit::FunctionValue>(found->second);
    if (name == "torch") return std::make_shared<Torch>();
    if (name == "math") return std::make_shared<Math>();
    if (name == kDivisor) return std::make_shared<Divisor>();
    if (is_exception(name)) return std::make_shared<jit::ExceptionValue>(name);
    if (name == "inf" || name == "nan") return constant(*number_named(name), function, place);
    return nullptr;
  }

 private:
  const std::map<std::string, jit::Function*> functions_;
};

}  // namespace

jit::ResolverPtr source_names(std::map<std::string, jit::Function*> functions) {
  return std::make_shared<Names>(std::move(functions));
}

}  // namespace tonnx::torch
