#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ir/raw_program.h"
#include "ir/state_write.h"
#include "ir/tensor.h"

namespace tonnx::backend {

struct TraceOptions {
  // What was recorded is run again on the example inputs, and refused where it does not give what the code returned.
  bool replay = true;
};

// An operator whose results have sizes that the inputs' elements, or random numbers, decide.
struct DataSizes {
  std::string result;               // "the result of aten::nonzero (operator 3 of the recording)"
  std::vector<std::int64_t> sizes;  // of all its results in this run, one after the other
};

// What an input or a weight of a recording held when it ended.
struct StateValue {
  ir::StateWrite::Kind kind;
  std::string name;
  ir::Tensor value;
};

struct Traced {
  ir::RawProgram program;
  std::vector<StateValue> state = {};  // of all that the code wrote to
  std::vector<ir::Tensor> outputs;     // copies of what the code returned
  // What the host got numbers of by item(), equal() and their like, where the inputs or random numbers decide them:
  // "the result of aten::sum (operator 3 of the recording)", each once; and how often it did.
  std::vector<std::string> reads;
  std::size_t read_count = 0;
  std::vector<DataSizes> data_sizes;  // in the order of the calls
};

// What such a read gives: what is there, or a number of the same dtype that is far below it, far above, or nothing; of
// a comparison the one answer, the other, or what it is.
enum class Reads { True, Low, High, Zero };

// One run of the caller's LibTorch code on this thread, recorded from construction to end(). The tensors and numbers of
// the arguments (numbers as rank-0 tensors), tuples, lists and dicts opened, become inputs, named "input", or
// "input_0", "input_1", ... if there are several, or by keyword; they are copies, so the code may write to them. None
// and strings are left out. Tensors the code reads that are neither inputs nor declared weights become weights named
// "constant_N", or after the declared weight whose memory they show. Sizes and numbers that the code reads from tensors
// are constants of this run. The gradient mode is the caller's. Used by one thread, which records nothing else
// meanwhile; other threads may record at the same time. Freed by another thread, it stops that one at its next
// operator.
class Recording {
 public:
  virtual ~Recording() = default;  // records no more if end() was not reached

  // at::Tensor *, borrowed as long as this lives.
  virtual std::span<void* const> inputs() const = 0;
  // The next result. `at_tensor`: an at::Tensor *, borrowed for the call. Throws Error(Code::Argument) if it is null or
  // undefined, or after end().
  virtual void add_output(const void* at_tensor, const std::string& name = {}) = 0;
  // The code gave an attribute of a module another value: `at_tensor`, or what is not a tensor. `as_output`: a tensor
  // is the next result. Throws as add_output() does.
  virtual void set_attribute(const std::string& name, const void* at_tensor, bool as_output) = 0;
  // A parameter the code reads: a weight under this name. To be declared before its first use; its memory is shown, not
  // copied, by the program. Throws as add_output() does.
  virtual void add_weight(const void* at_tensor, const std::string& name) = 0;
  // The size of a recorded tensor on an axis (negative: from the end) as a recorded value itself: an at::Tensor * of
  // rank 0 and dtype int64, borrowed as long as this lives. What is computed from it with tensor operators follows the
  // size. Throws as add_output() does, and for a tensor that was not recorded or does not have the axis.
  virtual void* size(const void* at_tensor, std::int64_t axis) = 0;

  // To be called before the code runs: its first `count` reads give other numbers. Where it reads many times as often,
  // the numbers are low and high by turns, so that a loop ends that waits for one.
  virtual void replace_reads(Reads reads, std::size_t count) = 0;

  // To be called before the code runs: matrix products and convolutions give numbers from -8 to 8, which rise or fall
  // from element to element, in the form of their results, for what is recorded is wanted, and no result.
  virtual void sketch(bool rising) = 0;

  // Records no more, and gives the program. Throws Error(Code::Argument) if there is no output, on another thread than
  // the one that began, or the second time; Error(Code::Unsupported), naming the operator and its scope, where the code
  // wrote to a recorded tensor or a declared weight past the operators (data_ptr, an accessor, memcpy), where operators
  // ran on another thread on what was recorded, and where the replay gives something else than the code returned.
  virtual Traced end(const TraceOptions& options = {}) = 0;
};

}  // namespace tonnx::backend
