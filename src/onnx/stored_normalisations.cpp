#include "onnx/stored_normalisations.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "ir/normalised.h"

namespace tonnx::onnx {
namespace {

using ir::Node;
using ir::Value;

template <class T>
const T* storage_as(const Value* value) {
  return value && value->weight() ? dynamic_cast<const T*>(value->weight()->storage.get()) : nullptr;
}

const ir::NormalisedWeight* normalised(const Value* value, std::uint64_t least) {
  const auto* found = storage_as<ir::NormalisedWeight>(value);
  return found && found->size() >= least && !found->weight().storage->path().empty() ? found : nullptr;
}

class Restorer {
 public:
  explicit Restorer(ir::Graph& graph) : graph_(graph) {
    for (const Value* weight : graph.weights()) names_.insert(weight->name());
    for (const Value* input : graph.inputs()) names_.insert(input->name());
    ir::for_each_node(graph.block(), [&](const Node* node) {
      for (const Value* output : node->outputs()) names_.insert(output->name());
    });
  }

  void restore(Value& weight, const ir::NormalisedWeight& stored) {
    Node& node = *weight.uses()[0].node;
    const ir::Normalisation& normalisation = stored.normalisation();
    Node* norm = graph_.create("onnx::BatchNormalization", {});
    norm->set_attribute("epsilon", normalisation.epsilon);
    norm->set_location(node.location());
    Value* result = norm->output();
    result->set_type(node.output()->type());
    result->set_facts(node.output()->facts());
    result->set_name(node.output()->name());
    node.output()->replace_uses(result);
    node.output()->set_name(unique(result->name() + ".before"));
    norm->add_input(node.output());
    const std::array<const ir::Tensor*, 4> tensors{&normalisation.scale, &normalisation.shift, &normalisation.mean,
                                                   &normalisation.variance};
    for (std::size_t i = 0; i < tensors.size(); ++i)
      norm->add_input(
          vector(normalisation.names[i].empty() ? stored.name() + ".constant" : normalisation.names[i], *tensors[i]));
    norm->insert_after(&node);
    restore_bias(node);
    if (weight.has_made_up_name()) weight.set_name(unique(stored.name()));
    weight.set_weight(ir::Tensor(stored.weight()));
  }

 private:
  void restore_bias(Node& node) {
    Value* value = node.input(2);
    const auto stored = std::dynamic_pointer_cast<const ir::NormalisedBias>(value->weight()->storage);
    if (stored->bias()) {
      node.set_input(2, vector(value->has_made_up_name() ? stored->name() : value->name(), *stored->bias()));
    } else {
      node.remove_input(2);
    }
    if (value->is_unused()) graph_.remove_weight(value);
  }

  // Normalisations that share a weight share the new weight too.
  Value* vector(const std::string& name, const ir::Tensor& tensor) {
    for (auto [at, end] = made_.equal_range(name); at != end; ++at)
      if (at->second->weight()->same_view(tensor)) return at->second;
    Value* made = graph_.add_weight(unique(name), tensor);
    made_.emplace(name, made);
    return made;
  }

  std::string unique(const std::string& wanted) {
    std::string name = wanted;
    for (int i = 1; !names_.insert(name).second; ++i) name = wanted + "_" + std::to_string(i);
    return name;
  }

  ir::Graph& graph_;
  std::set<std::string> names_;
  std::multimap<std::string, Value*> made_;
};

}  // namespace

bool has_normalised_weights(const ir::Graph& graph, std::uint64_t least) {
  return std::ranges::any_of(graph.weights(), [&](const Value* weight) { return normalised(weight, least); });
}

void restore_normalisations(ir::Graph& graph, std::uint64_t least) {
  Restorer restorer(graph);
  std::vector<Value*> weights;  // restoring a weight also restores its bias, which may come later
  std::ranges::copy_if(graph.weights(), std::back_inserter(weights),
                       [&](Value* weight) { return normalised(weight, least); });
  for (Value* weight : weights) {
    const ir::Tensor held = *weight->weight();
    restorer.restore(*weight, static_cast<const ir::NormalisedWeight&>(*held.storage));
  }
}

}  // namespace tonnx::onnx
