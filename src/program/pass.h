#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"
#include "ir/refusal.h"
#include "ir/state_write.h"
#include "program/facts/marks.h"
#include "program/features.h"
#include "program/quantised/replace_quantised.h"

namespace tonnx::program {

// The program and the state that its passes share. Members that the passes to run do not use may be null.
struct PassContext {
  ir::Graph& graph;
  std::function<void()> infer = {};  // infers the facts of all values
  std::vector<std::string>* output_names = nullptr;
  std::vector<std::string>* warnings = nullptr;
  ir::Refusals* refusals = nullptr;
  ir::StateWrites* state = nullptr;
  Kept kept = {};                // nodes that no pass may replace
  FactMarks marks = {};          // of the last infer()
  bool reports_raising = false;  // infer() reports the exceptions that depend on tensor data
};

// A row of the table of passes.
struct Pass {
  std::string_view name;
  // Returns true if it changed the program, or may have changed it.
  bool (*run)(PassContext& context);
  // Runs only if the program has one of these features; always if the set is empty.
  Features treats = {};
  bool needs_facts = false;        // running it before infer_facts is an internal error
  bool needs_no_writes = false;    // skipped if an operator writes to an argument
  bool invalidates_facts = false;  // a change counts as progress in a fixpoint that infers facts again
  bool infers_facts = false;
  std::string_view doc = {};  // what it does, in one line
};

}  // namespace tonnx::program
