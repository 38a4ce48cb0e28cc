#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/record_function.h>
#include <c10/util/Exception.h>
#include <torch/csrc/jit/frontend/tracer.h>
#include <torch/csrc/jit/ir/ir.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

// LibTorch's tracer at work on this thread. Internal: includes LibTorch.
namespace tonnx::torch {

// Collects texts, each once; what LibTorch warns of without its place.
class Warnings final : public c10::WarningHandler {
 public:
  void process(const c10::Warning& warning) override { add(warning.msg().substr(0, warning.msg().find('\n'))); }
  void add(const std::string& text);

  std::vector<std::string> texts;
};

// From begin to stop() the operators that this thread calls are recorded. The graph's inputs are those of the caller and
// one per weight, declared or found on the way.
class TraceSession {
 public:
  struct Weight {
    at::Tensor tensor;
    std::string name;  // empty: found on the way
    std::int64_t version;
    const ::torch::jit::Value* value;
  };

  // Throws Error(Code::Argument) if this thread records already, here or by a tracer of the caller's own.
  static void require_none();
  // To be called where none is.
  static std::shared_ptr<TraceSession> begin();
  // By the thread that began; by another, that one stops at its next operator.
  void stop();

  void add_input(const at::Tensor& tensor);
  void add_weight(const at::Tensor& tensor, const std::string& name);
  // The size as a recorded value: a rank-0 int64 tensor. Throws Error(Code::Argument) for a tensor that was not recorded
  // and an axis it does not have.
  at::Tensor size_of(const at::Tensor& tensor, std::int64_t axis);
  // What is recorded returns the tensor.
  void add_output(const at::Tensor& tensor);

  const std::shared_ptr<::torch::jit::Graph>& graph() const { return state_->graph; }
  const std::vector<Weight>& weights() const { return weights_; }
  // What LibTorch and the session warned of.
  const std::vector<std::string>& warnings() const { return warnings_.texts; }

 private:
  TraceSession();
  static std::unique_ptr<at::ObserverContext> before_operator(const at::RecordFunction& function);
  static void leave_thread();
  void read_by_operator(const at::RecordFunction& function);
  void add_captured(const at::Tensor& tensor);
  void add_captured(const c10::IValue& value);
  void warn_of_read(c10::ArrayRef<const c10::IValue> inputs);
  const ::torch::jit::Value* new_input(const at::Tensor& tensor);

  static thread_local std::shared_ptr<TraceSession> current_;
  std::shared_ptr<::torch::jit::tracer::TracingState> state_;
  std::atomic<bool> stopped_ = false;
  Warnings warnings_;
  c10::WarningHandler* warned_before_ = nullptr;
  at::CallbackHandle handle_ = 0;
  std::vector<Weight> weights_;
};

}  // namespace tonnx::torch
