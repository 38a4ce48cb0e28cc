// Raises an exception before an operator that LibTorch refuses in every run that reaches it. Then fold_control_flow()
// drops the branch of the operator. An integer division by 0 of a tensor without elements becomes one by 1: LibTorch
// runs it, and ONNX Runtime may not.
//
// Needs facts, and a program without writes: a dropped branch is never restored, so ranks must be those of every run.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "aten/ranks.h"
#include "aten/zero_divisors.h"
#include "ir/observer.h"
#include "ir/refusal.h"
#include "ir/writes.h"
#include "program/control/passes.h"
#include "program/control/raising.h"

namespace tonnx::program {

using ir::Node;

namespace {

// A constant 1 with the type and shape of a divisor; nothing if its shape is dynamic.
std::optional<ir::Constant> one_like(const ir::Value& divisor) {
  if (const ir::Constant* known = divisor.constant(); known && !known->get<ir::Tensor>())
    return known->get<bool>() ? ir::Constant{true} : ir::Constant{std::int64_t{1}};
  const auto dims = divisor.facts().fixed_dims();
  if (!dims) return std::nullopt;
  ir::Tensor one = ir::Tensor::scalar(divisor.facts().dtype, std::int64_t{1});
  one.dims = *dims;
  one.strides.assign(dims->size(), 0);
  return ir::Constant{one.contiguous()};
}

}  // namespace

bool raise_refused(ir::Graph& graph, std::vector<std::string>* warnings) {
  if (has_writes(graph)) return false;
  std::vector<std::pair<Node*, std::string>> refused;
  std::vector<std::pair<Node*, ir::Constant>> empty;
  for_each_node(graph.block(), [&](Node* node) {
    const Node* owner = node->parent()->owner();
    const bool is_branch = owner && owner->is("prim::If");
    const bool divides = aten::divides_by_zero(*node), is_empty = divides && aten::divides_nothing(*node);
    if (is_empty) {
      if (auto one = one_like(*node->input(1))) {
        empty.emplace_back(node, std::move(*one));
        return;
      }
    }
    if (divides && (!is_branch || is_empty))
      throw ir::refusal(*node,
                        "it divides an integer by 0; divide floating-point numbers, or put the division into a branch "
                        "that is taken for other divisors only");
    if (is_branch && (divides || aten::refuses_rank(*node)) && !always_raises(*node->parent()))
      refused.emplace_back(node, divides ? std::string(node->kind()) + " divides an integer by 0" : "");
  });
  for (auto& [node, one] : empty) {
    Node* divisor = graph.create_constant(std::move(one));
    divisor->insert_before(node);
    node->set_input(1, divisor->output());
  }
  for (const auto& [node, message] : refused) {
    raise_before(*node, message);
    if (warnings)
      ir::warn(*warnings, ir::Category::Sizes, node->location(),
               ir::describe_site(*node) + ": the program fails if it reaches this" +
                   (message.empty() ? "" : " (" + message + ")") +
                   "; the model does not check it, and its results are then undefined");
  }
  return !refused.empty() || !empty.empty();
}

}  // namespace tonnx::program
