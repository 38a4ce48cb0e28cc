#pragma once

#include <memory>
#include <string>
#include <vector>

#include <ATen/core/stack.h>

#include "ir/evaluator.h"

// Calls of operators written as text, on tensors and in an evaluator.
namespace tonnx::torch::testing {

using Stack = ::torch::jit::Stack;

// Arguments separated by ';':
//   f(2,3)   float tensor of random content; d double, h half, i int64 zeros, j int32 zeros, b bool ones, c complex
//            f(2,3,4,5)cl channels-last, f(2,3)t its last two dims swapped in memory, f(2,3,4,5)s its middle ones,
//            f(2,3)x expanded from one element
//   [1,2]    int list; [1.5,2.0] float list; {f(2),f(2)} tensor list; {None,i(2)} list of optional tensors
//   3  2.5  true  None  "text"  dtype:half
Stack parse_arguments(const std::string& text);

// Results of the operator ("aten::add.Tensor") called on copies of the arguments.
Stack call_really(const std::string& op, Stack& arguments);

struct Evaluated {
  ir::Evaluator::Outcome outcome;
  std::vector<ir::DatumPtr> inputs;
  std::vector<ir::DatumPtr> outputs;
};

// A node of one operator with a schema; `outputs` counts its results.
struct OperatorNode {
  ir::Graph graph;
  ir::Node* node = nullptr;
};
std::unique_ptr<OperatorNode> make_node(const std::string& op);
// A node of a prim:: form.
std::unique_ptr<OperatorNode> make_form(const std::string& kind, std::size_t outputs, const ir::Type& type = {});

// The argument in an evaluator: tensors as meta, lists of tensors by prim::ListConstruct, the rest as constants.
ir::DatumPtr datum_of(ir::Evaluator& evaluator, const c10::IValue& value);

Evaluated evaluate(ir::Evaluator& evaluator, const std::string& op, const Stack& arguments);
std::vector<ir::DatumPtr> evaluate(ir::Evaluator& evaluator, const std::string& op,
                                   const std::vector<ir::DatumPtr>& inputs);
std::vector<ir::DatumPtr> evaluate_form(ir::Evaluator& evaluator, const std::string& kind,
                                        const std::vector<ir::DatumPtr>& inputs, std::size_t outputs = 1,
                                        const ir::Type& type = {});

// "float32 (2, 3) strides (3, 1)"; of a list "[..., ...]"; numbers by their value, "?" for an unknown datum.
std::string layout(const c10::IValue& value);
std::string layout(ir::Evaluator& evaluator, const ir::DatumPtr& datum);

}  // namespace tonnx::torch::testing
