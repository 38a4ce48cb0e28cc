// Handles dynamic axes along which the code runs only at the example's size, or takes another path at other sizes.
#include <algorithm>

#include "export/trace_sizes.h"
#include "ir/observer.h"
#include "ir/text.h"
#include "program/facts/facts.h"

namespace tonnx::exporting {

// Restarts the runs at other sizes with the symbols that are not fixed, at the example's sizes.
void TraceSizes::restart() {
  axes_.clear();
  for (const InputAxis& axis : all_axes_)
    if (!fixed_.contains(axis.symbol)) axes_.push_back(axis);
  symbols_ = symbols_of(axes_);
  if (tried_) {
    const std::string symbol = symbols_.at(*tried_);
    std::erase_if(axes_, [&](const InputAxis& axis) { return axis.symbol == symbol; });
    symbols_ = symbols_of(axes_);
  }
  sizes_ = sizes_in(inputs_, axes_);
  runs_.erase(runs_.begin() + 1, runs_.end());
  runs_.front().sizes = sizes_;
  const std::set<std::int64_t> avoided = std::move(chosen_.avoided);
  chosen_ = {};
  chosen_.avoided = avoided;
  for (auto* list : {&asked_, &alone_, &edges_}) list->clear();
  edge_runs_.clear();
  edge_failures_.clear();
  edge_fault_.reset();
  failures_.clear();
  tried_alone_ = is_edge_ = is_asked_ = is_spread_ = false;
  spread_ = SpreadSizes(options_.largest_size);
  spread_.ran_near(SpreadSizes::cost_of(*runs_.front().traced.program.graph));
  bind_sizes();
  go_on();
}

void TraceSizes::fix(std::size_t symbol, const std::string& why) {
  fixed_.emplace(symbols_.at(symbol), why);
  tried_.reset();
  restart();
}

// If it is unknown which of several symbols must be fixed, each is tried alone; if that is not enough, the first one is
// fixed.
void TraceSizes::fix_one(const std::string& why) {
  if (!tried_ && symbols_.size() == 1) return fix(0, why);
  if (!tried_) {
    why_tried_ = why;
    tried_ = 0;
    return restart();
  }
  const std::size_t count = symbols_.size() + 1;
  if (++*tried_ < count) return restart();
  std::vector<InputAxis> left = all_axes_;
  std::erase_if(left, [&](const InputAxis& axis) { return fixed_.contains(axis.symbol); });
  fixed_.emplace(left.front().symbol, why_tried_);
  tried_ = count > 2 ? std::optional<std::size_t>(0) : std::nullopt;
  if (!tried_) fixed_.emplace(symbols_of(left).back(), why_tried_);
  restart();
}

void TraceSizes::warn_of_fixed() {
  if (tried_) {
    std::vector<InputAxis> left = all_axes_;
    std::erase_if(left, [&](const InputAxis& axis) { return fixed_.contains(axis.symbol); });
    fixed_.emplace(symbols_of(left).at(*tried_), why_tried_);
    tried_.reset();
  }
  for (InputAxis axis : all_axes_) {
    const auto why = fixed_.find(axis.symbol);
    if (why == fixed_.end()) continue;
    axis.example = inputs_[axis.input].dims[axis.axis];
    ir::warn(runs_[0].traced.program.warnings, ir::Category::Sizes,
             program::fixed_axis_text(axis, names_[axis.input], why->second));
    fixed_axes_.push_back(axis);
  }
}

// Warns about sizes at which the code itself fails although its operators, which the export uses, run there.
void TraceSizes::warn_of_failures() {
  constexpr std::size_t kShown = 3, kTried = 6;
  std::vector<Failure> failures = failures_;
  failures.insert(failures.end(), edge_failures_.begin(), edge_failures_.end());
  backend::Traced& first = runs_[0].traced;
  std::string text;
  std::size_t shown = 0;
  for (std::size_t i = 0; i < std::min(failures.size(), kTried) && shown < kShown && !options_.resize; ++i) {
    try {
      run_graph_(*first.program.graph, resized(first.program.inputs, graph_axes(axes_), failures[i].sizes));
    } catch (const ir::Error&) {
      continue;
    }
    text += (shown++ ? ", at " : "the code fails at ") + sizes_text(symbols_, failures[i].sizes) + " (" +
            ir::first_line(failures[i].reason) + ")";
  }
  if (shown)
    ir::warn(first.program.warnings, ir::Category::Sizes,
             text + "; the model does not check this, and its results there are meaningless");
}

void TraceSizes::finish() {
  warn_of_failures();
  warn_of_fixed();
  done_ = true;
}

}  // namespace tonnx::exporting
