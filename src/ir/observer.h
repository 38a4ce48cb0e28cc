#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ir/error.h"

namespace tonnx::ir {

enum class EventKind : std::int32_t { Log, Warning, Progress };
enum class Level : std::int32_t { Debug, Info, Warning };

// What a warning is about.
enum class Category : std::int32_t {
  None,  // the event is not a warning
  Other,
  Program,       // the importer changed or dropped a construct of the program
  State,         // the program writes to memory that outlives the call
  Training,      // modules are not in the mode of the export
  Sizes,         // dynamic axes and sizes: an axis is fixed, or the model is wrong at some sizes
  Trace,         // what a recording does not contain
  Options,       // an option has no effect, or not the effect that it asks for
  Symbolic,      // a user's symbolic returned an incomplete result
  Kernel,        // ONNX Runtime has no kernel for an operator of the model
  Verification,  // what could not be verified
};

// What an observer receives.
struct Event {
  EventKind kind = EventKind::Log;
  Level level = Level::Info;
  Category category = Category::None;
  const char* stage = "";   // of the call: "import", "lowering", ...; a constant
  std::int64_t done = 0;    // steps or bytes of the stage
  std::int64_t total = 0;   // 0: unknown
  bool in_bytes = false;    // done and total count bytes
  std::string text = {};    // of a log or a warning
  std::string module = {};  // module path of the operator, "layer1.0.conv1"; empty if unknown
  std::string source = {};  // source line of the operator, "model.py:12"; empty if unknown
};

// What a call may take; 0: no limit.
struct Limits {
  std::int64_t seconds = 0;
  std::int64_t steps = 0;           // operators that LibTorch runs or a program imports
  std::int64_t constant_bytes = 0;  // of one constant that LibTorch computes
  std::int64_t call_depth = 0;      // nested calls of a program; 0: kCallDepth

  static constexpr std::int64_t kCallDepth = 400;

  bool operator==(const Limits&) const = default;
};

// Thrown when an observer cancels its call, or when the call exceeds a limit. Not a std::exception, so that handlers of
// failures do not handle it.
class Cancelled {
 public:
  Cancelled() = default;
  // The observer itself failed. `cause` is its error object, or null.
  Cancelled(std::string message, std::shared_ptr<void> cause)
      : code_(Code::Callback), message_(std::move(message)), cause_(std::move(cause)) {}
  // The call exceeds a limit.
  explicit Cancelled(std::string message) : message_(std::move(message)) {}

  Code code() const { return code_; }
  const std::string& message() const { return message_; }
  const std::shared_ptr<void>& cause() const { return cause_; }

 private:
  Code code_ = Code::Cancelled;
  std::string message_ = "the observer cancelled the call";
  std::shared_ptr<void> cause_;
};

class Observer {
 public:
  virtual ~Observer() = default;
  // The lowest level of log events that it receives.
  virtual Level level() const noexcept = 0;
  // Throws Cancelled to end the call, and nothing else.
  virtual void receive(const Event& event) = 0;
};

// The observation of a call on this thread.
struct Observation;

namespace detail {

extern constinit thread_local Observation* current;  // null: not observed

// Counts steps or bytes of the stage, and reports them if the last event is 50 ms old. `is_step`: a checkpoint, which
// counts only in stages of unknown length.
void advance(std::int64_t count, bool is_step);
void count_step();
bool logs(Level level) noexcept;
void log(Level level, std::string text, std::string module, std::string source);

}  // namespace detail

// True if this thread is in a call with an observer or limits.
inline bool is_observed() noexcept { return detail::current != nullptr; }

// The limits of the call of this thread.
Limits limits() noexcept;

// Counts an operator that LibTorch runs or a program imports. Throws Cancelled if there are too many.
inline void count_step() {
  if (is_observed()) detail::count_step();
}

// Lets the observer or the time limit of this thread cancel the call. Called between steps that take less than 0.1 s.
// Throws Cancelled. Costs a comparison without observer.
inline void checkpoint() {
  if (is_observed()) detail::advance(1, true);
}

// Same; `count` more steps or bytes of the current stage are done.
inline void advance(std::int64_t count) {
  if (is_observed()) detail::advance(count, false);
}

// Reports a decision. `text` returns the message; it is called only if the observer receives this level. `where`, an
// ir::Location, is the operator that it is about.
template <class Text>
void log(Level level, const Text& text) {
  if (is_observed() && detail::logs(level)) detail::log(level, text(), {}, {});
}
template <class Where, class Text>
void log(Level level, const Where& where, const Text& text) {
  if (is_observed() && detail::logs(level)) detail::log(level, text(), where.module_path(), where.source());
}

// Reports a warning, once for each text, and appends it to `warnings`.
void warn(std::vector<std::string>& warnings, Category category, std::string text);
// Same, about the operator at this module path and source line, which may be empty.
void warn(std::vector<std::string>& warnings, Category category, std::string text, std::string module,
          std::string source);
// Same; `where` is an ir::Location.
template <class Where>
void warn(std::vector<std::string>& warnings, Category category, const Where& where, std::string text) {
  warn(warnings, category, std::move(text), where.module_path(), where.source());
}
// Reports warnings that were collected before.
void report_warnings(std::span<const std::string> warnings, Category category);

// A stage of a call, from construction to destruction; stages may be nested. Its start is an event.
class Stage {
 public:
  enum class Unit { Steps, Bytes };

  // `total` 0: unknown; then checkpoints count as steps. `name` is a constant.
  explicit Stage(const char* name, std::int64_t total = 0, Unit unit = Unit::Steps, std::int64_t done = 0);
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  // Begins another stage in place of this one.
  void next(const char* name, std::int64_t total = 0, std::int64_t done = 0);
  // Reports that all of it is done.
  void finish();

 private:
  struct Progress {
    const char* name;
    std::int64_t done, total;
    bool in_bytes;
  };
  Observation* const observation_;
  Progress outer_;
};

// The time in which an observer, which may be null, and limits apply to this thread instead of those before.
class Observing {
 public:
  explicit Observing(Observer* observer, const Limits& limits = {});
  ~Observing();
  Observing(const Observing&) = delete;
  Observing& operator=(const Observing&) = delete;

  // Throws Cancelled if the observer has cancelled, even if that exception was lost (LibTorch drops those of some
  // callbacks).
  void require_not_cancelled() const;

 private:
  Observation* const outer_;
  std::unique_ptr<Observation> own_;
};

// Runs `body` under an observer, which may be null, and limits. Throws Cancelled if it cancels or exceeds a limit,
// whatever `body` threw or returned.
template <class Body>
auto observe(Observer* observer, const Limits& limits, const Body& body) {
  const Observing scope(observer, limits);
  try {
    if constexpr (std::is_void_v<decltype(body())>) {
      body();
      scope.require_not_cancelled();
    } else {
      auto result = body();
      scope.require_not_cancelled();
      return result;
    }
  } catch (...) {
    scope.require_not_cancelled();
    throw;
  }
}

}  // namespace tonnx::ir
