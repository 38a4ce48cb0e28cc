#include "torch/bool_numbers.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <ATen/ops/scalar_tensor.h>
#include <torch/csrc/jit/ir/constants.h>

#include "aten/traits.h"
#include "ir/error.h"

namespace tonnx::torch {

namespace jit = ::torch::jit;

namespace {

using Places = std::vector<std::size_t>;

std::optional<bool> bool_at(const jit::Node* node, std::size_t i) {
  const auto value = jit::toIValue(node->input(i));
  return value && value->isBool() ? std::optional(value->toBool()) : std::nullopt;
}

// True if the result has the first argument's dtype, or is a bool in any case.
bool keeps_dtype(const c10::FunctionSchema& schema) {
  const auto* first = schema.arguments().at(0).alias_info();
  const aten::ResultDtype dtype = aten::traits_of(schema.name()).dtype;
  return (first && first->isWrite()) || dtype == aten::ResultDtype::Self || dtype == aten::ResultDtype::Bool;
}

bool returns_bool(const jit::Node* node) {
  for (const jit::Value* output : node->outputs()) {
    const auto type = output->type()->cast<c10::TensorType>();
    if (!type || type->scalarType().value_or(at::kBool) == at::kBool) return true;
  }
  return false;
}

// True if the call specifies the dtype of a new tensor; it then no longer depends on the bool.
bool names_dtype(jit::Node* node) {
  const auto dtype = node->maybeSchema()->argumentIndexWithName("dtype");
  if (!dtype) return false;
  if (node->input(*dtype)->type()->kind() != c10::TypeKind::NoneType) return true;
  const jit::WithInsertPoint here(node);
  node->replaceInput(*dtype, node->owningGraph()->insertConstant(at::kBool));
  return true;
}

// For type promotion an integer equals a bool unless all operands are bools.
bool equals_integer(jit::Node* node) {
  return keeps_dtype(*node->maybeSchema()) || !returns_bool(node) || names_dtype(node);
}

bool equals_tensor(jit::Node*) { return true; }

// Replaces the bools by results of `make` if the node then has a schema that `is_equal` accepts.
template <typename Make>
bool replaced(jit::Node* node, const Places& places, const Make& make, bool (*is_equal)(jit::Node*)) {
  std::vector<jit::Value*> before;
  for (const std::size_t i : places) {
    before.push_back(node->input(i));
    const jit::WithInsertPoint here(node);
    node->replaceInput(i, node->owningGraph()->insertConstant(make(*bool_at(node, i))));
  }
  if (node->maybeSchema() && is_equal(node)) return true;
  for (std::size_t i = 0; i < places.size(); ++i) node->replaceInput(places[i], before[i]);
  return false;
}

// Each bool alone, since the others may be real bools; then all of them.
std::vector<Places> choices(const jit::Node* node) {
  Places all;
  for (std::size_t i = 0; i < node->inputs().size(); ++i)
    if (bool_at(node, i)) all.push_back(i);
  std::vector<Places> result;
  for (const std::size_t i : all) result.push_back({i});
  if (all.size() > 1) result.push_back(all);
  return result;
}

}  // namespace

void replace_bool_numbers(jit::Graph& graph) {
  const auto integer = [](bool value) { return static_cast<std::int64_t>(value); };
  const auto tensor = [](bool value) { return at::scalar_tensor(value, at::kBool); };
  for (jit::Node* node : graph.nodes()) {
    if (!node->kind().is_aten() || node->maybeSchema()) continue;
    const std::vector<Places> all = choices(node);
    const auto any = [&](const auto& make, bool (*is_equal)(jit::Node*)) {
      return std::ranges::any_of(all, [&](const Places& places) { return replaced(node, places, make, is_equal); });
    };
    if (all.empty() || any(integer, equals_integer) || any(tensor, equals_tensor)) continue;
    const std::string kind = node->kind().toQualString();
    throw ir::Error(ir::Code::Unsupported, kind + " has a bool as a number argument; use a number or a tensor",
                    {{kind, "a bool is used as a number", "", "", 1}});
  }
}

}  // namespace tonnx::torch
