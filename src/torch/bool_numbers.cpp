#include "torch/bool_numbers.h"

#include <torch/csrc/jit/ir/constants.h>

#include <string>

#include "aten/traits.h"
#include "ir/error.h"

namespace tonnx::torch {

namespace jit = ::torch::jit;

namespace {

// Whether the result has the first argument's dtype, which is written to or decides alone.
bool keeps_dtype(const c10::FunctionSchema& schema) {
  const auto* first = schema.arguments().at(0).alias_info();
  return (first && first->isWrite()) || aten::traits_of(schema.name()).dtype == aten::ResultDtype::Self;
}

}  // namespace

void replace_bool_numbers(jit::Graph& graph) {
  for (jit::Node* node : graph.nodes()) {
    if (!node->kind().is_aten() || node->maybeSchema()) continue;
    for (std::size_t i = 0; i < node->inputs().size(); ++i) {
      const auto value = jit::toIValue(node->input(i));
      if (!value || !value->isBool()) continue;
      jit::Value* before = node->input(i);
      const jit::WithInsertPoint here(node);
      node->replaceInput(i, graph.insertConstant(static_cast<std::int64_t>(value->toBool())));
      if (!node->maybeSchema()) {
        node->replaceInput(i, before);
        continue;
      }
      const std::string kind = node->kind().toQualString();
      if (!keeps_dtype(*node->maybeSchema()))
        throw ir::Error(ir::Code::Unsupported, kind + " got a bool as a number; give a number or a tensor",
                        {{kind, "a bool was given as a number", "", "", 1}});
      break;
    }
  }
}

}  // namespace tonnx::torch
