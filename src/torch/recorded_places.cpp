#include "torch/recorded_places.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "ir/text.h"
#include "torch/convert.h"
#include "torch/place_file.h"
#include "torch/trace.h"

namespace tonnx::torch {

namespace jit = ::torch::jit;

namespace {

constexpr std::size_t kOperands = 3;  // operands printed for one operator

std::string type_of(const jit::Value& value) {
  const auto type = value.type()->cast<c10::TensorType>();
  const auto sizes = type ? type->sizes().concrete_sizes() : std::nullopt;
  if (!sizes || !type->scalarType()) return "tensor";
  return ir::format_type(dtype_of(*type->scalarType()), *sizes);
}

template <class Visit>
void for_each_operand(const jit::Node& node, const Visit& visit) {
  for (const jit::Value* input : node.inputs()) {
    if (input->type()->cast<c10::TensorType>())
      visit(*input);
    else if (input->node()->kind() == c10::prim::ListConstruct)
      for_each_operand(*input->node(), visit);
  }
}

}  // namespace

RecordedPlaces::RecordedPlaces(jit::Graph& graph, const TraceMemory& memory) : graph_(graph), memory_(memory) {
  std::size_t number = 0;
  for (const jit::Node* node : graph.nodes())
    if (is_recorded_operator(*node)) numbers_[node] = ++number;
  const std::vector<TraceMemory::Weight>& weights = memory.weights();
  const std::size_t first = graph.inputs().size() - weights.size();
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (const std::size_t dot = weights[i].name.rfind('.'); dot != std::string::npos)
      owners_[graph.inputs()[first + i]] = weights[i].name.substr(0, dot);
}

std::string RecordedPlaces::of(const jit::Node& node) const {
  const auto number = numbers_.find(&node);
  if (number == numbers_.end()) return {};
  std::string text = "operator " + std::to_string(number->second) + " of the recording";
  std::size_t printed = 0;
  for_each_operand(node, [&](const jit::Value& value) {
    if (++printed > kOperands + 1) return;
    text += printed == 1 ? ", on " : ", ";
    text += printed > kOperands ? "..." : operand(value);
  });
  return text;
}

std::string RecordedPlaces::operand(const jit::Value& value) const {
  const auto number = numbers_.find(value.node());
  if (number != numbers_.end()) return "the " + type_of(value) + " of operator " + std::to_string(number->second);
  return (value.node()->kind() == c10::prim::Param ? memory_.describe(&value) : std::string("a constant")) + " " +
         type_of(value);
}

// Empty if there are several or none.
std::string RecordedPlaces::owner_of(const jit::Node& node) const {
  std::optional<std::string> owner;
  for_each_operand(node, [&](const jit::Value& value) {
    const auto known = owners_.find(&value);
    if (known != owners_.end()) owner = !owner || *owner == known->second ? known->second : std::string();
  });
  return owner.value_or("");
}

void RecordedPlaces::write() {
  for (jit::Node* node : graph_.nodes()) {
    if (const std::string text = of(*node); !text.empty())
      node->setSourceRange({std::make_shared<jit::Source>(text, kPlaceFile, 0), 0, text.size()});
    const std::string owner = owner_of(*node), outer = module_of(node->scope());
    if (owner.size() > outer.size() && (outer.empty() || owner.starts_with(outer + ".")))
      node->setScope(node->scope()->push(
          c10::Symbol::scope(TraceScope{"Module", outer.empty() ? owner : owner.substr(outer.size() + 1)}.text())));
  }
}

}  // namespace tonnx::torch
