#include "ir/observer.h"

#include <chrono>
#include <optional>
#include <unordered_set>

#include "ir/text.h"

namespace tonnx::ir {

namespace {

using Clock = std::chrono::steady_clock;

// The longest time between two events while a call works: a caller who cancels waits for the next one.
constexpr std::chrono::milliseconds kInterval{50};

}  // namespace

struct Observation {
  Observer* observer;  // null: only limits
  Limits limits;
  Clock::time_point begin = Clock::now();
  std::int64_t steps = 0;
  const char* stage = "";
  std::int64_t done = 0, total = 0;
  bool in_bytes = false;
  Clock::time_point last = Clock::now();
  std::optional<Cancelled> cancelled = std::nullopt;
  std::unordered_set<std::string> warned = {};

  void require_not_cancelled() const {
    if (cancelled) throw *cancelled;
  }

  [[noreturn]] void exceed(const std::string& what, const std::string& option) {
    cancelled = Cancelled("the call needs more than " + what + " (raise the option " + option + ")");
    throw *cancelled;
  }

  void require_time() {
    if (limits.seconds > 0 && Clock::now() - begin > std::chrono::seconds(limits.seconds))
      exceed(std::to_string(limits.seconds) + " s", "max_seconds");
  }

  // The callback is not observed itself: it may make calls of its own.
  void send(Event event) {
    require_not_cancelled();
    require_time();
    if (!observer) {
      last = Clock::now();
      return;
    }
    event.stage = stage;
    event.done = done;
    event.total = total;
    event.in_bytes = in_bytes;
    struct Unobserved {
      Observation* own = std::exchange(detail::current, nullptr);
      ~Unobserved() { detail::current = own; }
    };
    try {
      const Unobserved unobserved;
      observer->receive(event);
    } catch (const Cancelled& thrown) {
      cancelled = thrown;
      throw;
    }
    last = Clock::now();
  }

  void send_progress() { send({.kind = EventKind::Progress}); }

  void warn(Category category, const std::string& text, std::string module = {}, std::string source = {}) {
    if (warned.insert(text).second)
      send({.kind = EventKind::Warning,
            .level = Level::Warning,
            .category = category,
            .text = text,
            .module = std::move(module),
            .source = std::move(source)});
  }
};

namespace detail {

constinit thread_local Observation* current = nullptr;

void advance(std::int64_t count, bool is_step) {
  Observation& now = *current;
  now.require_not_cancelled();
  if (!is_step || (now.total == 0 && !now.in_bytes)) now.done += count;
  if (Clock::now() - now.last >= kInterval) now.send_progress();
}

void count_step() {
  Observation& now = *current;
  if (now.limits.steps > 0 && ++now.steps > now.limits.steps)
    now.exceed(std::to_string(now.limits.steps) + " operators that it runs or imports", "max_steps");
}

bool logs(Level level) noexcept { return current->observer && level >= current->observer->level(); }

void log(Level level, std::string text, std::string module, std::string source) {
  current->send({.kind = EventKind::Log,
                 .level = level,
                 .text = std::move(text),
                 .module = std::move(module),
                 .source = std::move(source)});
}

}  // namespace detail

Limits limits() noexcept { return detail::current ? detail::current->limits : Limits(); }

void warn(std::vector<std::string>& warnings, Category category, std::string text) {
  warn(warnings, category, std::move(text), {}, {});
}

void warn(std::vector<std::string>& warnings, Category category, std::string text, std::string module,
          std::string source) {
  warnings.push_back(std::move(text));
  if (detail::current) detail::current->warn(category, warnings.back(), std::move(module), std::move(source));
}

void report_warnings(std::span<const std::string> warnings, Category category) {
  if (!detail::current) return;
  for (const std::string& text : warnings) detail::current->warn(category, text);
}

Stage::Stage(const char* name, std::int64_t total, Unit unit, std::int64_t done)
    : observation_(detail::current), outer_{} {
  if (!observation_) return;
  Observation& now = *observation_;
  outer_ = {now.stage, now.done, now.total, now.in_bytes};
  now.in_bytes = unit == Unit::Bytes;
  try {
    next(name, total, done);
  } catch (...) {
    now.stage = outer_.name;
    throw;
  }
}

Stage::~Stage() {
  if (!observation_) return;
  observation_->stage = outer_.name;
  observation_->done = outer_.done;
  observation_->total = outer_.total;
  observation_->in_bytes = outer_.in_bytes;
}

void Stage::next(const char* name, std::int64_t total, std::int64_t done) {
  if (!observation_) return;
  observation_->stage = name;
  observation_->done = done;
  observation_->total = total;
  observation_->send_progress();
}

void Stage::finish() {
  if (!observation_) return;
  if (observation_->total > 0) observation_->done = observation_->total;
  observation_->send_progress();
}

Observing::Observing(Observer* observer, const Limits& limits) : outer_(detail::current) {
  if (observer || limits != Limits())
    own_ = std::make_unique<Observation>(Observation{.observer = observer, .limits = limits});
  detail::current = own_.get();
}

Observing::~Observing() { detail::current = outer_; }

void Observing::require_not_cancelled() const {
  if (own_) own_->require_not_cancelled();
}

}  // namespace tonnx::ir
