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

// Writes size arithmetic into a graph. What depends on sizes of inputs alone stands at the start of the graph's block,
// each expression once.
class SizeNodes {
 public:
  // A size: of which value, on which axis.
  struct Axis {
    ir::Value* value;
    std::size_t axis;
  };

  // `axes`: where the sizes of expressions are read; the first `symbols` of them are inputs of the graph.
  SizeNodes(ir::Graph& graph, std::vector<Axis> axes, std::size_t symbols);

  // The expression as an int or a float that may be read by `reader`, an outermost node or one in its blocks.
  ir::Value* number(const SizeExpression& expression, ir::Node* reader);
  // The same as a float, also where it is one of integers.
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
  ir::Node* start_;  // what stood first
  std::map<std::string, ir::Value*> made_;
};

}  // namespace tonnx::program
