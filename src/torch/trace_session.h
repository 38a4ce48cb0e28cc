#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/record_function.h>
#include <c10/util/Exception.h>
#include <torch/csrc/jit/frontend/tracer.h>
#include <torch/csrc/jit/ir/ir.h>

#include "torch/host_reads.h"
#include "torch/operator_traits.h"
#include "torch/random_state.h"
#include "torch/trace_functions.h"
#include "torch/trace_memory.h"
#include "torch/trace_watch.h"

// Runs LibTorch's tracer on this thread. Internal: includes LibTorch.
namespace tonnx::torch {

// Collects LibTorch's warnings, without duplicates and locations.
class Warnings final : public c10::WarningHandler {
 public:
  void process(const c10::Warning& warning) override { add(warning.msg().substr(0, warning.msg().find('\n'))); }
  void add(const std::string& text);

  std::vector<std::string> texts;
};

// Records the operators that this thread calls from begin to stop(). The graph's inputs are the caller's and one per
// declared weight.
class TraceSession {
 public:
  // Throws Error(Code::Argument) if this thread is already recording, here or with a tracer of the caller.
  static void require_none();
  // Call it only if there is none.
  static std::shared_ptr<TraceSession> begin();
  // Called by the thread that began; if called by another thread, the first one stops at its next operator.
  void stop();

  // Returns the size as a recorded value: a rank-0 int64 tensor. Throws Error(Code::Argument) for a tensor that was not
  // recorded, and for an axis that it does not have.
  at::Tensor size_of(const at::Tensor& tensor, std::int64_t axis);
  // Makes the tensor an output of the recording.
  void add_output(const at::Tensor& tensor);

  const std::shared_ptr<::torch::jit::Graph>& graph() const { return state_->graph; }
  TraceMemory& memory() { return memory_; }
  const TraceMemory& memory() const { return memory_; }
  HostReads& reads() { return reads_; }
  TraceFunctions& functions() { return functions_; }
  const std::vector<backend::DataSizes>& data_sizes() const { return data_sizes_; }
  // At the beginning.
  const RandomState& random_state() const { return random_state_; }
  // LibTorch's warnings.
  const std::vector<std::string>& warnings() const { return warnings_.texts; }

 private:
  struct Call;

  TraceSession();
  static std::unique_ptr<at::ObserverContext> before_operator(const at::RecordFunction& function);
  static void after_operator(const at::RecordFunction& function, at::ObserverContext* context);
  static void leave_thread();
  void enter(const at::RecordFunction& function, Call& call);
  void leave(const at::RecordFunction& function, const Call& call);
  void update_memory(const at::RecordFunction& function, const Call& call);
  void invalidate_memory(const at::Tensor& tensor);
  void remove_failed(const at::RecordFunction& function);
  ::torch::jit::Node* last_node();
  void add_data_sizes(const at::RecordFunction& function);
  void read_by_host(const at::RecordFunction& function, Call& call, bool of_scale);

  static thread_local std::shared_ptr<TraceSession> current_;
  std::shared_ptr<::torch::jit::tracer::TracingState> state_;
  RandomState random_state_{RandomState::Of::Devices};
  TraceMemory memory_;
  TraceFunctions functions_;
  HostReads reads_;
  std::vector<backend::DataSizes> data_sizes_;
  std::optional<TraceWatch> watch_;  // set until stop()
  OperatorTraitsTable traits_;
  int depth_ = 0;           // nesting of calls that the tracer sees
  int operators_ = 0;       // nesting of operators
  bool replacing_ = false;  // a read with a replaced number is in progress
  std::atomic<bool> stopped_ = false;
  Warnings warnings_;
  at::CallbackHandle handle_ = 0;
};

}  // namespace tonnx::torch
