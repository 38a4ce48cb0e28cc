// Chooses runs on other values, and warns about the results.
#include <set>

#include "export/trace_sizes.h"
#include "ir/observer.h"
#include "ir/text.h"

namespace tonnx::exporting {

// By default only if there are several runs anyway: a trace without dynamic axes runs the code once.
bool TraceSizes::wants_values() const {
  return !inputs_.empty() && !options_.single_run && options_.other_values.value_or(!axes_.empty());
}

void TraceSizes::go_on_with_values() {
  if (!values_->done()) {
    arguments_ = values_->arguments();
    return plan_sketch();
  }
  if (!values_->warning().empty()) {
    ir::warn(runs_[0].traced.program.warnings, ir::Category::Trace, values_->warning());
    warn_pointers();
  }
  if (!values_->reads_are_idle()) warn_reads(runs_[0].traced.reads);
  warn_data_sizes(values_->sizes_varied());
  values_.reset();
  go_on();
}

void TraceSizes::warn_reads(const std::vector<std::string>& reads) {
  for (const std::string& read : reads)
    ir::warn(runs_[0].traced.program.warnings, ir::Category::Trace,
             read + " was read as a number while tracing; this number is a constant of the model");
}

void TraceSizes::warn_pointers() {
  for (const std::string& value : runs_[0].traced.pointers)
    ir::warn(runs_[0].traced.program.warnings, ir::Category::Trace,
             "a pointer to the elements of " + value +
                 " was taken outside of the recorded operators (data_ptr(), an accessor, DLPack): if the code reads "
                 "them, what it computes from them is a constant of the model; use tensor operators, or set the "
                 "trace's option other_values to true to detect such reads");
}

// Skips sizes that differed in further runs in which the code behaved the same.
void TraceSizes::warn_data_sizes(const std::vector<bool>& varied) {
  backend::Traced& first = runs_[0].traced;
  std::set<std::string> warned;
  for (std::size_t i = 0; i < first.data_sizes.size(); ++i) {
    const auto& [result, sizes] = first.data_sizes[i];
    if ((i < varied.size() && varied[i]) || !warned.insert(result).second) continue;
    ir::warn(
        first.program.warnings, ir::Category::Trace,
        result + " has sizes that depend on data, here " + ir::format_dims(sizes) +
            ": if the code reads them (size(), numel(), a loop over its rows), or sizes computed from them, they are "
            "constants of the model; compute the number with tensor operators (the sum of a mask), or set the trace's "
            "option other_values to true to detect such reads");
  }
}

}  // namespace tonnx::exporting
