#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/graph.h"

namespace tonnx::program {

// A program that meets the contract as a row of its essential nodes, and stretches of the row as programs of their own.
// Essential are the nodes of the outermost block, a branch or a loop as one, but for constants, lists of values and
// tensors read as numbers: these come along wherever they are read.
class Cut {
 public:
  // Of the lists that operators give, what is known of each item.
  using Lists = std::unordered_map<const ir::Value*, std::vector<ir::Facts>>;

  // The program is borrowed.
  explicit Cut(const ir::Graph& program);

  std::span<const ir::Node* const> nodes() const { return nodes_; }
  // Lists of tensors or numbers that essential nodes give and others than their own neighbours may read.
  std::vector<const ir::Value*> lists() const;
  // A list that is not told crosses no cut; the items of one that is told do.
  void tell(Lists lists);

  // The place nearest to the middle of [begin, end), the later half the longer one, where the stretch falls into two;
  // `end` where there is none, and `why`, if not null, tells what keeps it together.
  std::size_t middle(std::size_t begin, std::size_t end, std::string* why = nullptr) const;

  struct Part {
    std::unique_ptr<ir::Graph> graph;
    // What the graph's inputs and outputs are in the program, in order; each item of a list is one.
    std::vector<const ir::Value*> inputs;
    std::vector<const ir::Value*> outputs;
  };
  // The nodes [begin, end): what they read of others is an input, what others or the program's results read of them an
  // output. Values keep their facts; inputs and outputs have names. Weights share their storage.
  Part part(std::size_t begin, std::size_t end) const;
  // Whether a node from `place` on, or the program's results, read it.
  bool is_read_from(std::size_t place, const ir::Value* value) const;
  // How many inputs or outputs of a part a value is.
  std::size_t width(const ir::Value* value) const;

 private:
  class PartBuilder;
  std::size_t producer(const ir::Value* value) const;  // 0: an input; i + 1: node i
  void find_obstacles();

  const ir::Graph& program_;
  std::vector<const ir::Node*> nodes_;
  std::unordered_map<const ir::Node*, std::size_t> places_;
  std::vector<std::vector<const ir::Value*>> reads_;  // of each node, what is not at hand everywhere; last the results
  std::vector<const ir::Value*> values_;              // all of these, in order of their making
  std::unordered_map<const ir::Value*, std::size_t> last_;  // who reads it last
  std::vector<const ir::Value*> obstacles_;                 // of these the ones that cross no cut
  Lists known_;
};

}  // namespace tonnx::program
