#include "onnx/stored_operators.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "ir/folded.h"
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

// The result of a folded operator if the tensor has all its elements in their order, whatever its sizes.
const ir::Folded* folded_of(const ir::Tensor& tensor) {
  const auto* found = dynamic_cast<const ir::Folded*>(tensor.storage.get());
  return found && tensor.is_contiguous() && tensor.bytes() == found->size() ? found : nullptr;
}

bool reads_file(const ir::Folded& folded) {
  return std::ranges::any_of(folded.op().operands, [](const ir::Folded::Operand& operand) {
    const ir::Folded* inner = folded_of(operand.tensor);
    return inner ? reads_file(*inner) : !operand.tensor.storage->path().empty();
  });
}

const ir::Folded* folded(const Value* weight, std::uint64_t least) {
  const ir::Folded* found = folded_of(*weight->weight());
  return found && found->size() >= least && reads_file(*found) ? found : nullptr;
}

class Restorer {
 public:
  explicit Restorer(ir::Graph& graph) : graph_(graph) {
    for (Value* weight : graph.weights()) {
      names_.insert(weight->name());
      made_.emplace(weight->name(), weight);
    }
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
      norm->add_input(weight_of(normalisation.names[i].empty() ? stored.name() + ".constant" : normalisation.names[i],
                                *tensors[i]));
    norm->insert_after(&node);
    restore_bias(node);
    if (weight.has_made_up_name()) weight.set_name(unique(stored.name()));
    weight.set_weight(ir::Tensor(stored.weight()));
  }

  void restore(Value& weight, const ir::Folded& stored) {
    std::vector<Node*> nodes;
    weight.replace_uses(result_of(stored, weight.weight()->dims, weight.name(), nodes));
    for (std::size_t i = nodes.size(); i-- > 0;) graph_.block().prepend(nodes[i]);
    remove_unused(weight);
  }

 private:
  // Appends the nodes that compute the weight, in their order, and reshape it to `dims`.
  Value* result_of(const ir::Folded& stored, const std::vector<std::int64_t>& dims, const std::string& weight,
                   std::vector<Node*>& nodes) {
    Node* node = graph_.create(stored.op().kind, {});
    for (const ir::Folded::Operand& operand : stored.op().operands) {
      const std::string name = operand.name.empty() ? weight + ".constant" : operand.name;
      const ir::Folded* inner = folded_of(operand.tensor);
      node->add_input(inner ? result_of(*inner, operand.tensor.dims, name, nodes) : weight_of(name, operand.tensor));
    }
    for (const auto& [attribute, value] : stored.op().attributes) node->set_attribute(attribute, value);
    append(node, stored.dtype(), stored.dims(), weight, nodes);
    if (dims == stored.dims()) return node->output();
    Value* shape = graph_.add_weight(unique(weight + ".shape"), ir::Tensor::of_int64(dims));
    Node* reshape = graph_.create("onnx::Reshape", std::vector{node->output(), shape});
    append(reshape, stored.dtype(), dims, weight, nodes);
    return reshape->output();
  }

  void append(Node* node, ir::DType dtype, const std::vector<std::int64_t>& dims, const std::string& weight,
              std::vector<Node*>& nodes) {
    node->output()->set_name(unique(weight + ".result"));
    node->output()->set_facts({dtype, std::vector<ir::Dim>(dims.begin(), dims.end()), nullptr});
    nodes.push_back(node);
  }

  // Removes an unused weight. Others may get its name.
  void remove_unused(Value& weight) {
    if (!weight.is_unused()) return;
    const auto [begin, end] = made_.equal_range(weight.name());
    const auto found = std::find_if(begin, end, [&](const auto& made) { return made.second == &weight; });
    if (found != end) made_.erase(found);
    graph_.remove_weight(&weight);
  }

  void restore_bias(Node& node) {
    Value* value = node.input(2);
    const auto stored = std::dynamic_pointer_cast<const ir::NormalisedBias>(value->weight()->storage);
    if (stored->bias()) {
      node.set_input(2, weight_of(value->has_made_up_name() ? stored->name() : value->name(), *stored->bias()));
    } else {
      node.remove_input(2);
    }
    remove_unused(*value);
  }

  // Returns a weight with this tensor. Reuses one of the same name and view.
  Value* weight_of(const std::string& name, const ir::Tensor& tensor) {
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

// Restores the weights whose storage `find` returns.
template <class Stored>
void restore_all(ir::Graph& graph, std::uint64_t least, const Stored* (*find)(const Value*, std::uint64_t)) {
  Restorer restorer(graph);
  std::vector<Value*> weights;  // restoring a weight may also change another one, which may come later
  std::ranges::copy_if(graph.weights(), std::back_inserter(weights),
                       [&](Value* weight) { return find(weight, least); });
  for (Value* weight : weights) {
    const ir::Tensor held = *weight->weight();
    restorer.restore(*weight, static_cast<const Stored&>(*held.storage));
  }
}

}  // namespace

bool is_folded_from_file(const ir::Tensor& tensor) {
  const auto* found = dynamic_cast<const ir::Folded*>(tensor.storage.get());
  return found && reads_file(*found);
}

bool has_folded_weights(const ir::Graph& graph, std::uint64_t least) {
  return std::ranges::any_of(graph.weights(),
                             [&](const Value* weight) { return normalised(weight, least) || folded(weight, least); });
}

void restore_normalisations(ir::Graph& graph, std::uint64_t least) { restore_all(graph, least, normalised); }

void restore_operators(ir::Graph& graph, std::uint64_t least) { restore_all(graph, least, folded); }

}  // namespace tonnx::onnx
