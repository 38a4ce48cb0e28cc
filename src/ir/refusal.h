#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "ir/error.h"
#include "ir/graph.h"

namespace tonnx::ir {

// "aten::add_.Tensor in layer1.0 (model.py:12)"; unknown parts are left out.
std::string describe_site(const Node& node);
std::string describe_site(const Reason& reason);
// " in layer1.0 (model.py:12)", to be appended to a word; empty if nothing is known.
std::string site_after(const Location& location);
// describe_site() of the next step of a program; null and the return node are "the end of the program".
std::string describe_step(const Node* node);

// The reason why a node cannot be exported.
Reason reason_of(const Node& node, std::string text);
// "aten::add_.Tensor (3 times), first in layer1.0 (model.py:12): TEXT"
std::string to_string(const Reason& reason);
// The error for a node that cannot be exported. It has one Reason, which is also the message.
Error refusal(const Node& node, const std::string& text, Code code = Code::Unsupported);
Error refusal(Reason reason, Code code = Code::Unsupported);

// Marks a node as already reported, so that checking continues and later problems are reported too.
void mark_refused(Node& node);
bool is_refused(const Node& node);
// The importer's reason why no model can contain the node; why_refused() returns null for all other nodes.
void set_why_refused(Node& node, std::string why);
const std::string* why_refused(const Node& node);
// The results of refused nodes and all values computed from them: further problems with these are not reported.
std::unordered_set<const Value*> refused_values(const Graph& program);

// Collects the reasons why a program cannot be exported. Reasons with the same operator and text are merged.
class Refusals {
 public:
  void add(const Node& node, const std::string& text, Missing missing = Missing::No);
  // Adds the reasons of a node's error.
  void add(const Error& error);
  bool empty() const { return reasons_.empty(); }
  // Throws Error(Code::Unsupported) with every reason, if there is any: "HEADING:", the first reasons one on a line,
  // ADVICE.
  void raise(const std::string& heading = "the program cannot be exported", const std::string& advice = {}) const;

 private:
  void add(Reason reason);

  std::vector<Reason> reasons_;
};

}  // namespace tonnx::ir
