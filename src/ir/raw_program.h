#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ir/call_form.h"
#include "ir/graph.h"
#include "ir/polynomial.h"
#include "ir/refusal.h"
#include "ir/state_write.h"

namespace tonnx::ir {

// Which value the program reads where it asks whether its modules are in training mode.
enum class Training { Eval, Preserve, Train };

// The sizes for which a program was made, both included.
struct SizeRange {
  // What torch.export tells as the least of sizes that nobody gave a range. Its programs do not check it: they take 0
  // and 1, too.
  static constexpr std::int64_t kOwnLeast = 2;

  std::int64_t min = 0;
  std::int64_t max = std::numeric_limits<std::int64_t>::max();

  // Below which no run of the program goes.
  std::int64_t least() const { return min == kOwnLeast ? 0 : min; }

  bool operator==(const SizeRange&) const = default;
};

// A list of tensors that the program takes, whose items are inputs.
struct ListArgument {
  std::string name;
  std::size_t first = 0;  // among the inputs
  std::size_t count = 0;
};

// A raw program: one block of the torch dialect, calls inlined, weights named by their state-dict keys, tensors of the
// arguments as inputs in order of occurrence. Facts of inputs are those of the example; other facts are for the
// program passes to find. May hold in-place operators, lists and dicts.
struct RawProgram {
  std::unique_ptr<Graph> graph;
  // One per graph input, in order: the tensors and numbers of the example (numbers as rank-0 tensors).
  std::vector<Tensor> inputs;
  // The lists of tensors among the arguments, in their order, where the importer can take them whole; else none.
  std::vector<ListArgument> lists;
  // One per graph output: a dict's key or a named tuple's field, dotted where nested; empty where there is none.
  std::vector<std::string> output_names;
  // Of open sizes, by symbol, where the importer knows them.
  std::map<std::string, SizeRange> ranges;
  std::vector<std::string> warnings;
  // How it is called, where the importer knows it; else null.
  std::shared_ptr<const CallForm> form;
  // What whole numbers among the arguments are in open sizes, by name, where the importer knows it. One that is the
  // same in every run is no input.
  std::map<std::string, Polynomial> numbers = {};
  // What it writes to state: what the importer alone sees (attributes, updates of torch.export's signature), and behind
  // program::prepare() all of it.
  StateWrites state = {};
  // "n is 1": a size that is fixed below those that the importer's facts hold for; empty where there is none.
  std::string edge = {};
  // Calls that no model holds and that the graph lacks: such a program is not exported.
  Refusals refused = {};
};

}  // namespace tonnx::ir
