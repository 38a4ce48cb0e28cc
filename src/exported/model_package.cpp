#include "exported/model_package.h"

#include <algorithm>
#include <limits>

#include "exported/document_error.h"
#include "ir/error.h"

namespace tonnx::exported {

using archive::ArchiveFile;
using archive::ZipEntry;
using ir::Error;

namespace {

constexpr std::string_view kModels = "models/";
constexpr std::string_view kJson = ".json";

bool is_empty(const Json& meta) {
  const Json& sizes = meta.at("sizes");
  return std::any_of(sizes.begin(), sizes.end(),
                     [](const Json& size) { return size.at("as_int").get<std::int64_t>() == 0; });
}

constexpr const char* kAbsent = "the program was exported without its weights; specify a state dict";

// A storage whose bytes are not in the archive.
class AbsentStorage final : public ir::Storage {
 public:
  std::size_t size() const override { return static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max()); }
  const std::byte* data() const override {
    throw Error(ir::Code::Unsupported, std::string("a weight's values are needed: ") + kAbsent);
  }
  const std::string& path() const override { return path_; }
  std::uint64_t offset() const override { return 0; }

 private:
  const std::string path_;
};

class ModelPackage final : public Package {
 public:
  explicit ModelPackage(std::shared_ptr<const ArchiveFile> file) : Package(std::move(file)) {
    for (const ZipEntry& entry : file_->entries()) {
      const std::string record = ArchiveFile::record_name(entry.name);
      if (record.starts_with(kModels) && record.ends_with(kJson))
        models_.push_back(record.substr(kModels.size(), record.size() - kModels.size() - kJson.size()));
    }
    std::sort(models_.begin(), models_.end());
    const ZipEntry* order = find("byteorder");
    if (order && file_->text(*order) != "little")
      throw Error(ir::Code::Unsupported, file_->what() + " was written on a big-endian machine");
  }

  JsonDocument program(const std::string& model) const override {
    return document(std::string(kModels) + model + std::string(kJson));
  }

  Payloads payloads(const std::string& model) const override {
    Payloads result;
    read("data/weights/", model + "_weights_config.json", result.weights, result);
    read("data/constants/", model + "_constants_config.json", result.constants, result);
    return result;
  }

 private:
  std::string record_of_examples(const std::string& model) const override {
    return "data/sample_inputs/" + model + ".pt";
  }

  // Names with the same record share storage, unless it is empty: PyTorch uses one record for all empty weights.
  void read(const std::string& folder, const std::string& config, std::unordered_map<std::string, ir::Tensor>& tensors,
            Payloads& payloads) const {
    if (!find(folder + config)) return;
    const JsonDocument list = document(folder + config);
    std::unordered_map<std::string, std::string>& unreadable = payloads.unreadable;
    std::unordered_map<std::string, std::shared_ptr<const ir::Storage>> storages;
    for (const auto& [key, payload] : list.root().at("config").members()) {
      const std::string name(key);
      const std::string record = folder + payload.at("path_name").get<std::string>();
      if (payload.at("use_pickle").get<bool>() || payload.at("tensor_meta").is_null()) {
        unreadable[name] = "it is an object of an unknown class";
        continue;
      }
      const ZipEntry* entry = find(record);
      if (!entry) damaged("it has no '" + record + "', where '" + name + "' should be");
      if (!entry->stored) {
        unreadable[name] = "its record is compressed";
        continue;
      }
      const bool absent = entry->size == 0 && !is_empty(payload.at("tensor_meta"));
      if (absent) unreadable[name] = kAbsent;
      std::shared_ptr<const ir::Storage> storage;
      if (absent)
        storage = std::make_shared<AbsentStorage>();
      else
        storage = storages[record];
      if (!storage && entry->size < archive::kSkippedSize) file_->check(*entry);
      if (!storage) storage = storages[record] = file_->storage(entry->offset, static_cast<std::size_t>(entry->size));
      try {
        (absent ? payloads.absent : tensors)[name] = tensor_of(payload.at("tensor_meta"), storage);
      } catch (const DocumentError& error) {
        damaged("'" + name + "': " + error.what());
      } catch (const Error& error) {
        unreadable[name] = error.what();
      }
    }
  }
};

}  // namespace

std::shared_ptr<const Package> open_model_package(std::shared_ptr<const ArchiveFile> file) {
  return std::make_shared<ModelPackage>(std::move(file));
}

}  // namespace tonnx::exported
