#pragma once

#include <string>

#include "ir/graph.h"

namespace tonnx::ir {

struct PrintOptions {
  bool scopes = true;       // ", scope: AlexNet/Sequential[features]/Conv2d[0]"
  bool sources = false;     // " # model.py:12"
  bool node_names = false;  // " /features/0/Conv"
};

// The text form of a graph of either dialect:
//   graph(%x : Float(10, 3, 224, 224),
//         %features.0.weight : Float(64, 3, 11, 11)):
//     %17 : Float(10, 64, 55, 55) = onnx::Conv[dilations=[1, 1], group=1](%x, %features.0.weight), scope: AlexNet/...
//     return (%17)
// Unknown dims print as *, symbolic ones as their expression; nested blocks are indented as block0(...) with -> (...).
// Equal graphs print equal texts, whatever their ids are.
std::string print(const Graph& graph, const PrintOptions& options = {});
std::string print(const Node& node, const PrintOptions& options = {});

// "dilations=[1, 1], group=1": the attributes of a node as print() shows them; "value=2" for a constant of a program.
std::string print_attributes(const Node& node);

// "Float(10, 3, *, batch)", "Tensor", "int[]": a value's type as print() shows it.
std::string print_type(const Value& value);

}  // namespace tonnx::ir
