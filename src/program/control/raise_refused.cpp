// Raises an exception before an operator that LibTorch refuses in every run that reaches it. Then fold_control_flow()
// drops the branch of the operator.
//
// Needs facts, and a program without writes: a dropped branch is never restored, so ranks must be those of every run.
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

bool raise_refused(ir::Graph& graph, std::vector<std::string>* warnings) {
  if (has_writes(graph)) return false;
  std::vector<std::pair<Node*, std::string>> refused;
  for_each_node(graph.block(), [&](Node* node) {
    const Node* owner = node->parent()->owner();
    const bool is_branch = owner && owner->is("prim::If");
    const bool divides = aten::divides_by_zero(*node);
    if (divides && (!is_branch || aten::divides_nothing(*node)))
      throw ir::refusal(*node,
                        "it divides an integer by 0; divide floating-point numbers, or put the division into a branch "
                        "that is taken for other divisors only");
    if (is_branch && (divides || aten::refuses_rank(*node)) && !always_raises(*node->parent()))
      refused.emplace_back(node, divides ? std::string(node->kind()) + " divides an integer by 0" : "");
  });
  for (const auto& [node, message] : refused) {
    raise_before(*node, message);
    if (warnings)
      ir::warn(*warnings, ir::Category::Sizes,
               ir::describe_site(*node) + ": the program fails if it reaches this" +
                   (message.empty() ? "" : " (" + message + ")") +
                   "; the model does not check it, and its results are then undefined");
  }
  return !refused.empty();
}

}  // namespace tonnx::program
