#include "optimize/passes.h"
#include "optimize/reads.h"

namespace tonnx::optimize {

bool store_constants(ir::Graph& model) {
  std::vector<ir::Node*> found;
  ir::for_each_node(model.block(), [&](ir::Node* node) {
    const ir::Tensor* tensor = node->is("onnx::Constant") ? node->attribute_as<ir::Tensor>("value") : nullptr;
    if (tensor && !ir::is_floating(tensor->dtype)) found.push_back(node);
  });
  for (ir::Node* node : found) {
    ir::Value* weight = model.add_weight("constant", *node->attribute_as<ir::Tensor>("value"), true);
    weight->facts().constant = node->output()->facts().constant;
    if (!is_block_output(node->output())) {
      node->output()->replace_uses(weight);
      node->erase();
    } else {
      node->set_kind("onnx::Identity");
      node->remove_attribute("value");
      node->add_input(weight);
    }
  }
  return !found.empty();
}

}  // namespace tonnx::optimize
