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

// The value of `training` that the program sees when it tests whether its modules are in training mode.
enum class Training { Eval, Preserve, Train };

// The range of sizes that a program supports, both bounds included.
struct SizeRange {
  // torch.export's default minimum for a symbol without a declared range. Its programs do not check it: they also
  // accept 0 and 1.
  static constexpr std::int64_t kOwnLeast = 2;

  std::int64_t min = 0;
  std::int64_t max = std::numeric_limits<std::int64_t>::max();

  // The smallest size in any run of the program.
  std::int64_t least() const { return min == kOwnLeast ? 0 : min; }

  bool operator==(const SizeRange&) const = default;
};

// A List[Tensor] of known length among the arguments or results of the program; its items are inputs or outputs.
struct TensorList {
  std::string name;
  std::size_t first = 0;  // index of its first item among the inputs or outputs
  std::size_t count = 0;
};

// By the path of a module.
using ModuleAttributes = std::map<std::string, std::vector<NamedAttribute>>;

// A program as imported: one block of the torch dialect, calls inlined, weights named by their state-dict keys, tensors
// of the arguments as inputs in order of occurrence. Facts of inputs are those of the example; the program passes find
// the other facts. May contain in-place operators, lists and dicts.
struct RawProgram {
  std::unique_ptr<Graph> graph;
  // One for each graph input, in order: the tensors and scalars of the example (scalars as rank-0 tensors).
  std::vector<Tensor> inputs;
  // The lists of tensors among the arguments, in order, if the importer supports passing them whole; else empty.
  std::vector<TensorList> lists;
  // One for each graph output: the key of a dict or the field of a named tuple, dotted if nested; else empty.
  std::vector<std::string> output_names;
  // The lists of tensors among the results, in order, if the importer makes their items outputs. An empty list has
  // none.
  std::vector<TensorList> output_lists = {};
  // The ranges of dynamic sizes, by symbol, if the importer knows them.
  std::map<std::string, SizeRange> ranges;
  std::vector<std::string> warnings;
  // The calling convention, if the importer knows it; else null.
  std::shared_ptr<const CallForm> form;
  // Integer arguments that are expressions of dynamic sizes, by name, if the importer knows them. An integer that is
  // constant is not an input.
  std::map<std::string, Polynomial> numbers = {};
  // Writes to state: at first those that only the importer sees (attributes, updates in torch.export's signature);
  // after program::prepare() all of them.
  StateWrites state = {};
  // "n is 1": a fixed size below those for which the importer's facts hold; else empty.
  std::string edge = {};
  // Numbers, strings and lists of these that the classes of modules have, if the importer knows them.
  ModuleAttributes module_attributes = {};
  // Calls that no model can contain and that the graph lacks. A program with any is not exported.
  Refusals refused = {};
};

}  // namespace tonnx::ir
