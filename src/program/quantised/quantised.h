#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "aten/quantised_traits.h"
#include "ir/graph.h"
#include "program/edit.h"
#include "program/quantised/replace_quantised.h"

// Internal to replace_quantised(): the float form of quantised tensors, and the rewrites of operators on them.
namespace tonnx::program {

// Quantisation parameters. `scale` is a float or a tensor, `zero_point` an int or a tensor; with an axis, both are
// tensors with one element per channel.
struct QuantParams {
  ir::Value* scale = nullptr;
  ir::Value* zero_point = nullptr;
  ir::DType dtype = ir::DType::UInt8;  // of the integers
  ir::Value* axis = nullptr;           // null: one scale for the tensor

  std::int64_t low() const;  // the least integer
  std::int64_t high() const;
};

struct Quantised {
  ir::Value* real = nullptr;  // the float tensor that it represents
  QuantParams params;
  ir::Value* integers = nullptr;  // null if the program does not have them
  bool has_mixed_params = false;  // a list whose items have different parameters; these are of the first
};

// Why an operator cannot be rewritten.
struct Unquantisable {
  std::string reason;
};

class QuantisedRewrite {
 public:
  QuantisedRewrite(ir::Graph& graph, std::vector<std::string>& output_names, const Kept& kept)
      : graph_(graph), output_names_(output_names), kept_(kept) {}
  void run();

  // The form of a value, null if it is not known to be quantised.
  const Quantised* find(const ir::Value* value) const;
  // The functions below throw Unquantisable. An argument that must be quantised:
  const Quantised& tensor(const ir::Node& node, std::string_view argument) const;
  ir::Value* argument(const ir::Node& node, std::string_view name) const;
  // The node that packs an argument's weights.
  const ir::Node& packed(const ir::Node& node, std::string_view argument) const;
  // An argument that must be constant.
  double number(const ir::Node& node, std::string_view argument) const;
  std::int64_t integer(const ir::Node& node, std::string_view argument) const;

  // Replaces the result of a node, and removes the node at the end of the pass.
  void replace(ir::Node& node, Quantised result);
  void replace(ir::Node& node, ir::Value* plain);
  void replace(ir::Node& node, std::size_t output, ir::Value* plain);  // does not remove the node
  void remove(ir::Node& node) { dead_.push_back(&node); }
  // Replaces the quantised operands of a node by their float tensors. Returns the first one's parameters, or null.
  const QuantParams* use_floats(ir::Node& node) const;
  void mark(ir::Value* value, Quantised quantised) { tensors_[value] = quantised; }

  // Rounds `real` to what the parameters can represent (aten::fake_quantize_*).
  Quantised fake_quantise(Inserter& insert, ir::Value* real, const QuantParams& params) const;
  // Quantises `real` to integers.
  ir::Value* integers_of(Inserter& insert, ir::Value* real, const QuantParams& params) const;
  // Dequantises integers.
  Quantised from_integers(Inserter& insert, ir::Value* integers, const QuantParams& params) const;
  // The number of a constant tensor of one element that is never written, or of a read of one; else `value`.
  ir::Value* known_number(Inserter& insert, ir::Value* value, bool whole) const;

 private:
  void visit(ir::Block& block);
  void visit(ir::Node& node);
  void visit_if(ir::Node& node);
  void visit_list(ir::Node& node);
  void visit_loop(ir::Node& node);
  void keep_node(ir::Node& node);
  bool postpone(ir::Node& node, const std::string& reason);
  bool merge_outputs(ir::Node& node, std::size_t output, Inserter& insert);
  void return_tensors();

  ir::Graph& graph_;
  std::vector<std::string>& output_names_;
  const Kept& kept_;
  std::unordered_map<const ir::Value*, Quantised> tensors_;
  std::vector<ir::Node*> dead_;
};

using Rewrite = void (*)(QuantisedRewrite& rewrite, ir::Node& node);

struct QuantisedForm {
  aten::QuantisedForm form;
  Rewrite rewrite;
};

// Calls the float operator `real` on `x`, with the node's arguments of the same names, and defaults for missing ones.
ir::Value* call_on_floats(const QuantisedRewrite& rewrite, Inserter& insert, const ir::Node& node,
                          std::string_view real, ir::Value* x);
// Applies the operator that is fused to the end of the node (QuantisedTraits::after), if any.
ir::Value* finish(const QuantisedRewrite& rewrite, Inserter& insert, const ir::Node& node, ir::Value* value);
// The parameters from two arguments of these names, with the dtype of `like`.
QuantParams named_params(const QuantisedRewrite& rewrite, Inserter& insert, const ir::Node& node,
                         std::string_view scale, std::string_view zero_point, const QuantParams& like);
// The same from `output_scale` and `output_zero_point`.
QuantParams output_params(const QuantisedRewrite& rewrite, Inserter& insert, const ir::Node& node,
                          const QuantParams& like);

// Quantises x with the scale and zero point of its own range, as LibTorch's dynamic layers do.
Quantised quantise_dynamically(QuantisedRewrite& rewrite, Inserter& insert, ir::Value* x, ir::DType dtype,
                               bool reduce_range);

// The weights of a layer as floats.
struct Weights {
  ir::Value* weight;
  ir::Value* bias;  // may be null
  const ir::Node* packed;
};

Weights weights_in(const QuantisedRewrite& rewrite, Inserter& insert, const ir::Node& packed);

// The integers of a quantised tensor.
ir::Value* integers_in(Inserter& insert, const Quantised& x);

// One function for each family, in the file of its name.
std::span<const QuantisedForm> quantised_activations();
std::span<const QuantisedForm> quantised_arithmetic();
std::span<const QuantisedForm> quantised_layers();
std::span<const QuantisedForm> quantised_moves();
std::span<const QuantisedForm> quantised_recurrent();
std::span<const QuantisedForm> quantised_tensors();

}  // namespace tonnx::program
