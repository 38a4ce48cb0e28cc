#include "aten/settled_facts.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "ir/constant_facts.h"

namespace tonnx::aten {
namespace {

using ir::DType;
using ir::Facts;
using ir::Node;
using ir::Type;
using ir::Value;

// The last states of recurrent networks are as the first ones; documents give them an axis too many.
void like_first_states(Node& node) {
  const Value* first = node.input("hx");
  for (std::size_t i = 1; first && i < node.output_count(); ++i) {
    const Value* state = first->type().is_tensor_list() ? first->node()->input(i - 1) : first;
    Facts facts = state->facts();
    facts.constant = nullptr;
    node.output(i)->set_facts(std::move(facts));
  }
}

// New statistics are of the old ones' dtype, whatever the input's is.
void like_old_statistics(Node& node) {
  const std::size_t last = node.output_count() - 1;
  node.output(last - 1)->facts().dtype = node.input("running_mean")->facts().dtype;
  node.output(last)->facts().dtype = node.input("running_var")->facts().dtype;
}

// The results after the first are places and counts.
void places_and_counts(Node& node) {
  for (std::size_t i = 1; i < node.output_count(); ++i) node.output(i)->facts().dtype = DType::Int64;
}

// Counts, or sums of weights: float32 as they are, all others as float64.
void counts_or_sums(Node& node) {
  const Value* weights = node.input("weights");
  const bool counts = ir::is_none(weights);
  const bool single = weights->facts().dtype == DType::Float32;
  node.output()->facts().dtype = counts ? DType::Int64 : single ? DType::Float32 : DType::Float64;
}

// PyTorch tells the dtype of the argument.
void truth(Node& node) { node.output()->facts().dtype = DType::Bool; }

struct Rule {
  std::string_view op;
  void (*settle)(Node&);
};

constexpr Rule kRules[] = {
    {"aten::_batch_norm_with_update_functional", like_old_statistics},
    {"aten::_native_batch_norm_legit_functional", like_old_statistics},
    {"aten::_unique2", places_and_counts},
    {"aten::bincount", counts_or_sums},
    {"aten::gru", like_first_states},
    {"aten::lstm", like_first_states},
    {"aten::rnn_relu", like_first_states},
    {"aten::rnn_tanh", like_first_states},
    {"aten::signbit", truth},
    {"aten::unique_consecutive", places_and_counts},
    {"aten::unique_dim", places_and_counts},
    {"aten::unique_dim_consecutive", places_and_counts},
};

}  // namespace

std::vector<const Value*> settle_facts(Node& node) {
  const auto rule = std::ranges::find(kRules, node.kind(), &Rule::op);
  if (rule == std::end(kRules)) return {};
  std::vector<Facts> told;
  for (const Value* result : node.outputs()) told.push_back(result->facts());
  rule->settle(node);
  std::vector<const Value*> others;
  for (std::size_t i = 0; i < told.size(); ++i) {
    const Facts& settled = node.output(i)->facts();
    if (told[i].has_rank() && settled.has_rank() && told[i].rank() != settled.rank()) others.push_back(node.output(i));
  }
  return others;
}

}  // namespace tonnx::aten
