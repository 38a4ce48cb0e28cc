#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"
#include "ir/refusal.h"
#include "ir/state_write.h"
#include "program/features.h"
#include "program/quantised/replace_quantised.h"

namespace tonnx::program {

// The program and what its passes share. A pass uses only the members that its function takes; the others may be null.
struct PassContext {
  ir::Graph& graph;
  std::function<void()> infer = {};  // infers the facts of all values
  std::vector<std::string>* output_names = nullptr;
  std::vector<std::string>* warnings = nullptr;
  ir::Refusals* refusals = nullptr;
  ir::StateWrites* state = nullptr;
  Kept kept = {};                // operators that keep their form
  bool reports_raising = false;  // infer() reports the exceptions that data decide on
};

// A row of the table of passes.
struct Pass {
  std::string_view name;
  // Returns whether it changed the program; true also if it does not know.
  bool (*run)(PassContext& context);
  // Runs only if the program has one of these features; always if the set is empty.
  Features treats = {};
  bool needs_facts = false;        // run before facts are inferred, it is an internal error
  bool needs_no_writes = false;    // skipped while an operator writes to an argument
  bool invalidates_facts = false;  // after a change, facts must be inferred again: they may say more
  bool infers_facts = false;
  std::string_view doc = {};  // what it does, in one line
};

}  // namespace tonnx::program
