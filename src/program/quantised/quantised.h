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

// Internal to replace_quantised(): what quantised tensors become, and what the forms of operators on them come to.
namespace tonnx::program {

// Scale and zero point of a quantised tensor, and the dtype of its integers. `scale` is a float or a tensor,
// `zero_point` an int or a tensor; with an axis both are tensors, one element a channel.
struct Steps {
  ir::Value* scale = nullptr;
  ir::Value* zero_point = nullptr;
  ir::DType dtype = ir::DType::UInt8;
  ir::Value* axis = nullptr;  // null: one scale for all

  std::int64_t low() const;  // of the integers
  std::int64_t high() const;
};

struct Quantised {
  ir::Value* real = nullptr;  // what the elements stand for
  Steps steps;
  ir::Value* integers = nullptr;  // where the program has them
  bool is_uneven = false;         // a list whose items have other steps than the first
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

  // The tensor that an argument is; refuses what is not known to be quantised. Of a list the first item.
  const Quantised* find(const ir::Value* value) const;
  const Quantised& tensor(const ir::Node& node, std::string_view argument) const;
  ir::Value* argument(const ir::Node& node, std::string_view name) const;
  // The node that packed an argument's weights.
  const ir::Node& packed(const ir::Node& node, std::string_view argument) const;
  // An argument that must be known.
  double number(const ir::Node& node, std::string_view argument) const;
  std::int64_t integer(const ir::Node& node, std::string_view argument) const;

  // What stands for a result. The node goes away, or stays where its result is that of `real` itself.
  void give(ir::Node& node, Quantised result);
  void give(ir::Node& node, ir::Value* plain);
  void give(ir::Node& node, std::size_t output, ir::Value* plain);  // leaves the node
  void remove(ir::Node& node) { gone_.push_back(&node); }
  // Quantised operands of a node that stays become floats. The steps of the first of them; null if there is none.
  const Steps* keep(ir::Node& node) const;
  void mark(ir::Value* value, Quantised quantised) { tensors_[value] = quantised; }

  // `real` rounded to the steps.
  Quantised snap(Inserter& insert, ir::Value* real, const Steps& steps) const;
  // The integers of the steps nearest to `real`.
  ir::Value* integers_of(Inserter& insert, ir::Value* real, const Steps& steps) const;
  // What integers stand for.
  Quantised from_integers(Inserter& insert, ir::Value* integers, const Steps& steps) const;
  // A number of rank 0 in the program's state as that number.
  ir::Value* known_number(Inserter& insert, ir::Value* value, bool whole) const;

 private:
  void visit(ir::Block& block);
  void visit(ir::Node& node);
  void visit_if(ir::Node& node);
  void visit_list(ir::Node& node);
  void visit_loop(ir::Node& node);
  void leave(ir::Node& node);
  bool postpone(ir::Node& node, const std::string& reason);
  bool joins(ir::Node& node, std::size_t output, Inserter& insert);
  void return_tensors();

  ir::Graph& graph_;
  std::vector<std::string>& output_names_;
  const Kept& kept_;
  std::unordered_map<const ir::Value*, Quantised> tensors_;
  std::vector<ir::Node*> gone_;
};

// Rewrites one node.
using Rewrite = void (*)(QuantisedRewrite& rewrite, ir::Node& node);

struct QuantisedForm {
  aten::QuantisedForm form;
  Rewrite rewrite;
};

// `real` of `x`, an operator on floats, with the arguments of the node that have the names of its own; those that the
// node lacks take their defaults.
ir::Value* call_on_floats(const QuantisedRewrite& rewrite, Inserter& insert, const ir::Node& node,
                          std::string_view real, ir::Value* x);
// The value, or what is fused to the end of the node of it.
ir::Value* finish(const QuantisedRewrite& rewrite, Inserter& insert, const ir::Node& node, ir::Value* value);
// The steps that two arguments of these names say, in the integers of `like`.
Steps named_steps(const QuantisedRewrite& rewrite, Inserter& insert, const ir::Node& node, std::string_view scale,
                  std::string_view zero_point, const Steps& like);
// Those that `output_scale` and `output_zero_point` say.
Steps output_steps(const QuantisedRewrite& rewrite, Inserter& insert, const ir::Node& node, const Steps& like);

// x with the scale and zero point that its own range asks for, as LibTorch's dynamic layers choose them.
Quantised quantise_dynamically(QuantisedRewrite& rewrite, Inserter& insert, ir::Value* x, ir::DType dtype,
                               bool reduce_range);

// The weights of a layer as floats; those packed as halves are floats already.
struct Weights {
  ir::Value* weight;
  ir::Value* bias;  // null: none
  const ir::Node* packed;
};

Weights weights_in(const QuantisedRewrite& rewrite, Inserter& insert, const ir::Node& packed);

// The integers of a quantised tensor.
ir::Value* integers_in(Inserter& insert, const Quantised& x);

// One function a family, each in a file of its name.
std::span<const QuantisedForm> quantised_activations();
std::span<const QuantisedForm> quantised_arithmetic();
std::span<const QuantisedForm> quantised_layers();
std::span<const QuantisedForm> quantised_moves();
std::span<const QuantisedForm> quantised_recurrent();
std::span<const QuantisedForm> quantised_tensors();

}  // namespace tonnx::program
