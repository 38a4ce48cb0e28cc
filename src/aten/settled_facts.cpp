#include "aten/settled_facts.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "ir/constant_facts.h"

namespace tonnx::aten {
namespace {

using ir::Dim;
using ir::DType;
using ir::Facts;
using ir::Node;
using ir::Type;
using ir::Value;

// The final states of recurrent networks have the shape of the initial ones; archives declare one axis too many.
void like_first_states(Node& node) {
  const Value* first = node.input("hx");
  for (std::size_t i = 1; first && i < node.output_count(); ++i) {
    const Value* state = first->type().is_tensor_list() ? first->node()->input(i - 1) : first;
    Facts facts = state->facts();
    facts.constant = nullptr;
    node.output(i)->set_facts(std::move(facts));
  }
}

// New statistics have the dtype of the old ones, whatever the input's dtype is.
void like_old_statistics(Node& node) {
  const std::size_t last = node.output_count() - 1;
  node.output(last - 1)->facts().dtype = node.input("running_mean")->facts().dtype;
  node.output(last)->facts().dtype = node.input("running_var")->facts().dtype;
}

// The results after the first are indices and counts: int64.
void places_and_counts(Node& node) {
  for (std::size_t i = 1; i < node.output_count(); ++i) node.output(i)->facts().dtype = DType::Int64;
}

// For slices along the last axis with a negative axis argument, PyTorch declares the input's sizes a second time after
// those of the slices.
void slices_places_and_counts(Node& node) {
  places_and_counts(node);
  const auto& given = node.input(0)->facts().dims;
  auto& declared = node.output()->facts().dims;
  if (given && declared && !ir::is_none(node.input("dim")) && declared->size() > given->size())
    declared->resize(given->size());
}

// Counts, or sums of weights: float32 stays float32, all other dtypes become float64.
void counts_or_sums(Node& node) {
  const Value* weights = node.input("weights");
  const bool counts = ir::is_none(weights);
  const bool single = weights->facts().dtype == DType::Float32;
  node.output()->facts().dtype = counts ? DType::Int64 : single ? DType::Float32 : DType::Float64;
}

// PyTorch declares the dtype of the argument.
void truth(Node& node) { node.output()->facts().dtype = DType::Bool; }

// An attention head returns as many elements as a value has, and cached values have the same width; PyTorch declares
// the width of queries and keys.
void width_of_values(Node& node) {
  const auto& values = node.input("V")->facts().dims;
  const bool joined = values && values->size() == 3;  // the heads of a position are contiguous
  const auto heads = ir::constant_integer(node.input("q_num_heads")),
             shared = ir::constant_integer(node.input("kv_num_heads"));
  Dim head, whole;
  if (values && values->size() == 4) {
    head = whole = values->back();
  } else if (joined && heads && shared && *heads > 0 && *shared > 0) {
    const Dim& width = values->back();
    if (width.is_fixed()) head = Dim(width.size() / *shared), whole = Dim(head.size() * *heads);
    if (heads == shared) whole = width;
  }
  constexpr std::size_t kResult = 0, kKept = 2;
  for (const auto& [place, width] : {std::pair(kResult, whole), std::pair(kKept, head)})
    if (place < node.output_count() && node.output(place)->facts().dims && !node.output(place)->facts().dims->empty())
      node.output(place)->facts().dims->back() = width;
}

// True if all declared sizes are right.
bool same_shape(const Facts& declared, const Facts& settled) {
  if (!declared.has_rank() || !settled.has_rank()) return true;
  const auto agree = [](const Dim& one, const Dim& other) { return one.is_unknown() || one.same(other); };
  return std::ranges::equal(*declared.dims, *settled.dims, agree);
}

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
    {"aten::unique_consecutive", slices_places_and_counts},
    {"aten::unique_dim", places_and_counts},
    {"aten::unique_dim_consecutive", places_and_counts},
    {"onnx::Attention", width_of_values},
};

}  // namespace

std::vector<const Value*> settle_facts(Node& node) {
  const auto rule = std::ranges::find(kRules, node.kind(), &Rule::op);
  if (rule == std::end(kRules)) return {};
  std::vector<Facts> declared;
  for (const Value* result : node.outputs()) declared.push_back(result->facts());
  rule->settle(node);
  std::vector<const Value*> others;
  for (std::size_t i = 0; i < declared.size(); ++i)
    if (!same_shape(declared[i], node.output(i)->facts())) others.push_back(node.output(i));
  return others;
}

}  // namespace tonnx::aten
