#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <torch/csrc/jit/frontend/tracer.h>

#include "ir/error.h"
#include "torch/memory_blocks.h"
#include "torch/operator_traits.h"
#include "torch/tensor_sample.h"

// Internal: includes LibTorch.
namespace tonnx::torch {

// What elements follow from, beyond the code itself.
struct Origin {
  bool input = false;  // an input of the recording
  bool drawn = false;  // random numbers

  Origin& operator|=(const Origin& other) {
    input |= other.input;
    drawn |= other.drawn;
    return *this;
  }
};

// What the tensors of a recording hold, from operator to operator. Calls no operator, so that it may be asked from
// inside of the tracer's hooks.
//
// A tensor that the tracer does not know becomes a constant with the bytes it has when it is read; one that looks at
// the memory of a recorded value as a known tensor does, as data() gives, becomes an alias of that. Memory that came
// from outside or from an operator without operands may be written by the host: such a write is recorded as one. A
// write by the host to what depends on an input cannot be recorded, and is kept as the reason why the recording is
// refused. Used by the thread that records; what says so also by others at the same time.
class TraceMemory {
 public:
  struct Weight {
    at::Tensor tensor;  // with what it held before the recording first wrote to it
    std::string name;
    bool written = false;
    at::Tensor now = {};  // what the recording wrote to; undefined: nothing
  };
  // A tensor from outside that no one declared, and the constant of the graph with what it held before.
  struct Captured {
    at::Tensor constant;
    at::Tensor tensor;
  };

  explicit TraceMemory(::torch::jit::tracer::TracingState& state) : state_(state) {}

  void add_input(const at::Tensor& tensor, const std::string& name);
  // Its bytes are shown by the program, not copied, unless the recorded code writes to them. Throws
  // Error(Code::Argument) if the tensor was computed from an input.
  void add_weight(const at::Tensor& tensor, const std::string& name);

  // To be called before an operator reads the tensor: afterwards the tracer knows it. `reader`: the operator's name.
  void read(const at::Tensor& tensor, const std::string& reader);
  // Before an operator writes to it.
  void before_write(const at::Tensor& tensor);
  Origin origin_of(const at::Tensor& tensor);
  // By any thread: whether it is a plain tensor whose elements follow from an input.
  bool holds_computed(const at::Tensor& tensor);
  // By any thread: what an operator that is not recorded computed from such a tensor, or wrote to.
  void computed_elsewhere(const at::Tensor& tensor, const std::string& name);

  // After an operator: what it wrote to, then what it returned.
  void written(const at::Tensor& tensor, Origin origin);
  void result(const at::Tensor& tensor, const OperatorTraits& traits, Origin origin);

  // A tensor before it was given other sizes.
  struct Resized {
    at::Tensor tensor;
    Layout layout;
    ::torch::jit::Value* value;
    bool had_no_memory;
  };
  // Of a plain tensor that the tracer knows; it forgets one that is resized.
  std::optional<Resized> before_resize(const at::Tensor& tensor);
  // Where the sizes are the same nothing happened; one that gets its first memory is a new tensor; any other stays
  // forgotten.
  void resized(const Resized& before);
  // After an operator gave the tensor the memory of another: what it is follows from that when it is read.
  void given_memory(const at::Tensor& tensor);

  // At the end: whether the declared weights are what they were.
  void check_weights();
  void refuse(const std::string& text, const std::string& op = {});
  void throw_refusal() const;

  // What made the value, as a text: "input 'x'", "weight 'w'", "the result of aten::relu in block.act (operator 3 of
  // the recording)".
  std::string describe(const ::torch::jit::Value* value) const;
  // Of the graph's inputs beyond the caller's, in order.
  const std::vector<Weight>& weights() const { return weights_; }
  // Whether an operator wrote to the memory.
  bool is_written(const at::Tensor& tensor);
  // Captured tensors that operators wrote to.
  std::vector<Captured> written_captures();
  // Lets go of the host's tensors. To be called when the recording has become a program.
  void release();
  // What operators returned.
  const std::unordered_map<const ::torch::jit::Value*, TensorSample>& samples() const { return samples_; }

 private:
  using JitValue = ::torch::jit::Value;

  struct Extent {
    const c10::StorageImpl* storage;
    Layout layout;
  };

  bool knows(const at::Tensor& tensor) const;
  void learn(const at::Tensor& tensor, JitValue* value, MemoryBlock& block);
  JitValue* new_input(const at::Tensor& tensor, const std::string& description);
  void check(const at::Tensor& tensor, MemoryBlock& block, const std::string& reader);
  void record_host_write(MemoryBlock::Span& span, MemoryBlock& block);
  void capture(const at::Tensor& tensor);
  std::string place_of(const ::torch::jit::Node* node) const;
  void alias(const at::Tensor& tensor, JitValue* value);
  const JitValue* root_of(const JitValue* value) const;
  static void look_again(const at::Tensor& tensor, MemoryBlock& block);

  ::torch::jit::tracer::TracingState& state_;
  std::recursive_mutex mutex_;
  MemoryBlocks blocks_;
  std::unordered_map<const JitValue*, Extent> extents_;
  std::unordered_map<const JitValue*, std::string> inputs_;
  std::unordered_map<const JitValue*, TensorSample> samples_;
  std::vector<Weight> weights_;
  std::vector<Captured> captured_;
  std::optional<ir::Error> refusal_;  // the first
};

// The path of a scope that begin_trace_scope() made: "block.act".
std::string module_of(const ::torch::jit::ScopePtr& scope);

// Rather than a maker or taker of lists and tuples, or a constant.
bool is_recorded_operator(const ::torch::jit::Node& node);

}  // namespace tonnx::torch
