#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backend/recording.h"
#include "ir/constant.h"
#include "ir/error.h"
#include "ir/flat_inputs.h"

namespace tonnx::exporting {

// Checks whether the caller's code behaves on other values as on the example's: values that it computes on the host
// from elements would differ. While done() is false, the caller runs the code on arguments() and passes the result or
// reports a failure.
class TraceValues {
 public:
  // `first`: the recording on the example's values.
  TraceValues(std::vector<ir::FlatInput> inputs, const backend::Traced& first);

  bool done() const { return step_ == Step::Done; }
  const ir::Arguments& arguments() const { return arguments_; }
  // Numbers that the code reads in the next run, if it reads numbers, and the number of reads in the first run.
  backend::Reads reads() const;
  std::size_t read_count() const { return read_count_; }
  // See backend::Recording::sketch(). nullopt: the next run computes results, since its values are similar to the
  // example's.
  std::optional<bool> sketch() const;
  // Adds the result of a run. `first`: the recording on the example's values. `weight`: a weight whose elements differ
  // from the beginning of the first run, or "". If the code behaved differently, runs it once more on the example's
  // values to find the reason, and then throws Error(Code::Unsupported) with location and numbers.
  void add(const backend::Traced& first, const backend::Traced& run, const std::string& weight);
  // Reports that the code does not run on arguments(); more moderate values are chosen, or none.
  void fail(const std::string& reason);
  // True if the numbers that the code reads by item() and similar operators have no effect; others were tried instead.
  bool reads_are_idle() const { return idle_; }
  // For each of first.data_sizes: true if the sizes differed on other values but the code behaved the same.
  const std::vector<bool>& sizes_varied() const { return sizes_varied_; }
  // Why no other values could be checked; empty if some were.
  const std::string& warning() const { return warning_; }

 private:
  enum class Step { All, Floating, Negative, Zero, LowReads, HighReads, ZeroReads, Again, Done };

  void begin(Step step);
  bool is_needed(Step step) const;
  void go_on();
  [[noreturn]] void refuse(const ir::Error& difference, const std::string& reason) const;

  std::vector<ir::FlatInput> inputs_;
  std::vector<std::string> reads_;
  std::size_t read_count_;
  Step step_ = Step::Done;
  bool idle_ = false;
  std::vector<bool> sizes_varied_;
  ir::Arguments arguments_;
  std::optional<ir::Error> difference_;
  std::string warning_;
};

}  // namespace tonnx::exporting
