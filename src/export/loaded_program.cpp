#include "export/loaded_program.h"

#include <cstring>

#include "archive/archive_file.h"
#include "backend/libtorch.h"
#include "export/exported_program.h"
#include "export/script_trace.h"
#include "exported/archive.h"
#include "ir/error.h"

namespace tonnx::exporting {

ir::Training training_form(Training training) {
  switch (training) {
    case Training::Eval: return ir::Training::Eval;
    case Training::Preserve: return ir::Training::Preserve;
    case Training::Train: return ir::Training::Train;
  }
  return ir::Training::Eval;
}

namespace {

class ArchiveProgram final : public LoadedProgram {
 public:
  explicit ArchiveProgram(std::shared_ptr<backend::Archive> archive, bool written_outputs = false)
      : archive_(std::move(archive)), written_outputs_(written_outputs) {}

  std::vector<std::string> methods() const override { return archive_->methods(); }

  ir::RawProgram import(const std::string& method, const ir::Arguments& args, Training training) const override {
    return archive_->import(args, method, training_form(training), written_outputs_);
  }

  ir::RawProgram described(const std::string& method, const ir::Arguments& args, Training training) const override {
    try {
      return import(method, args, training);
    } catch (const ir::Error& error) {
      if (error.code() != ir::Code::Unsupported) throw;
      return archive_->import_inputs(args, method);
    }
  }

  std::vector<ir::Tensor> run(const std::string& method, const ir::Arguments& args, Training training,
                              std::span<const ir::StateWrite> state) const override {
    return archive_->run(args, method, training_form(training), state);
  }

  std::shared_ptr<const LoadedProgram> with_written_outputs() const override {
    return std::make_shared<ArchiveProgram>(archive_, true);
  }

  std::shared_ptr<const LoadedProgram> trace(const std::string& method, const ir::Arguments& args, Training training,
                                             const TraceOptions& options) const override {
    return trace_script(*archive_, ArchiveProgram(archive_).described(method, args, training), method, args, training,
                        options, written_outputs_);
  }

 private:
  std::shared_ptr<backend::Archive> archive_;
  bool written_outputs_;
};

// Returns false also if the bytes are not an archive; loading reports that.
bool is_exported(const std::vector<std::byte>& bytes) {
  const auto read = [&](std::uint64_t offset, void* out, std::size_t size) {
    if (offset > bytes.size() || size > bytes.size() - offset) return false;
    if (size != 0) std::memcpy(out, bytes.data() + offset, size);
    return true;
  };
  try {
    return exported::Archive::is_one(archive::read_zip_directory(read, bytes.size(), "the archive"));
  } catch (const ir::Error&) {
    return false;
  }
}

}  // namespace

std::shared_ptr<const LoadedProgram> LoadedProgram::with_weights(const std::string&) const {
  throw ir::Error(ir::Code::Argument,
                  "only the weights of a torch.export program (.pt2) can be replaced; a trace or a TorchScript archive "
                  "has its own");
}

std::shared_ptr<const LoadedProgram> LoadedProgram::with_sizes(const std::map<std::string, std::int64_t>&) const {
  throw ir::Error(ir::Code::Argument,
                  "only a torch.export program (.pt2) has dynamic sizes that can be fixed; sizes of a script or a "
                  "trace are the example's unless a dynamic axis names them");
}

std::shared_ptr<const LoadedProgram> open_archive(const std::string& path) {
  const auto file = archive::ArchiveFile::open(path);
  if (exported::Archive::is_one(file->entries())) return open_exported(file);
  return std::make_shared<ArchiveProgram>(backend::libtorch().load_archive(path));
}

std::shared_ptr<const LoadedProgram> open_archive(std::vector<std::byte> bytes) {
  if (is_exported(bytes)) return open_exported(archive::ArchiveFile::from_bytes(std::move(bytes)));
  return std::make_shared<ArchiveProgram>(backend::libtorch().load_archive(std::move(bytes)));
}

std::shared_ptr<const LoadedProgram> compile_source(const std::string& source, const std::string& file,
                                                    const ir::Arguments& attributes) {
  return std::make_shared<ArchiveProgram>(backend::libtorch().compile(source, file, attributes));
}

std::shared_ptr<const LoadedProgram> copy_module(const void* jit_module, bool share_weights) {
  return std::make_shared<ArchiveProgram>(backend::libtorch().copy_module(jit_module, share_weights));
}

}  // namespace tonnx::exporting
