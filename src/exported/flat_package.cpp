#include "exported/flat_package.h"

#include "ir/error.h"

namespace tonnx::exported {

using archive::ArchiveFile;
using archive::ZipEntry;

namespace {

class FlatPackage final : public Package {
 public:
  explicit FlatPackage(std::shared_ptr<const ArchiveFile> file) : Package(std::move(file)) { models_ = {"model"}; }

  JsonDocument program(const std::string&) const override { return document(std::string(kFlatProgram)); }

  Payloads payloads(const std::string&) const override {
    Payloads result;
    read("serialized_state_dict.pt", result.weights, result.unreadable);
    read("serialized_constants.pt", result.constants, result.unreadable);
    return result;
  }

 private:
  std::string record_of_examples(const std::string&) const override { return "serialized_example_inputs.pt"; }

  void read(const std::string& record, std::unordered_map<std::string, ir::Tensor>& tensors,
            std::unordered_map<std::string, std::string>& unreadable) const {
    if (!find(record)) damaged("it has no '" + record + "'");
    const PickledPtr value = saved(record);
    if (!value) return;
    const auto* dict = value->get<Pickled::Dict>();
    if (!dict) damaged("its '" + record + "' does not contain a dict");
    for (const auto& [key, value] : *dict) {
      const auto* name = key->get<std::string>();
      if (!name) continue;
      if (const auto* tensor = value->get<ir::Tensor>()) {
        tensors[*name] = *tensor;
      } else if (const auto* object = value->get<Pickled::Object>()) {
        unreadable[*name] = "it is created by " + object->type;
      } else {
        unreadable[*name] = "it is not a tensor";
      }
    }
  }
};

}  // namespace

std::shared_ptr<const Package> open_flat_package(std::shared_ptr<const ArchiveFile> file) {
  return std::make_shared<FlatPackage>(std::move(file));
}

}  // namespace tonnx::exported
