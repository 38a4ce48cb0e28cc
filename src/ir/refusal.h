#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "ir/error.h"
#include "ir/graph.h"

namespace tonnx::ir {

// "aten::add_.Tensor in layer1.0 (model.py:12)"; parts that are unknown are left out.
std::string describe_site(const Node& node);
std::string describe_site(const Reason& reason);
// " in layer1.0 (model.py:12)", as it stands behind a word; empty where nothing is known.
std::string site_after(const Location& location);
// The same of the step that a program goes on with: null and the node of its results are "the end of the program".
std::string describe_step(const Node* node);

// Why a node cannot be exported.
Reason reason_of(const Node& node, std::string text);
// "aten::add_.Tensor (3 times), first in layer1.0 (model.py:12): TEXT"
std::string to_string(const Reason& reason);
// The error for a node that cannot be exported, with one Reason, which is the message.
Error refusal(const Node& node, const std::string& text, Code code = Code::Unsupported);
Error refusal(Reason reason, Code code = Code::Unsupported);

// A node that is refused already: the rest of the program is asked as though it could be exported.
void mark_refused(Node& node);
bool is_refused(const Node& node);
// What an importer says of a node that no model holds; null of all others.
void set_why_refused(Node& node, std::string why);
const std::string* why_refused(const Node& node);
// What refused nodes give, and what is computed of it: nothing more is to be said of them.
std::unordered_set<const Value*> refused_values(const Graph& program);

// Why a program cannot be exported, all reasons at once; those of one operator and text are one.
class Refusals {
 public:
  void add(const Node& node, const std::string& text, Missing missing = Missing::No);
  // The reasons of an error that a node gave.
  void add(const Error& error);
  bool empty() const { return reasons_.empty(); }
  // Throws Error(Code::Unsupported) with every reason if there is one: "HEADING:", the first of them one a line,
  // ADVICE.
  void raise(const std::string& heading = "the program cannot be exported", const std::string& advice = {}) const;

 private:
  void add(Reason reason);

  std::vector<Reason> reasons_;
};

}  // namespace tonnx::ir
