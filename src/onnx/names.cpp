#include "onnx/names.h"

#include "ir/error.h"

namespace tonnx::onnx {

Names::Names(const ir::Graph& graph) {
  for (const ir::Value* weight : graph.weights()) taken_.insert(weight->name());
  collect(graph.block());
  for (const ir::Value* weight : graph.weights()) name(*weight);
  name(graph.block());
}

const std::string& Names::of(const ir::Value* value) const {
  static const std::string kAbsent;
  if (!value) return kAbsent;
  const auto found = names_.find(value);
  if (found == names_.end()) {
    throw ir::Error(ir::Code::Internal, "value " + std::to_string(value->id()) + " is used but not defined");
  }
  return found->second;
}

const std::string* Names::copy(const ir::Block& block, std::size_t i) const {
  const auto found = copies_.find(&block);
  return found == copies_.end() || found->second.at(i).empty() ? nullptr : &found->second[i];
}

void Names::collect(const ir::Block& block) {
  for (const ir::Value* input : block.inputs()) taken_.insert(input->name());
  for (const ir::Node* node : block.nodes()) {
    for (const ir::Value* output : node->outputs()) taken_.insert(output->name());
    for (const ir::Block* inner : node->blocks()) collect(*inner);
  }
}

void Names::name(const ir::Block& block) {
  const std::size_t outside = entered_.size();
  for (const ir::Value* input : block.inputs()) name(*input);
  for (const ir::Node* node : block.nodes()) {
    for (const ir::Value* output : node->outputs()) name(*output);
    for (const ir::Block* inner : node->blocks()) name(*inner);
  }
  if (block.owner()) name_copies(block);
  // Names of a block end with it: both branches of an If may use the same name.
  for (; entered_.size() > outside; entered_.pop_back()) scope_.erase(*entered_.back());
}

void Names::name_copies(const ir::Block& block) {
  std::vector<std::string> copies;
  for (const ir::Value* output : block.outputs()) {
    const ir::Node* maker = output ? output->node() : nullptr;
    const bool own = maker && (maker->parent() == &block || maker == block.params());
    copies.push_back(own || !output ? std::string() : fresh());
  }
  copies_.emplace(&block, std::move(copies));
}

std::string Names::fresh() {
  std::string name;
  do {
    name = std::to_string(next_++);
  } while (!taken_.insert(name).second);
  return name;
}

void Names::name(const ir::Value& value) {
  std::string name = value.name().empty() ? fresh() : value.name();
  if (!scope_.insert(name).second) throw ir::Error(ir::Code::Internal, "two values are named " + name);
  entered_.push_back(&names_.emplace(&value, std::move(name)).first->second);
}

}  // namespace tonnx::onnx
