#include "exported/archive.h"

#include <algorithm>

#include "exported/call_spec.h"
#include "exported/document_error.h"
#include "exported/package.h"
#include "exported/program_reader.h"
#include "exported/replace_weights.h"
#include "ir/error.h"

namespace tonnx::exported {

using ir::Code;
using ir::Error;

namespace {

// The newest document version that is supported; older ones are supported, too.
constexpr std::int64_t kMajorVersion = 8;
constexpr std::int64_t kOldestMajorVersion = 7;

class PackageArchive final : public Archive {
 public:
  explicit PackageArchive(std::shared_ptr<const Package> package)
      : package_(std::move(package)), models_(package_->models()) {
    std::stable_partition(models_.begin(), models_.end(), [](const std::string& name) { return name == "model"; });
  }

  const std::vector<std::string>& models() const override { return models_; }

  ir::RawProgram import(const std::string& model) const override {
    return reading(model, [&](const Json& document) {
      ir::RawProgram program = read_program(document, payloads(model, document), model, {written_outputs_, sizes_});
      program.form = std::make_shared<CallSpec>(document.at("graph_module"), program);
      const auto edge =
          std::ranges::find_if(sizes_, [](const auto& size) { return size.second < ir::SizeRange::kOwnLeast; });
      if (edge != sizes_.end()) program.edge = edge->first + " is " + std::to_string(edge->second);
      return program;
    });
  }

  ir::RawProgram import(const std::string& model, const ir::Arguments& arguments) const override {
    ir::RawProgram program = import(model);
    program.inputs = program.form->inputs(arguments);
    return program;
  }

  ir::Arguments examples(const std::string& model) const override {
    return reading(model, [&](const Json&) { return package_->examples(model); });
  }

  std::shared_ptr<const Archive> with_weights(StateDict weights) const override {
    return changed(
        [&](PackageArchive& other) { other.weights_ = std::make_shared<const StateDict>(std::move(weights)); });
  }

  std::shared_ptr<const Archive> with_written_outputs() const override {
    return changed([](PackageArchive& other) { other.written_outputs_ = true; });
  }

  std::shared_ptr<const Archive> with_sizes(std::map<std::string, std::int64_t> sizes) const override {
    return changed([&](PackageArchive& other) { other.sizes_ = std::move(sizes); });
  }

  std::shared_ptr<const Archive> with_absent_weights() const override {
    return changed([](PackageArchive& other) { other.absent_weights_ = true; });
  }

 private:
  template <class Change>
  std::shared_ptr<const Archive> changed(const Change& change) const {
    auto other = std::make_shared<PackageArchive>(*this);
    change(*other);
    return other;
  }

  Payloads payloads(const std::string& model, const Json& document) const {
    Payloads payloads = package_->payloads(model);
    if (weights_) replace_weights(document.at("graph_module"), *weights_, payloads);
    if (absent_weights_)
      for (const auto& [name, tensor] : payloads.absent) {
        payloads.weights.emplace(name, tensor);
        payloads.constants.emplace(name, tensor);
      }
    return payloads;
  }

  // Applies `read` to a model's document. Errors of a damaged document name the file.
  template <class Read>
  auto reading(const std::string& model, const Read& read) const -> decltype(read(Json())) {
    const std::string& what = package_->file().what();
    if (std::find(models_.begin(), models_.end(), model) == models_.end()) {
      std::string known;
      for (const std::string& name : models_) known += (known.empty() ? "'" : ", '") + name + "'";
      throw Error(Code::Argument, what + ": there is no model '" + model + "'; the archive has " + known);
    }
    const JsonDocument text = package_->program(model);
    const Json& document = text.root();
    try {
      check_version(document);
      return read(document);
    } catch (const JsonError& error) {
      throw Error(Code::File,
                  what + " is damaged: the program of model '" + model + "' cannot be read (" + error.what() + ")");
    } catch (const DocumentError& error) {
      throw Error(Code::File, what + " is damaged: " + error.what());
    }
  }

  void check_version(const Json& document) const {
    const Json& version = document.at("schema_version");
    const auto major = version.at("major").get<std::int64_t>();
    if (major >= kOldestMajorVersion && major <= kMajorVersion) return;
    const Json* torch = document.find("torch_version");
    const std::string writer = !torch || !torch->is_string() ? "" : ", by PyTorch " + torch->get<std::string>();
    throw Error(Code::Unsupported,
                package_->file().what() + " was written in version " + std::to_string(major) + "." +
                    version.at("minor").dump() + " of the exported program format" + writer +
                    "; this tonnx reads versions " + std::to_string(kOldestMajorVersion) + " to " +
                    std::to_string(kMajorVersion) +
                    (major > kMajorVersion ? ": update tonnx" : ": export the program with a newer PyTorch"));
  }

  std::shared_ptr<const Package> package_;
  std::shared_ptr<const StateDict> weights_;  // null: the archive's own weights
  bool written_outputs_ = false;
  bool absent_weights_ = false;
  std::map<std::string, std::int64_t> sizes_;
  std::vector<std::string> models_;
};

}  // namespace

bool Archive::is_one(const std::vector<archive::ZipEntry>& entries) { return Package::is_one(entries); }

std::shared_ptr<const Archive> Archive::open(std::shared_ptr<const archive::ArchiveFile> file) {
  auto package = Package::open(std::move(file));
  return package ? std::make_shared<PackageArchive>(std::move(package)) : nullptr;
}

}  // namespace tonnx::exported
