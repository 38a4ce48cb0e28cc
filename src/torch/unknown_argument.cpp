#include "torch/unknown_argument.h"

#include <algorithm>

#include "aten/schemas.h"

namespace tonnx::torch {
namespace {

bool is_default(const c10::Argument& argument, const std::optional<c10::IValue>& value) {
  if (!value || !argument.default_value()) return false;
  const c10::IValue& usual = *argument.default_value();
  if (usual.isNone() || value->isNone()) return usual.isNone() && value->isNone();
  if (usual.isBool() && value->isBool()) return usual.toBool() == value->toBool();
  if (usual.isInt() && value->isInt()) return usual.toInt() == value->toInt();
  if (usual.isDouble() && value->isDouble()) return usual.toDouble() == value->toDouble();
  return usual.isString() && value->isString() && usual.toStringRef() == value->toStringRef();
}

}  // namespace

std::string unknown_argument(const c10::FunctionSchema& schema, std::span<const std::optional<c10::IValue>> known) {
  const std::string& name = schema.name();
  if (!aten::is_own_domain(name.substr(0, name.find("::")))) return {};
  const std::string& overload = schema.overload_name();
  const ir::SchemaPtr table = aten::find_schema(overload.empty() ? name : name + "." + overload);
  if (!table) return {};
  const auto& arguments = schema.arguments();
  for (std::size_t i = 0; i < std::min(arguments.size(), known.size()); ++i) {
    const auto is_same = [&](const ir::Argument& other) { return other.name == arguments[i].name(); };
    if (std::ranges::none_of(table->arguments, is_same) && !is_default(arguments[i], known[i]))
      return arguments[i].name();
  }
  return {};
}

}  // namespace tonnx::torch
