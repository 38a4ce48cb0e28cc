// Handles sizes at which the code does not run.
#include <algorithm>
#include <set>

#include "export/trace_sizes.h"
#include "ir/callback_error.h"

namespace tonnx::exporting {

using ir::Code;

namespace {

constexpr std::size_t kMostFailures = 12;  // for one symbol; two more for each further symbol
constexpr std::size_t kFailuresOfAStep = 3;

std::int64_t power_of_two_in(std::int64_t size) { return size & -size; }

}  // namespace

void TraceSizes::fail(const std::string& reason, std::shared_ptr<void> cause) {
  if (runs_.empty()) throw ir::CallbackError(reason, {}, std::move(cause), Code::Program);
  cause_ = std::move(cause);
  if (is_spread_) {
    spread_.failed();
    return begin_spread() ? void() : go_on();
  }
  if (sketch_) {
    // It may depend on the arbitrary results.
    sketch_failed_ = true;
    sketch_.reset();
    return;
  }
  if (values_) {
    values_->fail(reason);
    return go_on_with_values();
  }
  const bool was_asked = is_asked_ || (is_edge_ && std::find(sizes_.begin(), sizes_.end(), 0) != sizes_.end());
  if (is_edge_ && !was_asked) {
    edge_failures_.push_back({sizes_, reason});
    return go_on();
  }
  failures_.push_back({sizes_, reason});
  if (was_asked || failures_.size() > kMostFailures + 2 * symbols_.size()) {
    if (was_asked || !options_.allow_fixed_axes) give_up();
    return fix_one(fixed_text());
  }
  if (changed(sizes_) == 1 || std::exchange(tried_alone_, true)) {
    if (blame()) return;
  } else {
    for (std::size_t k = 0; k < sizes_.size(); ++k) {
      alone_.push_back(chosen_.runs[0]);
      alone_.back()[k] = sizes_[k];
    }
  }
  go_on();
}

// Fixes one of the changed symbols: one that has never been changed in a successful run, or any if all have. Returns
// true if a symbol was fixed and the next run has begun.
bool TraceSizes::blame() {
  const auto ran = [&](std::size_t k) {
    const auto differs = [&](const Sizes& run) { return run[k] != chosen_.runs[0][k]; };
    return std::any_of(chosen_.runs.begin(), chosen_.runs.end(), differs);
  };
  std::vector<std::size_t> all, never;
  for (std::size_t k = 0; k < sizes_.size(); ++k) {
    if (sizes_[k] == chosen_.runs[0][k]) continue;
    all.push_back(k);
    if (!ran(k)) never.push_back(k);
  }
  for (const std::size_t k : never.empty() ? all : never) chosen_.refused[k].push_back(sizes_[k]);
  for (const std::size_t k : never) {
    if (widen_step(k)) continue;
    if (!options_.allow_fixed_axes) give_up();
    fix(k, fixed_text());
    return true;
  }
  return false;
}

// Code that runs only at the example's size may need multiples of a number. Returns false if no multiple is left.
bool TraceSizes::widen_step(std::size_t symbol) {
  const std::int64_t example = chosen_.runs[0][symbol];
  const std::int64_t step = chosen_.multiples[symbol];
  const auto& refused = chosen_.refused[symbol];
  const auto of_step = std::count_if(refused.begin(), refused.end(), [&](std::int64_t s) { return s % step == 0; });
  if (static_cast<std::size_t>(of_step) < kFailuresOfAStep) return true;
  const std::int64_t power = example > 1 ? power_of_two_in(example) : 1;
  if (power > step)
    chosen_.multiples[symbol] = power;
  else if (example > step)
    chosen_.multiples[symbol] = example;
  else
    return false;
  return true;
}

// Describes the sizes at which the code does not run.
std::string TraceSizes::fixed_text() const {
  std::string text = "the code runs at " + sizes_text(symbols_, chosen_.runs[0]) + " but not at other sizes";
  const std::size_t shown = std::min<std::size_t>(failures_.size(), 3);
  for (std::size_t i = 0; i < shown; ++i)
    text += (i ? "; at " : ": at ") + sizes_text(symbols_, failures_[i].sizes) + ": " + failures_[i].reason;
  return text;
}

void TraceSizes::give_up() const {
  const Sizes& example = chosen_.runs[0];
  const std::set<std::int64_t> distinct(example.begin(), example.end());
  const std::string alike =
      distinct.size() < example.size() ? "use the same symbol for axes that must have the same size, " : "";
  throw ir::CallbackError(fixed_text() + "; " + alike + "leave the axis fixed, or specify sizes at which it runs", {},
                          cause_, Code::Program);
}

}  // namespace tonnx::exporting
