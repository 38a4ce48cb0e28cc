#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "program/pass.h"

namespace tonnx::program {

// Which effect of a step counts as progress: any change, or only one that invalidates facts.
enum class Progress { Changes, InvalidFacts };

// The largest number of rounds of a fixpoint.
struct Bound {
  std::size_t rounds = 0;
  std::size_t rounds_per_node = 0;  // added for each node that the program has when the fixpoint starts
  // What happens if the last round allowed still made progress:
  //   Error   an internal error: the passes undo each other
  //   Repeat  the step counts as progress with invalid facts, so that the enclosing fixpoint runs it again
  //   Warn    the program stays as it is, and a warning says so
  enum class Hit { Error, Repeat, Warn } hit = Hit::Error;
};

// A node of the pipeline: a pass or a group of steps.
struct Step {
  enum class Kind {
    Pass,
    Sequence,     // all steps, in order
    FirstChange,  // steps in order, up to the first that makes progress
    IfChanged,    // the first step; the others only if it made progress
    Fixpoint,     // all steps, again and again until a round makes no progress
  };
  Kind kind = Kind::Sequence;
  std::string_view name;
  const Pass* pass = nullptr;
  std::vector<Step> steps = {};
  Progress progress = Progress::Changes;
  Bound bound = {};
  Features only_if = {};  // checked before the group, and before each round of a fixpoint; empty: always
};

Step sequence(std::string_view name, std::vector<Step> steps, Features only_if = {});
Step first_change(std::string_view name, Progress progress, std::vector<Step> steps);
Step if_changed(Progress progress, std::vector<Step> steps);
Step fixpoint(std::string_view name, Progress progress, Bound bound, std::vector<Step> steps, Features only_if = {});

// How the driver checks and reports passes. No option changes the result.
struct PassOptions {
  bool verify;                           // verify the graph after each change; default: the build option verify_passes
  std::vector<std::string> print_after;  // names of passes, or "all"
  bool print_changes = false;            // print the program after each pass that changed it
  bool count = false;                    // count changes by the program's text, not by what the passes report
  std::function<void(std::string_view)> print;  // default: standard error

  PassOptions();
  bool prints() const { return print_changes || !print_after.empty(); }
};

struct PassCount {
  std::size_t runs = 0;
  std::size_t changes = 0;
  double seconds = 0;
};

struct PassStatistics {
  std::map<std::string, PassCount, std::less<>> passes;  // of the passes that ran, by name
  std::vector<std::string> bounds;                       // one line for each bound that was hit
};

// Runs the steps of a pipeline on one program. A pass is not run if it changed nothing and no pass has changed the
// program since; facts are not inferred while they are valid.
class PassDriver {
 public:
  explicit PassDriver(PassContext& context, PassOptions options = {}, PassStatistics* statistics = nullptr);

  // Returns true if the step made progress of this kind. Throws the errors of passes; Error(Code::Internal) if a pass
  // leaves an invalid graph or needs facts that were not inferred, or if a fixpoint does not end; and
  // Error(Code::Argument) if the step does not contain a pass that `print_after` names.
  bool run(const Step& step, Progress progress = Progress::Changes);

  // The name of the last pass that reported a change; empty if none did.
  std::string_view last_changed() const { return last_changed_; }

 private:
  struct Effect {
    bool changed = false;
    bool invalid_facts = false;

    bool is(Progress progress) const { return progress == Progress::Changes ? changed : invalid_facts; }
    Effect& operator|=(const Effect& other);
  };

  Effect run_step(const Step& step);
  Effect run_fixpoint(const Step& step);
  Effect run_pass(const Pass& pass);
  Effect hit(const Step& step, std::size_t rounds);
  bool has_any(Features features);
  bool is_skipped(const Pass& pass);
  bool is_done(const Pass& pass) const;
  void check(const Pass& pass, bool changed) const;
  void print_after(const Pass& pass, bool changed, const std::string& text) const;

  PassContext& context_;
  PassOptions options_;
  PassStatistics* statistics_;
  FoundFeatures features_ = {.is_complete = false};  // of the program; reset by a change
  bool facts_inferred_ = false;
  bool facts_valid_ = false;                                // no pass has changed the program since
  std::size_t version_ = 0;                                 // counts the changes of the program and its facts
  std::unordered_map<const Pass*, std::size_t> unchanged_;  // the version that a pass has left as it was
  std::string_view last_changed_;
};

}  // namespace tonnx::program
