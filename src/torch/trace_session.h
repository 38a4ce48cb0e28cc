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
#include "torch/trace_memory.h"
#include "torch/trace_watch.h"

// LibTorch's tracer at work on this thread. Internal: includes LibTorch.
namespace tonnx::torch {

// Collects texts, each once; what LibTorch warns of without its place.
class Warnings final : public c10::WarningHandler {
 public:
  void process(const c10::Warning& warning) override { add(warning.msg().substr(0, warning.msg().find('\n'))); }
  void add(const std::string& text);

  std::vector<std::string> texts;
};

// From begin to stop() the operators that this thread calls are recorded. The graph's inputs are those of the caller
// and one per declared weight.
class TraceSession {
 public:
  // Throws Error(Code::Argument) if this thread records already, here or by a tracer of the caller's own.
  static void require_none();
  // To be called where none is.
  static std::shared_ptr<TraceSession> begin();
  // By the thread that began; by another, that one stops at its next operator.
  void stop();

  // The size as a recorded value: a rank-0 int64 tensor. Throws Error(Code::Argument) for a tensor that was not
  // recorded and an axis it does not have.
  at::Tensor size_of(const at::Tensor& tensor, std::int64_t axis);
  // What is recorded returns the tensor.
  void add_output(const at::Tensor& tensor);

  const std::shared_ptr<::torch::jit::Graph>& graph() const { return state_->graph; }
  TraceMemory& memory() { return memory_; }
  const TraceMemory& memory() const { return memory_; }
  HostReads& reads() { return reads_; }
  const std::vector<backend::DataSizes>& data_sizes() const { return data_sizes_; }
  // At the beginning.
  const RandomState& random_state() const { return random_state_; }
  // What LibTorch warned of.
  const std::vector<std::string>& warnings() const { return warnings_.texts; }

 private:
  struct Call;

  TraceSession();
  static std::unique_ptr<at::ObserverContext> before_operator(const at::RecordFunction& function);
  static void after_operator(const at::RecordFunction& function, at::ObserverContext* context);
  static void leave_thread();
  std::unique_ptr<Call> enter(const at::RecordFunction& function, bool recorded);
  void leave(const at::RecordFunction& function, const Call& call);
  void forget_memory(const at::Tensor& tensor);
  void forget_failed(const at::RecordFunction& function);
  ::torch::jit::Node* last_node();
  void add_data_sizes(const at::RecordFunction& function);
  void read_by_host(const at::RecordFunction& function, Call& call);

  static thread_local std::shared_ptr<TraceSession> current_;
  std::shared_ptr<::torch::jit::tracer::TracingState> state_;
  RandomState random_state_{RandomState::Of::Devices};
  TraceMemory memory_;
  HostReads reads_;
  std::vector<backend::DataSizes> data_sizes_;
  std::optional<TraceWatch> watch_;  // until stop()
  OperatorTraitsTable traits_;
  int depth_ = 0;           // of calls that the tracer sees
  bool replacing_ = false;  // a read that gives another number is under way
  std::atomic<bool> stopped_ = false;
  Warnings warnings_;
  at::CallbackHandle handle_ = 0;
};

}  // namespace tonnx::torch
