#include "program/operand.h"

#include "aten/containers.h"
#include "ir/refusal.h"

namespace tonnx::program {

namespace {

bool is_return(const ir::Node& node) { return node.is("prim::Return"); }

}  // namespace

const ir::Node* next_operator(const ir::Node* node) {
  while (node && node->is("prim::Constant")) node = node->next();
  return node;
}

Operand operand_of(const ir::Node& node, std::size_t input) {
  const ir::Node* taker = &node;
  std::string item;
  if (aten::acts_as(node, aten::Container::List) && !node.output()->is_unused()) {
    const ir::Use& use = node.output()->uses().front();
    item = ", item " + std::to_string(input);
    taker = use.node;
    input = use.index;
  }
  if (is_return(*taker)) return {taker, "output " + std::to_string(input) + item};
  const ir::Schema* schema = taker->schema();
  return {taker, (schema && input < schema->arguments.size() ? "argument " + schema->arguments[input].name
                                                             : "operand " + std::to_string(input)) +
                     item};
}

ir::Error refusal(const Operand& operand, const std::string& reason) {
  const std::string message = operand.name + ": " + reason;
  return is_return(*operand.node) ? ir::Error(ir::Code::Unsupported, message) : refusal(*operand.node, message);
}

}  // namespace tonnx::program
