#include "exported/correct_facts.h"

#include <algorithm>
#include <string_view>

namespace tonnx::exported {

using ir::Facts;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

// PyTorch's documents have an axis too many for the last states of recurrent networks, which are as the first ones are.
void correct_states(Node& node) {
  const Value* first = node.input("hx");
  for (std::size_t i = 1; first && i < node.output_count(); ++i) {
    const Value* state = first->type().is_tensor_list() ? first->node()->input(i - 1) : first;
    Facts facts = state->facts();
    facts.constant = nullptr;
    node.output(i)->set_facts(std::move(facts));
  }
}

}  // namespace

void correct_facts(Node& node) {
  constexpr std::string_view kRecurrent[] = {"aten::lstm", "aten::gru", "aten::rnn_tanh", "aten::rnn_relu"};
  constexpr std::string_view kDistinct[] = {"aten::_unique2", "aten::unique_dim", "aten::unique_consecutive",
                                            "aten::unique_dim_consecutive"};
  const auto is_one_of = [&](const auto& kinds) { return std::ranges::find(kinds, node.kind()) != std::end(kinds); };
  if (is_one_of(kRecurrent)) correct_states(node);
  if (is_one_of(kDistinct))
    for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) node.output(i)->facts().dtype = ir::DType::Int64;
  if (node.is("aten::bincount")) {
    const Value* weights = node.input("weights");
    const bool counts = weights->type().is(Type::Kind::None) || (weights->constant() && weights->constant()->is_none());
    const bool single = weights->facts().dtype == ir::DType::Float32;
    node.output()->facts().dtype = counts ? ir::DType::Int64 : single ? ir::DType::Float32 : ir::DType::Float64;
  }
}

}  // namespace tonnx::exported
