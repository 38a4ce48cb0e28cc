#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "program/edit.h"
#include "program/traces/size_expression.h"

namespace tonnx::program {

// Inserts size arithmetic into a graph. Expressions of input sizes only are computed at the start of the graph's block,
// each once.
class SizeNodes {
 public:
  // A size: the value and the axis.
  struct Axis {
    ir::Value* value;
    std::size_t axis;
  };

  // `axes`: the sizes by index (SizeExpression::size); the first `symbols` of them are of inputs of the graph.
  SizeNodes(ir::Graph& graph, std::vector<Axis> axes, std::size_t symbols);

  // Returns the expression as an int or a float that dominates `reader`, a node at any depth.
  ir::Value* number(const SizeExpression& expression, ir::Node* reader);
  // The same, always as a float.
  ir::Value* real(const SizeExpression& expression, ir::Node* reader);

 private:
  ir::Value* build(const SizeExpression& expression, Inserter& insert, const std::string& where);
  ir::Value* build_real(const SizeExpression& expression, Inserter& insert, const std::string& where);
  ir::Value* size(std::size_t index, Inserter& insert);
  ir::Value* once(const std::string& key, const std::function<ir::Value*()>& make);
  bool is_early(const SizeExpression& expression) const;
  Inserter at(const SizeExpression& expression, ir::Node* reader, std::string& where) const;

  ir::Graph& graph_;
  std::vector<Axis> axes_;
  std::vector<std::string> names_;
  std::size_t symbols_;
  ir::Node* start_;  // the first node before any insertion; null in an empty graph
  std::map<std::string, ir::Value*> built_;
};

}  // namespace tonnx::program
