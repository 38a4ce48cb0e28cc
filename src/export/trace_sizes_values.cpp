// Which runs on other values a trace makes, and what it warns of after them.
#include <set>

#include "export/trace_sizes.h"
#include "ir/error.h"
#include "ir/text.h"

namespace tonnx::exporting {

using ir::Code;
using ir::Error;

// By default where the code runs again anyway, and where running it costs next to nothing.
void TraceSizes::choose_values(const backend::Traced& first) {
  constexpr double kCheap = 32e6;  // bytes
  if (inputs_.empty() || options_.single_run || !options_.other_values.value_or(true)) return;
  const SpreadSizes::Cost cost = SpreadSizes::cost_of(*first.program.graph);
  if (options_.other_values || !axes_.empty())
    wanted_values_ = OtherValues::Required;
  else if (cost.fixed + cost.results < kCheap)
    wanted_values_ = OtherValues::Optional;
}

void TraceSizes::add_values(const backend::Traced& traced) {
  try {
    values_->add(runs_[0].traced, traced, changed_weight(*traced.program.graph));
  } catch (const Error& difference) {
    return warn_or_throw(difference);
  }
  go_on_with_values();
}

void TraceSizes::fail_values(const std::string& reason) {
  try {
    values_->fail(reason);
  } catch (const Error& difference) {
    return warn_or_throw(difference);
  }
  go_on_with_values();
}

void TraceSizes::warn_or_throw(const Error& difference) {
  if (!is_optional() || difference.code() != Code::Unsupported) throw difference;
  runs_[0].traced.program.warnings.push_back(difference.what());
  skip_values();
}

// Without further runs on other values.
void TraceSizes::skip_values() {
  values_.reset();
  tell_reads();
  tell_data_sizes({});
  go_on();
}

void TraceSizes::go_on_with_values() {
  if (!values_->done()) {
    arguments_ = values_->arguments();
    return plan_sketch();
  }
  if (!values_->warning().empty()) runs_[0].traced.program.warnings.push_back(values_->warning());
  if (!values_->reads_are_idle()) tell_reads();
  tell_data_sizes(values_->sizes_varied());
  values_.reset();
  go_on();
}

void TraceSizes::tell_reads() {
  backend::Traced& first = runs_[0].traced;
  for (const std::string& read : first.reads)
    first.program.warnings.push_back(read + " was read as a number while tracing; the model keeps the number of this one run");
}

// Beside those that were others in further runs in which the code did the same.
void TraceSizes::tell_data_sizes(const std::vector<bool>& varied) {
  backend::Traced& first = runs_[0].traced;
  std::set<std::string> told;
  for (std::size_t i = 0; i < first.data_sizes.size(); ++i) {
    const auto& [result, sizes] = first.data_sizes[i];
    if ((i < varied.size() && varied[i]) || !told.insert(result).second) continue;
    first.program.warnings.push_back(
        result + " has sizes that depend on data, here " + ir::format_dims(sizes) + ": where the code reads them (size(), numel(), a "
        "loop over its rows), or sizes of what is computed from it, the model keeps those of this one run; compute the number with "
        "tensor operators (the sum of a mask), or set the trace's option other_values to true to have it found out");
  }
}

}  // namespace tonnx::exporting
