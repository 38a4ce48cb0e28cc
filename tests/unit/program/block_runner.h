#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/graph.h"

namespace tonnx::program::test {

// Runs a program on values of any type. `Steps` defines
//   Value constant(const ir::Constant&), bool truth(const Value&), std::int64_t integer(const Value&)
//   std::vector<Value> compute(const ir::Node&, const std::vector<Value>&)
template <class Value, class Steps>
class BlockRunner {
 public:
  explicit BlockRunner(Steps steps) : steps_(std::move(steps)) {}

  // Returns the outputs of the program.
  std::vector<Value> run(const ir::Graph& graph, const std::vector<Value>& inputs) {
    for (const ir::Value* weight : graph.weights()) env_[weight] = steps_.constant({*weight->weight()});
    for (std::size_t i = 0; i < inputs.size(); ++i) env_[graph.inputs()[i]] = inputs[i];
    block(graph.block());
    return all(graph.outputs());
  }

 private:
  std::vector<Value> all(std::span<ir::Value* const> values) const {
    std::vector<Value> found;
    for (const ir::Value* value : values) found.push_back(env_.at(value));
    return found;
  }

  void block(const ir::Block& block) {
    for (const ir::Node* node : block.nodes()) visit(*node);
  }

  void visit(const ir::Node& node) {
    if (node.is("prim::Constant")) {
      env_[node.output()] = steps_.constant(*node.output()->constant());
    } else if (node.is("prim::Uninitialized")) {
      env_[node.output()] = steps_.constant({ir::Constant::None{}});
    } else if (node.is("prim::If")) {
      const ir::Block& taken = *node.block(steps_.truth(env_.at(node.input())) ? 0 : 1);
      block(taken);
      define(node.outputs(), all(taken.outputs()));
    } else if (node.is("prim::Loop")) {
      loop(node);
    } else {
      define(node.outputs(), steps_.compute(node, all(node.inputs())));
    }
  }

  void loop(const ir::Node& node) {
    const ir::Block& body = *node.block(0);
    const std::int64_t trips = steps_.integer(env_.at(node.input(0)));
    bool more = steps_.truth(env_.at(node.input(1)));
    std::vector<Value> carried = all(node.inputs().subspan(2));
    for (std::int64_t i = 0; i < trips && more; ++i) {
      env_[body.inputs()[0]] = steps_.constant({i});
      define(body.inputs().subspan(1), carried);
      block(body);
      carried = all(body.outputs());
      more = steps_.truth(carried.front());
      carried.erase(carried.begin());
    }
    define(node.outputs(), carried);
  }

  void define(std::span<ir::Value* const> values, const std::vector<Value>& given) {
    for (std::size_t i = 0; i < values.size(); ++i) env_[values[i]] = given.at(i);
  }

  Steps steps_;
  std::unordered_map<const ir::Value*, Value> env_;
};

}  // namespace tonnx::program::test
