#include "export/loaded_program.h"

#include "backend/libtorch.h"
#include "ir/error.h"

namespace tonnx::exporting {
namespace {

ir::Training mode(Training training) {
  switch (training) {
    case Training::Eval: return ir::Training::Eval;
    case Training::Preserve: return ir::Training::Preserve;
    case Training::Train: return ir::Training::Train;
  }
  return ir::Training::Eval;
}

class ArchiveProgram final : public LoadedProgram {
 public:
  explicit ArchiveProgram(std::shared_ptr<backend::Archive> archive) : archive_(std::move(archive)) {}

  std::vector<std::string> methods() const override { return archive_->methods(); }

  ir::RawProgram import(const std::string& method, const ir::Arguments& args, Training training) const override {
    return archive_->import(args, method, {.training = mode(training), .fixed = {}});
  }

  std::vector<ir::Tensor> run(const std::string& method, const ir::Arguments& args, Training training) const override {
    return archive_->run(args, method, mode(training));
  }

 private:
  std::shared_ptr<backend::Archive> archive_;
};

}  // namespace

std::shared_ptr<const LoadedProgram> open_archive(const std::string& path) {
  return std::make_shared<ArchiveProgram>(backend::libtorch().load_archive(path));
}

std::shared_ptr<const LoadedProgram> open_archive(std::vector<std::byte> bytes) {
  return std::make_shared<ArchiveProgram>(backend::libtorch().load_archive(std::move(bytes)));
}

}  // namespace tonnx::exporting
