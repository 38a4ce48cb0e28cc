#include "export/loaded_program.h"

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

class ArchiveProgram final : public LoadedProgram {
 public:
  explicit ArchiveProgram(std::shared_ptr<torch::Archive> archive) : archive_(std::move(archive)) {}

  std::vector<std::string> methods() const override { return archive_->methods(); }

  torch::RawProgram import(const std::string& method, const ir::Arguments& args, Training training) const override {
    return archive_->import(args, method, {.training = mode(training), .fixed = {}});
  }

  std::vector<ir::Tensor> run(const std::string& method, const ir::Arguments& args, Training training) const override {
    return archive_->run(args, method, mode(training));
  }

 private:
  std::shared_ptr<torch::Archive> archive_;
};

}  // namespace

std::shared_ptr<const LoadedProgram> open_archive(const std::string& path) {
  return std::make_shared<ArchiveProgram>(torch::Archive::load(path));
}

std::shared_ptr<const LoadedProgram> open_archive(std::vector<std::byte> bytes) {
  return std::make_shared<ArchiveProgram>(torch::Archive::load(std::move(bytes)));
}

}  // namespace tonnx::exporting
