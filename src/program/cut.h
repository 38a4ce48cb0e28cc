#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/graph.h"

namespace tonnx::program {

// A program that meets the contract as a sequence of essential nodes, and ranges of it as separate programs. The
// essential nodes are those of the outermost block (a branch or a loop is one node), except constants and nodes that
// build a list or read a tensor as a number. These are copied to each range that reads them.
class Cut {
 public:
  // For lists that operators return: the facts of each item.
  using Lists = std::unordered_map<const ir::Value*, std::vector<ir::Facts>>;

  // The program is borrowed.
  explicit Cut(const ir::Graph& program);

  std::span<const ir::Node* const> nodes() const { return nodes_; }
  // The lists of tensors or numbers that essential nodes return, and that essential nodes or the results use.
  std::vector<const ir::Value*> lists() const;
  // Declares the items of lists. Items of a declared list may cross a cut; other lists may not.
  void declare(Lists lists);

  // The index nearest to the middle of [begin, end) at which the range can be cut; the later half is the longer one.
  // Returns `end` if there is none, and stores the reason in `why` if that is not null.
  std::size_t middle(std::size_t begin, std::size_t end, std::string* why = nullptr) const;

  struct Part {
    std::unique_ptr<ir::Graph> graph;
    // The program's values that become inputs and outputs, in order. A list is here once; each item is one input.
    std::vector<const ir::Value*> inputs;
    std::vector<const ir::Value*> outputs;
  };
  // The nodes [begin, end) as a program. Values from other nodes are inputs; values used by other nodes or by the
  // program's results are outputs. Values keep their facts; inputs and outputs have names. Weights share their storage.
  Part part(std::size_t begin, std::size_t end) const;
  // True if an essential node from `index` on, or the program's results, use the value.
  bool is_read_from(std::size_t index, const ir::Value* value) const;
  // The number of inputs or outputs that a value becomes: for a list the declared items, else 1.
  std::size_t width(const ir::Value* value) const;

 private:
  class PartBuilder;
  std::size_t producer(const ir::Value* value) const;  // 0: an input; i + 1: node i
  void find_obstacles();

  const ir::Graph& program_;
  std::vector<const ir::Node*> nodes_;
  std::unordered_map<const ir::Node*, std::size_t> indices_;
  std::vector<std::vector<const ir::Value*>>
      reads_;  // for each node the values that it reads and that are not copied; last the results
  std::vector<const ir::Value*> values_;                    // the values in `reads_`, in the order of their definition
  std::unordered_map<const ir::Value*, std::size_t> last_;  // the index in `reads_` of the last user
  std::vector<const ir::Value*> obstacles_;                 // values that must not cross a cut
  Lists declared_;
};

}  // namespace tonnx::program
