#include "export/source.h"

#include "ir/error.h"
#include "torch/archive.h"

namespace tonnx::exporting {
namespace {

torch::Training mode(Training training) {
  switch (training) {
    case Training::Eval: return torch::Training::Eval;
    case Training::Preserve: return torch::Training::Preserve;
    case Training::Train: return torch::Training::Train;
  }
  return torch::Training::Eval;
}

class ArchiveSource final : public Source {
 public:
  explicit ArchiveSource(std::shared_ptr<torch::Archive> archive) : archive_(std::move(archive)) {}

  std::vector<std::string> methods() const override { return archive_->methods(); }

  torch::Program import(const std::string& method, const ir::Arguments& args, Training training) const override {
    return archive_->import(args, method, {.training = mode(training), .fixed = {}});
  }

  std::vector<ir::Tensor> run(const std::string& method, const ir::Arguments& args, Training training) const override {
    return archive_->run(args, method, mode(training));
  }

 private:
  std::shared_ptr<torch::Archive> archive_;
};

class TraceSource final : public Source {
 public:
  explicit TraceSource(torch::Traced traced) : traced_(std::move(traced)) {}

  std::vector<std::string> methods() const override { return {"forward"}; }

  torch::Program import(const std::string& method, const ir::Arguments&, Training) const override {
    if (method != "forward") throw ir::Error(ir::Code::Argument, "a trace has no method '" + method + "'");
    const torch::Program& recorded = traced_.program;
    return {recorded.graph->clone(), recorded.inputs, recorded.output_names, recorded.warnings};
  }

  std::vector<ir::Tensor> run(const std::string&, const ir::Arguments&, Training) const override {
    return traced_.outputs;
  }

 private:
  torch::Traced traced_;
};

}  // namespace

std::shared_ptr<const Source> record_trace(const torch::TraceFunction& function, const ir::Arguments& args) {
  return std::make_shared<TraceSource>(torch::trace(function, args));
}

std::shared_ptr<const Source> open_archive(const std::string& path) {
  return std::make_shared<ArchiveSource>(torch::Archive::load(path));
}

std::shared_ptr<const Source> open_archive(std::vector<std::byte> bytes) {
  return std::make_shared<ArchiveSource>(torch::Archive::load(std::move(bytes)));
}

}  // namespace tonnx::exporting
