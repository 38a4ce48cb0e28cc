#include <atomic>
#include <cstdint>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "backend/backend.h"
#include "backend/entry.h"
#include "ir/callback_error.h"
#include "ir/error.h"

// Replaces libtonnx_torch-2.99.so, with its own copy of src/ir. Computes nothing: make_handle() returns a
// std::vector<std::string> of this thread's calls, and copy_handle() a std::size_t, the number of requests for its
// backend.
namespace {

using tonnx::ir::CallbackError;
using tonnx::ir::Code;
using tonnx::ir::Error;

thread_local std::vector<std::string> asked;
thread_local bool quiet = false;
std::atomic<std::size_t> entries = 0;

class StandIn final : public tonnx::backend::Backend {
 public:
  std::shared_ptr<tonnx::backend::Archive> load_archive(const std::string& path) override {
    throw Error(Code::File, path, {{"aten::op", "a reason", "module", "source", 2}});
  }
  std::shared_ptr<tonnx::backend::Archive> load_archive(std::vector<std::byte>) override { throw std::bad_alloc(); }
  std::shared_ptr<tonnx::backend::Archive> compile(const std::string&, const std::string&,
                                                   const tonnx::ir::Arguments&) override {
    return nullptr;
  }
  std::shared_ptr<tonnx::backend::Archive> copy_module(const void*, bool) override { return nullptr; }
  tonnx::ir::Arguments read_arguments(const std::string& path) override {
    throw CallbackError(path, {}, std::make_shared<int>(7));
  }
  std::unique_ptr<tonnx::ir::Evaluator> make_evaluator() override { return nullptr; }

  std::vector<tonnx::ir::Tensor> run_graph(const tonnx::ir::Graph&, const std::vector<tonnx::ir::Tensor>&,
                                           tonnx::backend::RandomNumbers) override {
    return {};
  }

  std::unique_ptr<tonnx::backend::Recording> record(const tonnx::ir::Arguments&) override { return nullptr; }
  void begin_trace_scope(const std::string&, const std::string&) override {}
  void end_trace_scope() override {}

  tonnx::ir::Tensor tensor_from_handle(const void*) override {
    return tonnx::ir::Tensor::of_int64(std::vector<std::int64_t>{1, 2, 3});
  }
  void* make_handle(const tonnx::ir::Tensor&) override { return &asked; }
  void* copy_handle(const void*) override { return &entries; }
  void destroy_handle(void*) noexcept override {}

  void load_library(const std::string&) override {}
  void register_schema(const std::string&) override {}
  std::string without_back_trace(const std::string& text) override { return text; }

  bool begin_quiet() noexcept override {
    asked.emplace_back(quiet ? "quiet within quiet" : "quiet");
    return std::exchange(quiet, true);
  }
  void end_quiet(bool before) noexcept override {
    quiet = before;
    asked.emplace_back(quiet ? "still quiet" : "loud");
  }
  std::shared_ptr<void> suspend_trace() override {
    asked.emplace_back("untraced");
    return tracer_;
  }
  void resume_trace(std::shared_ptr<void> tracer) override {
    asked.emplace_back(tracer == tracer_ ? "traced" : "traced by another");
  }

 private:
  const std::shared_ptr<void> tracer_ = std::make_shared<int>(1);
};

}  // namespace

extern "C" {

[[gnu::visibility("default")]] const char* tonnx_torch_build_stamp() { return tonnx::backend::build_stamp(); }

[[gnu::visibility("default")]] std::uint32_t tonnx_torch_libtorch_line() { return 2 << 8 | 99; }

[[gnu::visibility("default")]] tonnx::backend::Backend* tonnx_torch_backend(const tonnx::backend::Host*) {
  static StandIn backend;
  ++entries;
  return &backend;
}

}  // extern "C"
