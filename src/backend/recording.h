#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ir/attribute.h"
#include "ir/raw_program.h"
#include "ir/state_write.h"
#include "ir/tensor.h"

namespace tonnx::backend {

struct TraceOptions {
  // Run the recording again on the example inputs; refuse it if the results differ from those of the code.
  bool replay = true;
};

// An operator whose result sizes depend on elements of the inputs or on random numbers.
struct DataSizes {
  std::string result;               // "the result of aten::nonzero (operator 3 of the recording)"
  std::vector<std::int64_t> sizes;  // of all its results in this run, in order
};

// Final value of an input or weight of a recording.
struct StateValue {
  ir::StateWrite::Kind kind;
  std::string name;
  ir::Tensor value;
};

struct Traced {
  ir::RawProgram program;
  std::vector<StateValue> state = {};  // everything that the code wrote to
  std::vector<ir::Tensor> outputs;     // copies of the code's results
  // Reads of numbers by item(), equal() and similar operators, if the number depends on inputs or random numbers: "the
  // result of aten::sum (operator 3 of the recording)", without duplicates; and the number of reads.
  std::vector<std::string> reads;
  std::size_t read_count = 0;
  std::vector<std::string> fixed_reads;        // the same for scales and zero points, which are not replaced
  std::vector<std::string> pointers = {};      // the same for values to whose elements the code took a pointer
  std::vector<DataSizes> data_sizes;           // in the order of the calls
  std::vector<std::string> late_weights = {};  // declared after the code had used them
};

// What a read returns: the true number, or a number of the same dtype that is far lower, far higher or zero; for a
// comparison: false, true, or the true answer.
enum class Reads { True, Low, High, Zero };

// One run of the caller's LibTorch code on this thread, recorded from construction to end(). The tensors and numbers of
// the arguments (numbers as rank-0 tensors), with tuples, lists and dicts flattened, become inputs, called "input", or
// "input_0", "input_1", ... if there are several, or by keyword. Inputs are copies, so the code may write to them. None
// and strings are omitted. Tensors that the code reads and that are neither inputs nor declared weights become weights,
// called "constant_N", or after the declared weight whose storage they view. Sizes and numbers that the code reads from
// tensors are constants of this run. The gradient mode is the caller's. Used by one thread, which cannot record
// anything else meanwhile; other threads may record at the same time. If another thread frees it, recording stops at
// the next operator of its own thread.
class Recording {
 public:
  virtual ~Recording() = default;  // stops recording if end() was not called

  // at::Tensor *, borrowed from the recording.
  virtual std::span<void* const> inputs() const = 0;
  // Adds a result. `at_tensor`: an at::Tensor *, borrowed for the call. Throws Error(Code::Argument) if it is null or
  // undefined, or after end().
  virtual void add_output(const void* at_tensor, const std::string& name = {}) = 0;
  // Reports that the code set an attribute of a module to `at_tensor`, or to another value. `as_output`: a tensor is
  // also the next result. Throws the errors of add_output().
  virtual void set_attribute(const std::string& name, const void* at_tensor, bool as_output) = 0;
  // Declares a parameter of the code: a weight with this name. Must be called before its first use. The program shares
  // its storage. Throws the errors of add_output().
  virtual void add_weight(const void* at_tensor, const std::string& name) = 0;
  // Returns the size of a recorded tensor on an axis (negative: from the end) as a recorded value: an at::Tensor * of
  // rank 0 and dtype int64, borrowed from the recording. Results computed from it with tensor operators follow the
  // size. Throws the errors of add_output(), and for a tensor that was not recorded or does not have the axis.
  virtual void* size(const void* at_tensor, std::int64_t axis) = 0;
  // Operators up to the matching end_function() are one function, called on these tensors and arguments: numbers,
  // strings and lists of numbers by name. Functions may be nested. Throws the errors of add_output().
  virtual void begin_function(const std::string& name, std::span<const void* const> inputs,
                              const std::vector<ir::NamedAttribute>& arguments) = 0;
  // Ends the innermost function. Code that reads these tensors from now on reads its results. Throws the errors of
  // add_output(), and Error(Code::Argument) if no function is open.
  virtual void end_function(std::span<const void* const> outputs) = 0;
  // Drops the innermost function: its operators stay in the program. Throws Error(Code::Argument) if no function is
  // open, or after end().
  virtual void abandon_function() = 0;

  // Makes the first `count` reads of the code return other numbers. Must be called before the code runs. If the code
  // reads many times more, low and high numbers alternate, so that a loop that waits for one ends.
  virtual void replace_reads(Reads reads, std::size_t count) = 0;

  // Makes matrix products and convolutions return numbers from -8 to 8, which increase or decrease from element to
  // element, in the form of their results: only the recording is needed, not the results. Must be called before the
  // code runs.
  virtual void sketch(bool rising) = 0;

  // Stops recording and returns the program. Throws Error(Code::Argument) if there is no output, a function is open, on
  // another thread than the one that began, or if called twice. Throws Error(Code::Unsupported), with the operator and
  // its scope, if the code wrote to a recorded tensor or a declared weight without an operator (data_ptr, an accessor,
  // memcpy), if operators ran on recorded tensors on another thread, and if the replay returns other results than the
  // code.
  virtual Traced end(const TraceOptions& options = {}) = 0;
};

}  // namespace tonnx::backend
