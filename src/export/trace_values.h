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
  explicit TraceValues(std::vector<ir::FlatInput> inputs);

  bool done() const { return step_ == Step::Done; }
  const ir::Arguments& arguments() const { return arguments_; }
  // "on other values of the inputs", of the run to come
  std::string description() const;
  // `first`: what was recorded on the example's values. `weight`: one whose elements are not what they were at the
  // beginning of the first run; empty: none is. Throws Error(Code::Unsupported), naming place and numbers, where the code
  // does something else, once it has run on the example's values again to tell why.
  void add(const backend::Traced& first, const backend::Traced& run, const std::string& weight);
  // The code does not run on arguments(): milder ones are chosen, or none.
  void fail(const std::string& reason);
  // Why nothing is known of other values; empty: something is.
  const std::string& warning() const { return warning_; }

 private:
  enum class Step { All, Floating, Again, Done };

  void begin(Step step);
  [[noreturn]] void refuse(const ir::Error& difference, const std::string& reason) const;

  std::vector<ir::FlatInput> inputs_;
  Step step_ = Step::Done;
  ir::Arguments arguments_;
  std::optional<ir::Error> difference_;
  std::string warning_;
};

}  // namespace tonnx::exporting
