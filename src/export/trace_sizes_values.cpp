// Which runs on other values a trace makes, and what it warns of after them.
#include <set>

#include "export/trace_sizes.h"
#include "ir/text.h"

namespace tonnx::exporting {

// By default if the code runs again anyway: a trace without dynamic axes runs the code once.
bool TraceSizes::wants_values() const {
  return !inputs_.empty() && !options_.single_run && options_.other_values.value_or(!axes_.empty());
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
    first.program.warnings.push_back(read +
                                     " was read as a number while tracing; the model keeps the number of this one run");
}

// Beside those that were others in further runs in which the code did the same.
void TraceSizes::tell_data_sizes(const std::vector<bool>& varied) {
  backend::Traced& first = runs_[0].traced;
  std::set<std::string> told;
  for (std::size_t i = 0; i < first.data_sizes.size(); ++i) {
    const auto& [result, sizes] = first.data_sizes[i];
    if ((i < varied.size() && varied[i]) || !told.insert(result).second) continue;
    first.program.warnings.push_back(
        result + " has sizes that depend on data, here " + ir::format_dims(sizes) +
        ": where the code reads them (size(), numel(), a "
        "loop over its rows), or sizes of what is computed from it, the model keeps those of this one run; compute the "
        "number with "
        "tensor operators (the sum of a mask), or set the trace's option other_values to true to have it found out");
  }
}

}  // namespace tonnx::exporting
