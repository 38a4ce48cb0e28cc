#include "exported/flat_package.h"

#include "exported/saved_file.h"
#include "ir/error.h"

namespace tonnx::exported {

using archive::ArchiveFile;
using archive::ZipEntry;

namespace {

class FlatPackage final : public Package {
 public:
  explicit FlatPackage(std::shared_ptr<const ArchiveFile> file) : Package(std::move(file)) { models_ = {"model"}; }

  Json program(const std::string&) const override { return document(std::string(kFlatProgram)); }

  Payloads payloads(const std::string&) const override {
    Payloads result;
    read("serialized_state_dict.pt", result.weights, result.unreadable);
    read("serialized_constants.pt", result.constants, result.unreadable);
    return result;
  }

 private:
  void read(const std::string& record, std::unordered_map<std::string, ir::Tensor>& tensors,
            std::unordered_map<std::string, std::string>& unreadable) const {
    const ZipEntry* entry = find(record);
    if (!entry) damaged("it has no '" + record + "'");
    if (entry->size == 0) return;  // nothing was saved
    if (!entry->stored) throw ir::Error(ir::Code::File, file_->what() + ": its entry '" + record + "' is compressed");
    const PickledPtr saved = read_saved(*file_, entry->offset, entry->size, "'" + record + "' in " + file_->what());
    const auto* dict = saved->get<Pickled::Dict>();
    if (!dict) damaged("its '" + record + "' holds no dict");
    for (const auto& [key, value] : *dict) {
      const auto* name = key->get<std::string>();
      if (!name) continue;
      if (const auto* tensor = value->get<ir::Tensor>()) {
        tensors[*name] = *tensor;
      } else if (const auto* object = value->get<Pickled::Object>()) {
        unreadable[*name] = "it is made by " + object->type;
      } else {
        unreadable[*name] = "it is no tensor";
      }
    }
  }
};

}  // namespace

std::shared_ptr<const Package> open_flat_package(std::shared_ptr<const ArchiveFile> file) {
  return std::make_shared<FlatPackage>(std::move(file));
}

}  // namespace tonnx::exported
