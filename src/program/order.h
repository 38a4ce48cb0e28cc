#pragma once

#include <cstdint>
#include <unordered_map>

#include "ir/graph.h"

namespace tonnx::program {

// The positions of all nodes in program order, before the program changes. A node begins before the nodes of its blocks
// and ends after them. The return node of a block follows its nodes.
class Order {
 public:
  struct Range {
    std::int64_t begin;
    std::int64_t end;
  };

  explicit Order(const ir::Graph& graph);

  const Range& at(const ir::Node* node) const { return ranges_.at(node); }
  // Null for a node that was created later.
  const Range* find(const ir::Node* node) const;
  // Gives a new node the position of another one.
  void place(const ir::Node* node, const ir::Node* other) { ranges_[node] = ranges_.at(other); }
  // Places a new node where another one begins.
  void place_before(const ir::Node* node, const ir::Node* other) {
    ranges_[node] = {ranges_.at(other).begin, ranges_.at(other).begin};
  }
  // From where on the value is defined. 0: from the start of the program.
  std::int64_t defined_at(const ir::Value& value) const;

 private:
  void number(const ir::Block& block);

  std::unordered_map<const ir::Node*, Range> ranges_;
  std::int64_t last_ = 0;
};

}  // namespace tonnx::program
