#include "torch/operator_table.h"

#include <ATen/ops/scalar_tensor.h>
#include <torch/csrc/jit/runtime/operator.h>

#include "aten/meaning.h"
#include "aten/traits.h"
#include "torch/checkpoint.h"
#include "torch/division_guard.h"
#include "torch/outside.h"

namespace tonnx::torch {
namespace {

void read_schema(Operator& op) {
  const auto& arguments = op.schema->arguments();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const c10::AliasInfo* alias = arguments[i].alias_info();
    if (alias && alias->isWrite()) op.writes.push_back(i);
    c10::TypePtr type = arguments[i].type();
    if (auto optional = type->cast<c10::OptionalType>()) type = optional->getElementType();
    if (type->kind() == c10::TypeKind::DeviceObjType) op.devices.push_back(i);
    if (arguments[i].name() == "pin_memory") op.pins.push_back(i);
  }
  for (const c10::Argument& result : op.schema->returns()) {
    c10::TypePtr type = result.type();
    if (auto list = type->cast<c10::ListType>()) type = list->getElementType();
    op.returns_tensors = op.returns_tensors || type->kind() == c10::TypeKind::TensorType;
  }
}

std::unique_ptr<Operator> look_up(const std::string& name, const std::string& overload) {
  auto op = std::make_unique<Operator>();
  op->rule = find_rule(name, overload);
  op->is_uninitialised = aten::traits_of(name, overload).is_undefined;
  op->handle = c10::Dispatcher::singleton().findSchema({name, overload});
  if (op->handle) {
    op->schema = &op->handle->schema();
    op->is_random = op->handle->hasTag(at::Tag::nondeterministic_seeded);
    op->is_data_dependent =
        op->handle->hasTag(at::Tag::data_dependent_output) || op->handle->hasTag(at::Tag::dynamic_output_shape);
  } else if (auto found = ::torch::jit::findOperatorFor({name, overload}); found && found->hasOperation()) {
    op->schema = &found->schema();
    op->operation = [run = found->getOperation()](c10::Stack& stack) mutable { run(stack); };
  }
  if (op->schema && !reason_not_to_run(name, overload).empty()) return nullptr;
  if (op->schema) read_schema(*op);
  return op->can_run() || op->rule ? std::move(op) : nullptr;
}

bool accepts(const c10::FunctionSchema& schema, c10::ArrayRef<c10::IValue> arguments) {
  if (arguments.size() > schema.arguments().size() && !schema.is_vararg()) return false;
  for (std::size_t i = 0; i < schema.arguments().size(); ++i) {
    const c10::Argument& formal = schema.arguments()[i];
    if (i >= arguments.size()) {
      if (!formal.default_value()) return false;
    } else if (formal.type()->hasFreeVariables()) {
      if (formal.type()->kind() == c10::TypeKind::ListType && !arguments[i].isList()) return false;
    } else if (!arguments[i].type()->isSubtypeOf(*formal.type())) {
      return false;
    }
  }
  return true;
}

void complete(c10::IValue& value, const c10::Type& type, std::optional<std::int32_t> count) {
  switch (type.kind()) {
    case c10::TypeKind::OptionalType:
      if (!value.isNone()) complete(value, *type.expectRef<c10::OptionalType>().getElementType(), count);
      break;
    case c10::TypeKind::TensorType:
      if (value.isScalar()) {
        at::Tensor number = at::scalar_tensor(value.toScalar(), at::device(at::kCPU).dtype(value.toScalar().type()));
        number.unsafeGetTensorImpl()->set_wrapped_number(true);
        value = std::move(number);
      }
      break;
    case c10::TypeKind::FloatType:
      if (value.isInt()) value = static_cast<double>(value.toInt());
      break;
    case c10::TypeKind::IntType:
      if (value.isBool()) value = static_cast<std::int64_t>(value.toBool());
      break;
    case c10::TypeKind::DeviceObjType:
      if (value.isString()) value = c10::Device(value.toStringRef());
      break;
    case c10::TypeKind::ListType: {
      const c10::TypePtr element = type.expectRef<c10::ListType>().getElementType();
      if (element->hasFreeVariables()) break;
      if (value.isScalar() && count) {
        c10::impl::GenericList list(element);
        c10::IValue item = value;
        complete(item, *element, std::nullopt);
        for (std::int32_t i = 0; i < *count; ++i) list.push_back(item);
        value = list;
      } else if (value.isList()) {
        const auto from = value.toList();
        if (from.elementType() == element || *from.elementType() == *element) break;
        c10::impl::GenericList list(element);
        for (const c10::IValue& item : from) {
          c10::IValue copy = item;
          complete(copy, *element, std::nullopt);
          list.push_back(std::move(copy));
        }
        value = list;
      }
      break;
    }
    default: break;
  }
}

}  // namespace

void Operator::call(c10::Stack& stack) const {
  checkpoint();
  // An operator that writes to several `out` tensors returns references to its operands, which a boxed call releases
  // before it reads them.
  const c10::Stack operands = stack;
  require_quotients(*schema, stack);
  if (handle) {
    handle->callBoxed(stack);
  } else {
    if (schema->is_vararg()) stack.emplace_back(static_cast<std::int64_t>(stack.size()));
    operation(stack);
  }
}

const Operator* OperatorTable::find(const ir::Node& node, c10::ArrayRef<c10::IValue> arguments) {
  if (const ir::Schema* schema = node.schema()) {
    const auto [known, is_unknown] = by_meaning_.try_emplace(aten::meaning_of(node));
    if (!is_unknown) return known->second;
    const auto [place, is_new] = operators_.try_emplace(schema->full_name());
    if (is_new) place->second = look_up(schema->name, schema->overload);
    return known->second = place->second.get();
  }
  for (const auto& candidate : ::torch::jit::getAllOperatorsFor(c10::Symbol::fromQualString(node.kind()))) {
    const c10::FunctionSchema& schema = candidate->schema();
    if (!accepts(schema, arguments)) continue;
    const auto [place, is_new] = operators_.try_emplace(
        schema.overload_name().empty() ? schema.name() : schema.name() + "." + schema.overload_name());
    if (is_new) place->second = look_up(schema.name(), schema.overload_name());
    return place->second.get();
  }
  const auto [place, is_new] = operators_.try_emplace(node.kind());
  if (is_new) place->second = look_up(node.kind(), "");
  return place->second.get();
}

bool complete_arguments(const c10::FunctionSchema& schema, c10::Stack& stack) {
  const auto& arguments = schema.arguments();
  while (stack.size() < arguments.size()) {
    const auto& value = arguments[stack.size()].default_value();
    if (!value) return false;
    stack.push_back(*value);
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (stack[i].isTensor() || stack[i].isNone()) continue;
    complete(stack[i], *arguments[i].type(), arguments[i].N());
  }
  return true;
}

}  // namespace tonnx::torch
