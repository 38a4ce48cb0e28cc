#include "aten/certain_checks.h"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <vector>

#include "aten/containers.h"
#include "aten/size_checks.h"
#include "aten/traits.h"
#include "ir/checked.h"
#include "ir/constant_facts.h"

namespace tonnx::aten {

using ir::Node;
using ir::Type;
using ir::Value;

namespace {

std::optional<std::int64_t> element_count(const Value& tensor) {
  const auto sizes = tensor.facts().fixed_dims();
  return sizes ? ir::checked_count(*sizes) : std::nullopt;
}

// The operator that returned the tensor, alone or in a list.
const Node* producer(const Value& tensor) {
  const Node* node = tensor.node();
  const bool is_item = node && (acts_as(*node, Container::ListUnpack) || acts_as(*node, Container::Item));
  return is_item ? node->input()->node() : node;
}

// The largest size that data can decide for the tensor.
std::optional<std::int64_t> most_selected(const Value& tensor) {
  const Node* node = producer(tensor);
  if (!node || !selects_elements(*node)) return std::nullopt;
  std::vector<const Value*> masks;
  for (const Value* input : node->inputs()) {
    if (input->type().is_tensor_list() && input->node()) {
      for (const Value* item : input->node()->inputs())
        if (item->facts().dtype == ir::DType::Bool) masks.push_back(item);
    } else if (input->type().is(Type::Kind::Tensor) && input->facts().dtype == ir::DType::Bool) {
      masks.push_back(input);
    }
  }
  if (masks.empty()) masks.push_back(node->input(0));
  std::optional<std::int64_t> most;
  for (const Value* mask : masks) {
    const auto count = element_count(*mask);
    if (!count) return std::nullopt;
    most = std::max(most.value_or(0), *count);
  }
  return most;
}

const Value* tensor_of_size(const Value& number) {
  return number.node() && number.node()->is("aten::size") ? number.node()->input(0) : nullptr;
}

const Value& computed(const Value& number, const Replaced& replaced) {
  const auto found = replaced.find(&number);
  return found == replaced.end() ? number : *found->second;
}

// True if the number is computed from an element of a tensor, or from a size of a tensor that an operator returns.
bool depends_on_data(const Value& number, const Replaced& replaced, std::unordered_set<const Node*>& visited) {
  const Node* node = computed(number, replaced).node();
  if (!node || !visited.insert(node).second) return false;
  const bool reads_size = traits_of(*node).gives_sizes;
  return std::ranges::any_of(node->inputs(), [&](const Value* input) {
    return input->type().is(Type::Kind::Tensor) ? !reads_size || input->node()
                                                : depends_on_data(*input, replaced, visited);
  });
}

}  // namespace

bool is_assumed(const Value& condition, const Replaced& replaced) {
  std::unordered_set<const Node*> visited;
  return condition.constant() && depends_on_data(condition, replaced, visited);
}

bool is_certain(const Value& condition, const Replaced& replaced) {
  if (const ir::Constant* known = condition.constant()) {
    const bool* truth = known->get<bool>();
    if (!truth || !*truth || !is_assumed(condition, replaced)) return truth && *truth;
  }
  const Node* compared = computed(condition, replaced).node();
  if (!compared || compared->input_count() != 2) return false;
  const Value* sized = tensor_of_size(computed(*compared->input(0), replaced));
  const ir::Constant* bound = compared->input(1)->constant();
  if (!sized || !bound) return false;
  const std::int64_t* limit = bound->get<std::int64_t>();
  if (!limit) return false;
  if (compared->is("aten::ge")) return *limit <= 0;
  if (compared->is("aten::gt")) return *limit < 0;
  const auto most = most_selected(*sized);
  if (compared->is("aten::le")) return most && *limit >= *most;
  return compared->is("aten::lt") && most && *limit > *most;
}

}  // namespace tonnx::aten
