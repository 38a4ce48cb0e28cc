#include "torch/backend.h"

#include <utility>

#include <torch/version.h>

#include "torch/archive.h"
#include "torch/args_file.h"
#include "torch/compile.h"
#include "torch/copied_module.h"
#include "torch/evaluator.h"
#include "torch/graph_run.h"
#include "torch/libtorch_texts.h"
#include "torch/op_library.h"
#include "torch/quiet.h"
#include "torch/recording.h"
#include "torch/tensor_handle.h"
#include "torch/trace.h"

namespace tonnx::torch {
namespace {

class LibTorch final : public backend::Backend {
 public:
  std::shared_ptr<Archive> load_archive(const std::string& path) override { return torch::load_archive(path); }
  std::shared_ptr<Archive> load_archive(std::vector<std::byte> bytes) override {
    return torch::load_archive(std::move(bytes));
  }
  std::shared_ptr<Archive> compile(const std::string& source, const std::string& file,
                                   const ir::Arguments& attributes) override {
    return torch::compile(source, file, attributes);
  }
  std::shared_ptr<Archive> copy_module(const void* jit_module, bool share_weights) override {
    return torch::copy_module(jit_module, share_weights);
  }
  ir::Arguments read_arguments(const std::string& path) override { return torch::read_arguments(path); }
  std::unique_ptr<ir::Evaluator> make_evaluator() override { return torch::make_evaluator(); }

  std::vector<ir::Tensor> run_graph(const ir::Graph& program, const std::vector<ir::Tensor>& inputs,
                                    backend::RandomNumbers random) override {
    return torch::run_graph(program, inputs, random);
  }

  std::unique_ptr<backend::Recording> record(const ir::Arguments& arguments) override {
    return std::make_unique<Recording>(arguments);
  }
  void begin_trace_scope(const std::string& type, const std::string& name) override {
    torch::begin_trace_scope(type, name);
  }
  void end_trace_scope() override { torch::end_trace_scope(); }

  ir::Tensor tensor_from_handle(const void* at_tensor) override { return torch::tensor_from_handle(at_tensor); }
  void* make_handle(const ir::Tensor& tensor) override { return torch::make_handle(tensor); }
  void* copy_handle(const void* at_tensor) override { return torch::copy_handle(at_tensor); }
  void destroy_handle(void* at_tensor) noexcept override { torch::destroy_handle(at_tensor); }

  void load_library(const std::string& path) override { torch::load_library(path); }
  void register_schema(const std::string& schema) override { torch::register_schema(schema); }

  std::string without_back_trace(const std::string& text) override { return texts::without_back_trace(text); }

  bool begin_quiet() noexcept override { return torch::begin_quiet(); }
  void end_quiet(bool before) noexcept override { torch::end_quiet(before); }
  std::shared_ptr<void> suspend_trace() override { return torch::suspend_trace(); }
  void resume_trace(std::shared_ptr<void> tracer) override { torch::resume_trace(std::move(tracer)); }
};

}  // namespace

backend::Backend& libtorch_backend() {
  static auto& backend = *new LibTorch;
  return backend;
}

std::uint32_t libtorch_line() noexcept { return TORCH_VERSION_MAJOR << 8 | TORCH_VERSION_MINOR; }

}  // namespace tonnx::torch
