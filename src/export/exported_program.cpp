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

  ir::RawProgram import(const std::string& method, const ir::Arguments& args, Training) const override {
    const std::vector<std::string>& models = archive_->models();
    const bool any = method == "forward" && std::find(models.begin(), models.end(), method) == models.end();
    ir::RawProgram program = archive_->import(any ? models.front() : method);
    if (!args.positional.empty() || !args.keywords.empty())
      program.warnings.push_back("the example inputs are not used: the archive tells what the program takes");
    return program;
  }

  std::vector<ir::Tensor> run(const std::string&, const ir::Arguments&, Training) const override {
    throw ir::Error(ir::Code::Unsupported, "a program of torch.export is not run here: compare the model's results with PyTorch's own");
  }

 private:
  std::shared_ptr<const exported::Archive> archive_;
};

}  // namespace

std::shared_ptr<const LoadedProgram> open_exported(std::shared_ptr<const archive::ArchiveFile> file) {
  return std::make_shared<ExportedProgram>(exported::Archive::open(std::move(file)));
}

}  // namespace tonnx::exporting
