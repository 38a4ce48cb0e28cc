#include <algorithm>
#include <cstdint>
#include <deque>

#include "ir/checked.h"
#include "ir/computed.h"
#include "ir/constant_facts.h"
#include "ir/observer.h"
#include "ir/onnx_traits.h"
#include "optimize/fold_kernels.h"
#include "optimize/passes.h"
#include "optimize/reads.h"

namespace tonnx::optimize {
namespace {

using ir::Node;
using ir::Tensor;
using ir::Value;

// A larger result is computed when it is read, or stays an operator, because the memory of an export must not grow with
// the weights.
constexpr std::size_t kComputedBytes = std::size_t{8} << 20;
// A result that is so many times smaller than a weight may be stored beside it.
constexpr std::size_t kSmaller = 16;
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
  struct Inputs {
    std::vector<const Tensor*> tensors;  // null: the input is absent
    const Value* weight = nullptr;       // the first input that is a weight, or a view of one
    std::deque<Tensor> views;            // of weights with other uses; a deque, because `tensors` points to them
  };

  // Whether all inputs are known. An input may be a view of a weight that is used in several layouts, so that the
  // operators for the view must stay. `views` is the number of views of one another that are followed.
  bool gather_inputs(const Node& node, Inputs& inputs, int views = 4) const {
    for (const Value* in : node.inputs()) {
      if (!in) {
        inputs.tensors.push_back(nullptr);
      } else if (ir::is_packed(in->facts().dtype)) {
        return false;  // its elements have no address
      } else if (const Tensor* t = constant_tensor(in)) {
        inputs.tensors.push_back(t);
      } else if (in->weight() && weights_) {
        inputs.tensors.push_back(in->weight());
        if (!inputs.weight) inputs.weight = in;
      } else if (views == 0 || !add_view(*in, inputs, views - 1)) {
        return false;
      }
    }
    return true;
  }

  bool add_view(const Value& value, Inputs& inputs, int views) const {
    const Node* node = value.node();
    if (!weights_ || !node || ir::onnx_traits_of(*node).integers != ir::Integers::PickedFromFirst) return false;
    Inputs own;
    if (!gather_inputs(*node, own, views) || !own.weight) return false;
    auto view = fold_view(*node, own.tensors);
    if (!view) return false;
    inputs.tensors.push_back(&inputs.views.emplace_back(std::move(view->at(value.index()))));
    if (!inputs.weight) inputs.weight = own.weight;
    return true;
  }

  // True if a weight is also used unchanged, so that folding a change of its layout would store it twice.
  bool would_duplicate(const Value& weight) const {
    if (weight.weight()->bytes() <= kInlineBytes) return false;
    for (const ir::Use& use : weight.uses()) {
      if (use.node->domain() != "onnx" || use.index != 0) return true;
      if (std::ranges::any_of(use.node->outputs(), is_block_output)) return true;  // the node stays
      Inputs others;
      if (!gather_inputs(*use.node, others)) return true;
      const bool is_layout = ir::onnx_traits_of(*use.node).integers == ir::Integers::PickedFromFirst;
      if (!is_layout && weight.weight()->bytes() > kComputedBytes) return true;  // the node may stay
    }
    return false;
  }

  // The bytes of weights that no other node reads, nor a view of the same storage.
  std::size_t freed_by(const Node& node) const {
    std::size_t bytes = 0;
    std::vector<const Value*> seen;
    const auto is_input = [&](const Value* value) {
      return std::ranges::find(node.inputs(), value) != node.inputs().end();
    };
    for (const Value* in : node.inputs()) {
      if (!in || !in->weight() || std::ranges::find(seen, in) != seen.end()) continue;
      seen.push_back(in);
      const bool is_shared = std::ranges::any_of(model_.weights(), [&](const Value* other) {
        return other->weight()->storage == in->weight()->storage && !other->is_unused() && !is_input(other);
      });
      if (!is_shared && std::ranges::all_of(in->uses(), [&](const ir::Use& use) { return use.node == &node; }))
        bytes += in->weight()->bytes();
    }
    return bytes;
  }

  // The bytes of the results; nullopt if a size is known only at run time.
  static std::optional<std::size_t> bytes_of(const Node& node) {
    std::size_t bytes = 0;
    for (const Value* output : node.outputs()) {
      const auto dims = output->facts().fixed_dims();
      const auto count = dims ? ir::checked_count(*dims) : std::nullopt;
      if (!count || output->facts().dtype == ir::DType::Undefined) return std::nullopt;
      bytes += ir::bytes_for(output->facts().dtype, *count);
    }
    return bytes;
  }

  // Nullopt if the model would grow because a weight is also used unchanged.
  std::optional<std::vector<Tensor>> computed(const Node& node, const Inputs& inputs) const {
    const auto& [tensors, weight, views] = inputs;
    const bool is_shared = weight && would_duplicate(*weight);
    const std::size_t freed = freed_by(node);
    const std::size_t allowed = is_shared ? std::max(freed, weight->weight()->bytes() / kSmaller) : SIZE_MAX;
    if (is_shared && bytes_of(node).value_or(freed > 0 ? 0 : SIZE_MAX) > allowed) return std::nullopt;
    auto results = fold_compute(node, tensors, kComputedBytes);
    if (!results) results = fold_function(node, tensors, kComputedBytes, opset_);
    if (!results && weight && bytes_of(node).value_or(SIZE_MAX) <= freed)
      if (auto one = fold_streamed(node, tensors, kComputedBytes)) results = std::vector<Tensor>{std::move(*one)};
    std::size_t made = 0;
    for (std::size_t i = 0; results && i < results->size(); ++i) made += (*results)[i].bytes();
    if (made > allowed) return std::nullopt;
    return results;
  }

  // True for a part of a computed weight. It is not stored, because the weight's operator may be restored as a whole.
  static bool is_part(const Tensor& tensor) {
    const ir::Computed* computed = ir::computed_of(tensor);
    return computed && computed->size() != tensor.bytes();
  }

  void fold(Node& node) {
    if (std::ranges::any_of(node.outputs(), is_block_output)) return;  // an output of the model keeps its node
    Inputs inputs;
    if (!gather_inputs(node, inputs)) return;
    const Value* weight = inputs.weight;
    std::optional<std::vector<Tensor>> results;
    const bool layout_of_weight = weight && (node.input(0) == weight || !inputs.views.empty());
    if (!layout_of_weight || !would_duplicate(*weight)) results = fold_view(node, inputs.tensors);
    if (results && is_part(results->front())) return;
    if (!results) results = computed(node, inputs);
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
