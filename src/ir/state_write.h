#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ir/graph.h"
#include "ir/tensor.h"

namespace tonnx::ir {

// A write of a program to state, that is, to storage that outlives the call. A model has no state, so each write is
// reported.
struct StateWrite {
  enum class Kind {
    Input,      // a tensor of the caller
    Weight,     // a buffer, a parameter, or another tensor that the program owns or captured
    Constant,   // a tensor in the program's code
    Attribute,  // an attribute is set, or the list or dict in it changes
    Container,  // a list or dict of the caller
    Keys,       // not a write: the keys of a returned dict, known only at run time, as an extra output
  };

  Kind kind = Kind::Weight;
  std::string name;  // name of the input, state-dict key, path of the attribute, or kResultPath of the dict
  std::string op;    // "aten::add_"; empty if unknown
  std::string module, source;
  bool is_certain = true;  // false: the written tensor may or may not be this one

  bool operator==(const StateWrite&) const = default;
};

// The attribute of the node that creates a returned dict: its place in the result, the indices of the tuples around it,
// each after a ".".
constexpr const char* kResultPath = "result_path";

// The write of a node; `op` is the operator that set_writer() recorded for it.
StateWrite state_write(StateWrite::Kind kind, std::string name, const Node& writer);

void set_writer(Node& node, std::string kind);

// A warning about writes, and the operator that it is about.
struct StateWarning {
  std::string text, module, source;
};

// All writes of a program to state.
struct StateWrites {
  bool as_outputs = false;  // each new value becomes an extra output after the program's own outputs

  std::vector<StateWrite> outputs = {};   // the writes of the extra outputs, in order
  std::vector<StateWrite> left_out = {};  // writes that the model does not contain
  std::set<std::string> temporary = {};   // weights that do not outlive the call
  // Further state-dict names of a weight, by its name: tied parameters, a buffer that is registered twice.
  std::map<std::string, std::vector<std::string>> other_names = {};
  // Weights that overlap another one in one storage, in state-dict order, also those that the program does not read.
  std::vector<std::pair<std::string, Tensor>> overlapping = {};
};

// Those of the weights that overlap another one.
std::vector<std::pair<std::string, Tensor>> overlapping_weights(std::span<Value* const> weights);

// The name of the extra output for the new value.
std::string written_name(const StateWrite& write);

// A warning for each operator and source line, with the names of the written state. `in_outputs`: extra outputs were
// requested, but cannot hold these values; else they were not requested.
std::vector<StateWarning> state_warnings(std::span<const StateWrite> writes, bool in_outputs);

}  // namespace tonnx::ir
