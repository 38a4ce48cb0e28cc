#include "torch/division_guard.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include <ATen/TensorOperators.h>
#include <ATen/TracerMode.h>
#include <ATen/ops/any.h>
#include <ATen/ops/result_type.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/record_function.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/runtime/operator.h>

#include "aten/divisions.h"
#include "ir/checked.h"
#include "torch/stand_in.h"

namespace tonnx::torch {

namespace jit = ::torch::jit;

namespace {

using aten::Divides;
using Operands = c10::ArrayRef<c10::IValue>;

constexpr const char* kGuard = "tonnx::quotient";
constexpr const char* kUnfolded = "tonnx::unfolded";

Divides division_of(const c10::FunctionSchema& schema) { return aten::divides(schema.name(), schema.overload_name()); }

// Index of the argument that passes through the guard.
std::size_t guarded_argument(Divides how) { return how == Divides::Steps ? 2 : 1; }

void require_quotient(std::int64_t a, std::int64_t b, bool by_zero, const std::string& op) {
  TORCH_CHECK(b != 0 || !by_zero, op, ": integer modulo by zero");
  TORCH_CHECK(b == 0 || ir::can_divide(a, b), op, ": ", a, " divided by ", b,
              " does not fit in int64; LibTorch would end the process, so the operator is not run");
}

bool has_elements(const at::Tensor& tensor) {
  return tensor.defined() && tensor.layout() == at::kStrided && !tensor.is_meta() && !tensor.is_quantized();
}

template <class Int>
bool has_quotients(const at::Tensor& a, const at::Tensor& b) {
  const auto least = static_cast<std::int64_t>(std::numeric_limits<Int>::min());
  return !((a == least) & (b == -1)).any().item<bool>();
}

void require_truncated(const c10::FunctionSchema& schema, Operands given) {
  const auto mode = schema.argumentIndexWithName("rounding_mode");
  if (!mode || static_cast<std::size_t>(*mode) >= given.size()) return;
  const c10::IValue& name = given[static_cast<std::size_t>(*mode)];
  if (!name.isString() || name.toStringRef() != "trunc" || !given[0].isTensor() || !has_elements(given[0].toTensor()))
    return;
  const at::Tensor& self = given[0].toTensor();
  if (given[1].isTensor() && !has_elements(given[1].toTensor())) return;
  if (!given[1].isTensor() && !given[1].isInt()) return;
  const c10::ScalarType type =
      given[1].isTensor() ? at::result_type(self, given[1].toTensor()) : at::result_type(self, given[1].toScalar());
  if (type != at::kLong && type != at::kInt) return;
  const at::Tensor other =
      given[1].isTensor() ? given[1].toTensor() : at::scalar_tensor(given[1].toScalar(), at::kLong);
  const at::Tensor a = self.to(type), b = other.to(type);
  TORCH_CHECK(type == at::kLong ? has_quotients<std::int64_t>(a, b) : has_quotients<std::int32_t>(a, b), schema.name(),
              ": the least integer divided by -1 does not fit in ", type == at::kLong ? "int64" : "int32",
              "; LibTorch would end the process, so the operator is not run");
}

// LibTorch converts the step to an integer and divides by it.
void require_step(const c10::FunctionSchema& schema, Operands given) {
  if (given.size() < 4 || !given[2].isDouble() || std::abs(given[2].toDouble()) >= 1) return;
  const bool to_integers = given[3].isTensor() ? at::isIntegralType(given[3].toTensor().scalar_type(), true)
                                               : given[3].isInt() && at::isIntegralType(given[3].toScalarType(), true);
  TORCH_CHECK(!to_integers, schema.name(), " of integers by a step of ", given[2], ", which is 0 as an integer");
}

void require_size(const c10::FunctionSchema& schema, const c10::IValue& given, std::int64_t axis) {
  if (!given.isTensor() || !given.toTensor().defined() || given.toTensor().dim() <= axis) return;
  TORCH_CHECK(given.toTensor().size(axis) != 0, schema.name(), ": axis ", axis,
              " has size 0; LibTorch would end the process, so the operator is not run");
}

// LibTorch's kernel only serves the first and the last axis.
void require_slices(const c10::FunctionSchema& schema, Operands given) {
  const std::int64_t axis = given.size() > 2 && given[2].isInt() ? given[2].toInt() : 0;
  if (axis == 0 || (given[0].isTensor() && axis == given[0].toTensor().dim() - 1)) require_size(schema, given[0], axis);
}

void require_attention_sizes(const c10::FunctionSchema& schema, Operands given) {
  for (const std::int64_t axis : {1, 2})
    for (const c10::IValue& tensor : given.slice(0, 2)) require_size(schema, tensor, axis);
}

// Checks the arguments of the schema's operator, and returns the one that passes through the guard.
void run_guard(jit::Stack& stack) {
  const auto count = static_cast<std::size_t>(jit::pop(stack).toInt());
  const Operands given(stack.data() + stack.size() - count, count);
  const auto op = jit::findOperatorFor({given[0].toStringRef(), given[1].toStringRef()});
  const c10::FunctionSchema& schema = op->schema();
  require_quotients(schema, given.slice(2));
  c10::IValue guarded = given[2 + guarded_argument(division_of(schema))];
  jit::drop(stack, count);
  jit::push(stack, std::move(guarded));
}

// The guard is not an operator of programs: it only occurs in copies of code that are about to run.
void define_guard() {
  static const bool made = [] {
    jit::registerOperator(jit::Operator(
        std::string(kGuard) + "(str name, str overload, ...) -> Any", [](jit::Stack& stack) { run_guard(stack); },
        c10::AliasAnalysisKind::CONSERVATIVE));
    return true;
  }();
  static_cast<void>(made);
}

// LibTorch assumes that an operator with conservative alias analysis has side effects.
void define_unfolded() {
  static const bool made = [] {
    jit::registerOperator(jit::Operator(
        std::string(kUnfolded) + "(int number) -> int", [](jit::Stack&) {}, c10::AliasAnalysisKind::CONSERVATIVE));
    return true;
  }();
  static_cast<void>(made);
}

}  // namespace

void require_quotients(const c10::FunctionSchema& schema, Operands given) {
  const Divides how = division_of(schema);
  if (how == Divides::Nothing || given.size() < 2) return;
  const at::DisableRecordFunctionGuard unseen;
  const at::tracer::impl::NoTracerDispatchMode untraced;
  const c10::impl::ExcludeDispatchKeyGuard alone(c10::autograd_dispatch_keyset | c10::DispatchKeySet(kStandInKey));
  const bool are_numbers = given[0].isInt() && given[1].isInt();
  switch (how) {
    case Divides::Numbers:
    case Divides::Remainders:
      if (are_numbers) require_quotient(given[0].toInt(), given[1].toInt(), how == Divides::Remainders, schema.name());
      return;
    case Divides::Both:
      if (!are_numbers) return;
      require_quotient(given[0].toInt(), given[1].toInt(), false, schema.name());
      return require_quotient(given[1].toInt(), given[0].toInt(), false, schema.name());
    case Divides::Truncated: return require_truncated(schema, given);
    case Divides::Steps: return require_step(schema, given);
    case Divides::Slices: return require_slices(schema, given);
    case Divides::Attention: return require_attention_sizes(schema, given);
    case Divides::Nothing: return;
  }
}

bool needs_quotients(const jit::Node& node) {
  const c10::FunctionSchema* schema = node.maybeSchema();
  const Divides how = schema ? division_of(*schema) : Divides::Nothing;
  if (how == Divides::Nothing || node.inputs().size() <= guarded_argument(how)) return false;
  if (how == Divides::Slices || how == Divides::Attention) return true;
  if (how == Divides::Truncated) {
    const auto mode = schema->argumentIndexWithName("rounding_mode");
    const auto name = mode ? jit::toIValue(node.input(static_cast<std::size_t>(*mode))) : std::nullopt;
    if (!mode || (name && (!name->isString() || name->toStringRef() != "trunc"))) return false;
  }
  const auto divisor = jit::toIValue(node.input(guarded_argument(how)));
  if (how == Divides::Steps) return divisor ? divisor->isDouble() && std::abs(divisor->toDouble()) < 1 : true;
  const auto is_safe = [](const jit::Value* value) {
    return value->type()->kind() == c10::TypeKind::FloatType || value->type()->isSubtypeOf(*c10::TensorType::get());
  };
  if (how != Divides::Truncated && (is_safe(node.input(0)) || is_safe(node.input(1)))) return false;
  return !divisor || how == Divides::Both || !divisor->isInt() || divisor->toInt() == 0 || divisor->toInt() == -1;
}

void guard_division(jit::Node& node) {
  define_guard();
  const c10::FunctionSchema& schema = node.schema();
  const std::size_t place = guarded_argument(division_of(schema));
  jit::Graph& graph = *node.owningGraph();
  const jit::WithInsertPoint here(&node);
  std::vector<jit::Value*> inputs{graph.insertConstant(schema.name()), graph.insertConstant(schema.overload_name())};
  inputs.insert(inputs.end(), node.inputs().begin(), node.inputs().end());
  jit::Node* guard = graph.insertNode(graph.create(c10::Symbol::fromQualString(kGuard), inputs));
  guard->setSourceRange(node.sourceRange());
  guard->output()->setType(node.input(place)->type());
  node.replaceInput(place, guard->output());
}

jit::Value* unfolded(jit::Value* number) {
  if (number->type()->kind() != c10::TypeKind::IntType) return number;
  define_unfolded();
  jit::Graph& graph = *number->owningGraph();
  jit::Node* node = graph.insertNode(graph.create(c10::Symbol::fromQualString(kUnfolded), {number}));
  node->output()->setType(c10::IntType::get());
  return node->output();
}

void restore_unfolded(jit::Block& block) {
  for (auto it = block.nodes().begin(); it != block.nodes().end();) {
    jit::Node* node = *it++;
    for (jit::Block* inner : node->blocks()) restore_unfolded(*inner);
    if (node->kind() != c10::Symbol::fromQualString(kUnfolded)) continue;
    node->output()->replaceAllUsesWith(node->input());
    node->destroy();
  }
}

}  // namespace tonnx::torch
