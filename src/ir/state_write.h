#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace tonnx::ir {

// A write of a program to state: memory that outlives the call. A model keeps no state, so each is reported.
struct StateWrite {
  enum class Kind {
    Input,      // a tensor of the caller
    Weight,     // a buffer, a parameter, or another tensor that the program owns or captured
    Constant,   // a tensor in the program's code
    Attribute,  // an attribute gets another value, or the list or dict in it changes
    Container,  // a list or dict of the caller
  };

  Kind kind = Kind::Weight;
  std::string name;  // of the input, state-dict key, or path of the attribute
  std::string op;    // "aten::add_"; empty where it is not known
  std::string module, source;
  bool is_certain = true;  // false: the tensor that is written to may or may not be this one

  bool operator==(const StateWrite&) const = default;
};

// The write that a node makes; `op` is the operator that the node is part of, by set_writer().
StateWrite state_write(StateWrite::Kind kind, std::string name, const Node& writer);

void set_writer(Node& node, std::string kind);

// All that a program writes to state.
struct StateWrites {
  bool as_outputs = false;  // each new value becomes an output after the program's own

  std::vector<StateWrite> outputs;       // of the last outputs of the program, in order
  std::vector<StateWrite> left_out;      // of which nothing is in the model
  std::set<std::string> temporary = {};  // weights that do not outlive the call
};

// The name of the output that holds the state after the call.
std::string written_name(const StateWrite& write);

// A warning for each operator and source line, with the names of what it writes to. `in_outputs`: the model could not
// give these as outputs; else it was not asked to.
std::vector<std::string> state_warnings(std::span<const StateWrite> writes, bool in_outputs);

}  // namespace tonnx::ir
