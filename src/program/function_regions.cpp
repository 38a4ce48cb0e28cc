#include "program/function_regions.h"

#include <vector>

#include "ir/function_region.h"
#include "ir/refusal.h"

namespace tonnx::program {

using ir::Node;

void resolve_functions(ir::Graph& graph, const std::function<bool(const std::string& name)>& keep) {
  std::vector<Node*> begins;
  for (Node* node : graph.block().nodes()) {
    if (node->is(ir::kFunctionBegin)) begins.push_back(node);
    if (!node->is(ir::kFunctionEnd)) continue;
    const std::string name = ir::function_name(*node);
    if (keep(name)) {
      const auto* shared = node->attribute_as<std::vector<std::int64_t>>(ir::kSharedOutputs);
      if (!shared || shared->empty()) continue;
      throw ir::refusal(*node, "output " + std::to_string(shared->front()) + " of function '" + name +
                                   "' shares memory with another tensor while it is written to, so a symbolic cannot "
                                   "replace the function; return a copy (clone()), or remove its symbolic and leave "
                                   "autograd_inlining on");
    }
    for (std::size_t i = 0; i < node->output_count(); ++i) node->output(i)->replace_uses(node->input(i));
    node->erase();
  }
  for (Node* begin : begins) {
    bool is_used = false;
    for (const ir::Value* output : begin->outputs()) is_used = is_used || !output->is_unused();
    if (!is_used) begin->erase();
  }
}

}  // namespace tonnx::program
