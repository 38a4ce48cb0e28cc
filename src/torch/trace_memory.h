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
#include "torch/pointer_watch.h"
#include "torch/tensor_sample.h"

// Internal: includes LibTorch.
namespace tonnx::torch {

// The sources of elements, besides the code itself.
struct Origin {
  bool input = false;  // an input of the recording
  bool drawn = false;  // random numbers

  Origin& operator|=(const Origin& other) {
    input |= other.input;
    drawn |= other.drawn;
    return *this;
  }
};

// Tracks the contents of the tensors of a recording, operator by operator. Calls no operators, so it can be used in the
// tracer's hooks. A tensor that the tracer does not know becomes a constant with its bytes when it is read. If it views
// the memory of a recorded value with the layout of a known tensor, as data() does, it becomes an alias of that tensor.
// The host may write to memory from outside and from operators without operands: such a write is recorded. A write of
// the host to values that depend on an input cannot be recorded: it is stored as the reason to refuse the recording.
// Used by the recording thread; functions marked so, also by others at the same time.
class TraceMemory {
 public:
  struct Weight {
    at::Tensor tensor;  // with its content before the recording first wrote to it
    std::string name;
    bool written = false;
    at::Tensor now = {};  // the tensor that the recording wrote to; undefined: none
  };
  // A further name of a declared weight.
  struct OtherName {
    at::Tensor tensor;
    std::string name;
    std::string weight;
  };
  // An undeclared tensor from outside, and the constant of the graph with its previous content.
  struct Captured {
    at::Tensor constant;
    at::Tensor tensor;
  };

  explicit TraceMemory(::torch::jit::tracer::TracingState& state) : state_(state) {}

  void add_input(const at::Tensor& tensor, const std::string& name);
  bool has_quantised_input() const { return has_quantised_input_; }
  // The program shares its bytes, unless the recorded code writes to them. Throws Error(Code::Argument) if the tensor
  // was computed from an input.
  void add_weight(const at::Tensor& tensor, const std::string& name);
  // The weights that operators had read before they were added: the program has something else in their place.
  const std::vector<std::string>& late_weights() const { return late_weights_; }

  // Call it before an operator reads the tensor; afterwards the tracer knows it. `reader`: name of the operator.
  void read(const at::Tensor& tensor, const std::string& reader);
  // Call it before an operator writes to the tensor.
  void before_write(const at::Tensor& tensor);
  Origin origin_of(const at::Tensor& tensor);
  // On any thread: true if it is a plain tensor whose elements depend on an input.
  bool holds_computed(const at::Tensor& tensor);
  // On any thread: reports a tensor that an unrecorded operator computed from such a tensor, or wrote to.
  void computed_elsewhere(const at::Tensor& tensor, const std::string& name);

  // Call it before and after an operator that is not part of another one, recorded or not: what happens to memory in
  // between is not an access of the host. `uses_others`: it may use further tensors.
  // `changed`: its written arguments and its results.
  void enter_operator(const std::vector<at::Tensor>& arguments, bool uses_others);
  void leave_operator(const std::vector<at::Tensor>& changed);
  // Call it before the host adds something to the program without an operator.
  void note_pointers(bool look_at_all);
  // From the first of them to the last of the second, pointers are not looked for: the code of a function that the host
  // names may be converted as a whole. Calls may be nested.
  void pause_pointers();
  void continue_pointers();
  // On any thread: an operator of another thread uses the tensor.
  void used_elsewhere(const at::Tensor& tensor);
  // Call it at the end of the recording, on its thread: pointers that the host takes from now on have no effect.
  void stop_pointers();
  // Descriptions of values to whose elements the host has taken a pointer, if they depend on inputs or random numbers.
  const std::vector<std::string>& pointers() const { return pointers_; }

  // After an operator: its written arguments, then its results.
  void written(const at::Tensor& tensor, Origin origin);
  void result(const at::Tensor& tensor, const OperatorTraits& traits, Origin origin);

  // A tensor before its sizes are changed.
  struct Resized {
    at::Tensor tensor;
    Layout layout;
    ::torch::jit::Value* value;
    bool had_no_memory;
  };
  // For a plain tensor that the tracer knows; the tensor becomes unknown until resized() is called.
  std::optional<Resized> before_resize(const at::Tensor& tensor);
  // If the sizes are unchanged, nothing happened; a tensor with its first memory is a new tensor; others stay unknown.
  void resized(const Resized& before);
  // After an operator replaced the memory of the tensor: its value is determined when it is read.
  void given_memory(const at::Tensor& tensor);

  // A traced function, from `begin` to `end`, has returned the tensor: it is this output of `end` from now on.
  void returned(const at::Tensor& tensor, const ::torch::jit::Node* begin, ::torch::jit::Node* end, std::size_t index);
  // At the end: the outputs of functions that share memory with other tensors of the recording while it is written to.
  std::vector<const ::torch::jit::Value*> shared_outputs() const;

  // At the end: checks that the declared weights are unchanged.
  void check_weights();
  void refuse(const std::string& text, const std::string& op = {});
  void throw_refusal() const;

  // Describes the source of a value: "input 'x'", "weight 'w'", "the result of aten::relu in block.act (operator 3 of
  // the recording)".
  std::string describe(const ::torch::jit::Value* value) const;
  // The graph's inputs after the caller's, in order.
  const std::vector<Weight>& weights() const { return weights_; }
  const std::vector<OtherName>& other_names() const { return other_names_; }
  // True if an operator wrote to the memory.
  bool is_written(const at::Tensor& tensor);
  // Captured tensors that operators wrote to.
  std::vector<Captured> written_captures();
  // Releases the host's tensors. Call it when the recording has become a program.
  void release();
  // Results of operators.
  const std::unordered_map<const ::torch::jit::Value*, TensorSample>& samples() const { return samples_; }

 private:
  using JitValue = ::torch::jit::Value;

  struct Extent {
    const c10::StorageImpl* storage;
    Layout layout;
  };
  // An output of a function.
  struct Returned {
    const ::torch::jit::Node* begin;
    const JitValue* value;
    bool is_outside;  // its memory existed before the function
    bool is_written;  // in the function (memory from before), or afterwards
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
  void note_write(MemoryBlock& block, const ::torch::jit::Node* writer);
  bool has_other_readers(const Returned& output, const std::vector<const JitValue*>& of_storage) const;
  void watch(const at::Tensor& tensor);

  ::torch::jit::tracer::TracingState& state_;
  std::recursive_mutex mutex_;
  bool has_quantised_input_ = false;
  MemoryBlocks blocks_;
  std::unordered_map<const JitValue*, Extent> extents_;
  std::unordered_map<const JitValue*, std::string> inputs_;
  std::unordered_map<const JitValue*, TensorSample> samples_;
  std::vector<Weight> weights_;
  std::vector<std::string> late_weights_;
  std::vector<OtherName> other_names_;
  std::vector<Captured> captured_;
  std::vector<Returned> returned_;
  PointerWatch pointer_watch_;
  std::size_t pauses_ = 0;
  std::vector<std::string> pointers_;
  std::optional<ir::Error> refusal_;  // the first one
};

// The path of a scope of begin_trace_scope(): "block.act".
std::string module_of(const ::torch::jit::ScopePtr& scope);

// False for constants and for construction and unpacking of lists and tuples.
bool is_recorded_operator(const ::torch::jit::Node& node);

}  // namespace tonnx::torch
