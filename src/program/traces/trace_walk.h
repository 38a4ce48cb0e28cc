#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "ir/graph.h"
#include "program/traces/solve_sizes.h"
#include "program/traces/unify_traces.h"

namespace tonnx::program {

// A number that differs among the runs: an operand, or an element of an operand that is a list or a tensor.
struct DifferingNumber {
  std::variant<std::vector<std::int64_t>, std::vector<double>> values;  // one per run
  std::size_t element = 0;
};

// An operand of the base run with such numbers. Its other elements are the same in all runs.
struct DifferingOperand {
  const ir::Node* node;
  std::size_t input;
  std::size_t sizes;  // the number of sizes in the table that are known before the node
  std::vector<DifferingNumber> numbers;
};

// Compares the runs node by node. The base is the run with the most nodes: LibTorch does not record some nodes at sizes
// at which they change nothing.
class TraceWalk {
 public:
  explicit TraceWalk(const TracedRuns& runs);

  // Throws Error(Code::Unsupported) if the runs differ in more than numbers.
  void run();

  const ir::Graph& base() const { return *runs_.graphs[base_]; }
  const std::vector<DifferingOperand>& operands() const { return operands_; }
  // The symbols, then the sizes of the base's values that differ among runs, without duplicates, in program order.
  const SizeTable& sizes() const { return table_; }
  // A size of the table after the symbols: the value and the axis.
  struct Measured {
    const ir::Value* value;
    std::size_t axis;
  };
  const std::vector<Measured>& measured() const { return measured_; }

  // The values, one per run, with the sizes at which they occur: "4 at n = 4; 7 at n = 7 and n = 8".
  std::string at_sizes(const std::vector<std::string>& values) const;
  // Throws a refusal of an argument: "aten::view in net (x.cpp:3): argument size: REASON".
  [[noreturn]] void refuse(const ir::Node& node, std::size_t input, const std::string& reason) const;

 private:
  using Partners = std::unordered_map<const ir::Value*, const ir::Value*>;  // from a value of the base to one of a run

  std::size_t run_count() const { return runs_.graphs.size(); }
  const ir::Value* partner(std::size_t run, const ir::Value* base) const;
  // Null if the run has no weight of that name.
  const ir::Value* weight_named(std::size_t run, const std::string& name) const;
  void pair(std::size_t run, const ir::Value* base, const ir::Value* other) { partners_[run][base] = other; }
  void check_inputs();
  void walk(const std::vector<const ir::Block*>& blocks);
  bool same_operator(const ir::Node& base, const ir::Node& other) const;
  bool changes_nothing(const ir::Node& base, std::size_t run) const;
  void compare(const std::vector<const ir::Node*>& nodes);
  void compare_operand(const std::vector<const ir::Node*>& nodes, std::size_t input);
  std::vector<ir::Constant> unrecorded_ends(const std::vector<const ir::Node*>& nodes,
                                            const std::vector<const ir::Constant*>& ends) const;
  void compare_constants(DifferingOperand& found, const std::vector<const ir::Constant*>& constants) const;
  void compare_tensors(DifferingOperand& found, const std::vector<const ir::Tensor*>& tensors);
  void measure(const ir::Node& base);
  std::string sizes_of(std::size_t run) const;
  [[noreturn]] void refuse_path(const ir::Node* base, std::size_t run, const ir::Node* other) const;

  const TracedRuns& runs_;
  std::size_t base_ = 0;
  std::vector<Partners> partners_;
  std::vector<DifferingOperand> operands_;
  SizeTable table_;
  std::vector<Measured> measured_;
};

}  // namespace tonnx::program
