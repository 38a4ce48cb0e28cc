#include "export/exported_program.h"

#include <algorithm>

#include "backend/libtorch.h"
#include "exported/archive.h"
#include "ir/error.h"

namespace tonnx::exporting {
namespace {

class ExportedProgram final : public LoadedProgram {
 public:
  explicit ExportedProgram(std::shared_ptr<const exported::Archive> archive) : archive_(std::move(archive)) {}

  std::vector<std::string> methods() const override { return archive_->models(); }
  bool has_facts() const override { return true; }

  ir::RawProgram import(const std::string& method, const ir::Arguments& args, Training) const override {
    return is_empty(args) ? archive_->import(model(method)) : archive_->import(model(method), args);
  }

  std::vector<ir::Tensor> run(const std::string& method, const ir::Arguments& args, Training,
                              std::span<const ir::StateWrite> state) const override {
    const ir::RawProgram program = archive_->import(model(method), args);
    for (const ir::StateWrite& write : state.subspan(std::min(state.size(), program.state.outputs.size())))
      program.graph->block().add_output(value_of(program, write));
    return backend::libtorch().run_graph(*program.graph, program.inputs);
  }

  std::shared_ptr<const LoadedProgram> with_weights(const std::string& path) const override {
    return std::make_shared<ExportedProgram>(archive_->with_weights(exported::read_state_dict(path)));
  }

  std::shared_ptr<const LoadedProgram> with_written_outputs() const override {
    return std::make_shared<ExportedProgram>(archive_->with_written_outputs());
  }

  std::shared_ptr<const LoadedProgram> with_sizes(const std::map<std::string, std::int64_t>& sizes) const override {
    return std::make_shared<ExportedProgram>(archive_->with_sizes(sizes));
  }

  std::shared_ptr<const LoadedProgram> with_absent_weights() const override {
    return std::make_shared<ExportedProgram>(archive_->with_absent_weights());
  }

  ir::Arguments examples(const std::string& method) const override { return archive_->examples(model(method)); }

 private:
  static bool is_empty(const ir::Arguments& args) { return args.positional.empty() && args.keywords.empty(); }

  // The value of a storage that the raw program writes to; at the end it has the new elements.
  static ir::Value* value_of(const ir::RawProgram& program, const ir::StateWrite& write) {
    const bool is_input = write.kind == ir::StateWrite::Kind::Input;
    const auto has_name = [&](const ir::Value& value) {
      if (value.name() == write.name) return true;
      const auto others = program.state.other_names.find(value.name());
      return !is_input && others != program.state.other_names.end() &&
             std::ranges::find(others->second, write.name) != others->second.end();
    };
    for (ir::Value* value : is_input ? program.graph->inputs() : program.graph->weights())
      if (has_name(*value)) return value;
    throw ir::Error(ir::Code::Internal, "the program writes to '" + write.name + "', which it does not have");
  }

  // "forward" is the first model if none has that name.
  std::string model(const std::string& method) const {
    const std::vector<std::string>& models = archive_->models();
    const bool any = method == "forward" && std::find(models.begin(), models.end(), method) == models.end();
    return any ? models.front() : method;
  }

  std::shared_ptr<const exported::Archive> archive_;
};

}  // namespace

std::shared_ptr<const LoadedProgram> open_exported(std::shared_ptr<const archive::ArchiveFile> file) {
  return std::make_shared<ExportedProgram>(exported::Archive::open(std::move(file)));
}

}  // namespace tonnx::exporting
