#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backend/recording.h"
#include "ir/constant.h"
#include "ir/error.h"
#include "ir/flat_inputs.h"

namespace tonnx::exporting {

// Whether the caller's code does on other values what it did on the example's: what it made of elements that it read on
// the host differs. The caller runs the code on arguments() and gives the result, or says that it failed, as long as
// done() is false.
class TraceValues {
 public:
  // `first`: what was recorded on the example's values.
  TraceValues(std::vector<ir::FlatInput> inputs, const backend::Traced& first);

  bool done() const { return step_ == Step::Done; }
  const ir::Arguments& arguments() const { return arguments_; }
  // What the code gets in the run to come where it reads numbers, and how many times it read in the first one.
  backend::Reads reads() const;
  std::size_t read_count() const { return read_count_; }
  // See backend::Recording::sketch(); none: the run to come computes, for its values are much like the example's.
  std::optional<bool> sketch() const;
  // `first`: what was recorded on the example's values. `weight`: one whose elements are not what they were at the
  // beginning of the first run; empty: none is. Throws Error(Code::Unsupported), naming place and numbers, where the
  // code does something else, once it has run on the example's values again to tell why.
  void add(const backend::Traced& first, const backend::Traced& run, const std::string& weight);
  // The code does not run on arguments(): milder ones are chosen, or none.
  void fail(const std::string& reason);
  // The code does nothing with the numbers that it reads by item() and its like: in their place others were tried.
  bool reads_are_idle() const { return idle_; }
  // Of first.data_sizes: whether the sizes were others on some values, and the code did the same.
  const std::vector<bool>& sizes_varied() const { return sizes_varied_; }
  // Why nothing is known of other values; empty: something is.
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
