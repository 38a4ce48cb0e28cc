#include <algorithm>
#include <unordered_map>

#include "ir/constant_facts.h"
#include "ir/observer.h"
#include "optimize/fold_kernels.h"
#include "optimize/passes.h"
#include "optimize/reads.h"

namespace tonnx::optimize {
namespace {

using ir::Node;
using ir::Tensor;
using ir::Value;

// A larger computed result stays an operator, because the memory of an export must not grow with the weights.
constexpr std::size_t kComputedBytes = std::size_t{8} << 20;
// A result up to this size is a Constant node; a larger one is an initializer.
constexpr std::size_t kInlineBytes = 1024;

std::string suffix_of(const Node& node) {
  std::string op(node.op());
  std::transform(op.begin(), op.end(), op.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (op == "transpose") return ".transposed";
  if (op == "unsqueeze" || op == "squeeze" || op == "flatten" || op == "reshape") return ".reshaped";
  return "." + op;
}

class Folder {
 public:
  Folder(ir::Graph& model, bool weights, std::int32_t opset) : model_(model), weights_(weights), opset_(opset) {}

  bool run() {
    for_each_node(model_.block(), [this](Node* node) {
      ir::checkpoint();
      if (node->domain() == "onnx" && node->blocks().empty() && node->input_count() > 0) fold(*node);
    });
    return changed_;
  }

 private:
  bool gather_inputs(const Node& node, std::vector<const Tensor*>& tensors, const Value*& weight) const {
    for (const Value* in : node.inputs()) {
      if (!in) {
        tensors.push_back(nullptr);
      } else if (ir::is_packed(in->facts().dtype)) {
        return false;  // its elements have no address
      } else if (const Tensor* t = constant_tensor(in)) {
        tensors.push_back(t);
      } else if (in->weight() && weights_) {
        tensors.push_back(in->weight());
        if (!weight) weight = in;
      } else {
        return false;
      }
    }
    return true;
  }

  // True if a weight is also used unchanged, so that folding a change of its layout would store it twice.
  bool would_duplicate(const Value& weight) const {
    if (weight.weight()->bytes() <= kInlineBytes) return false;
    for (const ir::Use& use : weight.uses()) {
      if (use.node->domain() != "onnx" || use.index != 0) return true;
      std::vector<const Tensor*> tensors;
      const Value* first = nullptr;
      if (!gather_inputs(*use.node, tensors, first)) return true;
    }
    return false;
  }

  // The bytes of weights that no other node reads.
  static std::size_t freed_by(const Node& node) {
    std::size_t bytes = 0;
    std::vector<const Value*> seen;
    for (const Value* in : node.inputs()) {
      if (!in || !in->weight() || std::ranges::find(seen, in) != seen.end()) continue;
      seen.push_back(in);
      if (std::ranges::all_of(in->uses(), [&](const ir::Use& use) { return use.node == &node; }))
        bytes += in->weight()->bytes();
    }
    return bytes;
  }

  // Nullopt if the model would grow because a weight is also used unchanged.
  std::optional<std::vector<Tensor>> computed(const Node& node, const std::vector<const Tensor*>& tensors,
                                              const Value* weight) const {
    const bool is_shared = weight && would_duplicate(*weight);
    const std::size_t freed = freed_by(node);
    if (is_shared && freed == 0) return std::nullopt;
    auto results = fold_compute(node, tensors, kComputedBytes);
    if (!results) results = fold_function(node, tensors, kComputedBytes, opset_);
    std::size_t made = 0;
    for (std::size_t i = 0; results && i < results->size(); ++i) made += (*results)[i].bytes();
    if (is_shared && made > freed) return std::nullopt;
    return results;
  }

  void fold(Node& node) {
    if (std::ranges::any_of(node.outputs(), is_block_output)) return;  // an output of the model keeps its node
    std::vector<const Tensor*> tensors;
    const Value* weight = nullptr;
    if (!gather_inputs(node, tensors, weight)) return;
    std::optional<std::vector<Tensor>> results;
    const bool layout_of_weight = weight && node.input(0) == weight;
    if (!layout_of_weight || !would_duplicate(*weight)) results = fold_view(node, tensors);
    if (!results) results = computed(node, tensors, weight);
    if (!results || results->size() != node.output_count()) return;
    ir::log(ir::Level::Debug, node.location(), [&] {
      return node.kind() + " is folded" + (weight ? " into the weight " + weight->name() : ": its inputs are constant");
    });
    for (std::size_t i = 0; i < results->size(); ++i) {
      if (node.output(i)->is_unused()) continue;
      node.output(i)->replace_uses(make(node, i, (*results)[i], weight));
    }
    node.erase();
    changed_ = true;
  }

  Value* make(Node& node, std::size_t output, const Tensor& tensor, const Value* weight) {
    if (tensor.bytes() > kInlineBytes || (weight && !weight->name().empty())) {
      std::string name = weight ? weight->name() : std::string("constant");
      const std::string suffix = suffix_of(node);
      if (!name.ends_with(suffix)) name += suffix;
      if (node.output_count() > 1) name += "." + std::to_string(output);
      Value* folded = model_.add_weight(name, tensor, true);
      if (weight && weight->origin()) folded->set_origin(ir::Origin{weight->origin()->weight, true});
      return folded;
    }
    const Tensor dense = tensor.contiguous();
    Node* constant = model_.create("onnx::Constant", {}, 1);
    constant->set_attribute("value", dense);
    constant->set_location(node.location());
    Value* value = constant->output();
    value->set_facts(ir::facts_of({dense}));
    constant->insert_before(&node);
    return value;
  }

  ir::Graph& model_;
  bool weights_;
  std::int32_t opset_;
  bool changed_ = false;
};

}  // namespace

bool fold_constants(ir::Graph& model, bool weights, std::int32_t opset) { return Folder(model, weights, opset).run(); }

}  // namespace tonnx::optimize
