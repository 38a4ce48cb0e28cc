#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ir/constant.h"
#include "torch/raw_program.h"

namespace tonnx::torch {

struct TraceOptions {
  // What was recorded is run again on the example inputs, and refused where it does not give what the code returned.
  bool replay = true;
};

struct Traced {
  RawProgram program;
  std::vector<ir::Tensor> outputs;  // copies of what the code returned
};

// One run of the caller's LibTorch code on this thread, recorded from construction to end(). The tensors and numbers of
// the arguments (numbers as rank-0 tensors), tuples, lists and dicts opened, become inputs, named "input", or "input_0",
// "input_1", ... if there are several, or by keyword; they are copies, so the code may write to them. None and strings
// are left out. Tensors the code reads that are neither inputs nor declared weights become weights named "constant_N", or
// after the declared weight whose memory they show. Sizes and numbers that the code reads from tensors are constants of
// this run. The gradient mode is the caller's. Used by one thread, which records nothing else meanwhile; other threads may
// record at the same time. Freed by another thread, it stops that one at its next operator.
class Recording {
 public:
  // Throws Error(Code::Argument) if this thread records already.
  explicit Recording(const ir::Arguments& arguments);
  ~Recording();  // records no more if end() was not reached
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  // at::Tensor *, borrowed as long as this lives.
  std::span<void* const> inputs() const;
  // The next result. `at_tensor`: an at::Tensor *, borrowed for the call. Throws Error(Code::Argument) if it is null or
  // undefined, or after end().
  void add_output(const void* at_tensor, const std::string& name = {});
  // A parameter the code reads: a weight under this name. To be declared before its first use; its memory is shown, not
  // copied, by the program. Throws as add_output() does.
  void add_weight(const void* at_tensor, const std::string& name);
  // The size of a recorded tensor on an axis (negative: from the end) as a recorded value itself: an at::Tensor * of rank 0
  // and dtype int64, borrowed as long as this lives. What is computed from it with tensor operators follows the size.
  // Throws as add_output() does, and for a tensor that was not recorded or does not have the axis.
  void* size(const void* at_tensor, std::int64_t axis);

  // Records no more, and gives the program. Throws Error(Code::Argument) if there is no output, on another thread than
  // the one that began, or the second time.
  Traced end(const TraceOptions& options = {});

 private:
  struct Run;
  std::unique_ptr<Run> run_;
};

}  // namespace tonnx::torch
