#include "export/exported_program.h"

#include <algorithm>

#include "exported/archive.h"
#include "ir/error.h"

namespace tonnx::exporting {
namespace {

class ExportedProgram final : public LoadedProgram {
 public:
  explicit ExportedProgram(std::shared_ptr<const exported::Archive> archive) : archive_(std::move(archive)) {}

  std::vector<std::string> methods() const override { return archive_->models(); }
  bool tells_facts() const override { return true; }

  ir::RawProgram import(const std::string& method, const ir::Arguments&, Training) const override {
    const std::vector<std::string>& models = archive_->models();
    const bool any = method == "forward" && std::find(models.begin(), models.end(), method) == models.end();
    return archive_->import(any ? models.front() : method);
  }

  std::vector<ir::Tensor> run(const std::string&, const ir::Arguments&, Training) const override {
    throw ir::Error(ir::Code::Unsupported, "a program of torch.export cannot be run here");
  }

 private:
  std::shared_ptr<const exported::Archive> archive_;
};

}  // namespace

std::shared_ptr<const LoadedProgram> open_exported(std::shared_ptr<const archive::ArchiveFile> file) {
  return std::make_shared<ExportedProgram>(exported::Archive::open(std::move(file)));
}

}  // namespace tonnx::exporting
