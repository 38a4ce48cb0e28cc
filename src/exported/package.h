#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "archive/archive_file.h"
#include "exported/json.h"
#include "exported/unpickler.h"
#include "ir/constant.h"
#include "ir/tensor.h"

namespace tonnx::exported {

// The tensors of one model by name. Nothing of them is read.
struct Payloads {
  std::unordered_map<std::string, ir::Tensor> weights;      // parameters and persistent buffers, by state-dict key
  std::unordered_map<std::string, ir::Tensor> constants;    // tensor constants and other buffers
  std::unordered_map<std::string, std::string> unreadable;  // of either kind: why it has no tensor
  std::unordered_map<std::string, ir::Tensor>
      absent;  // of those: what the archive describes without its bytes, which cannot be read
};

// A torch.export archive: its models and where their parts lie, whichever layout it has. Immutable.
class Package {
 public:
  // Whether an archive of these entries holds anything of torch.export.
  static bool is_one(const std::vector<archive::ZipEntry>& entries);
  // Null where the archive holds nothing of torch.export. Throws Error(Code::Unsupported) for a compiled package, which
  // has no program, and Error(Code::File) where parts are missing or damaged.
  static std::shared_ptr<const Package> open(std::shared_ptr<const archive::ArchiveFile> file);
  virtual ~Package() = default;

  const archive::ArchiveFile& file() const { return *file_; }
  // At least one.
  const std::vector<std::string>& models() const { return models_; }

  // The program's document and tensors; `model` is one of models(). Throw Error(Code::File) where they are damaged.
  virtual JsonDocument program(const std::string& model) const = 0;
  virtual Payloads payloads(const std::string& model) const = 0;
  // The example inputs it was exported with; empty where none were saved. Throws what examples_of() throws.
  ir::Arguments examples(const std::string& model) const;

 protected:
  explicit Package(std::shared_ptr<const archive::ArchiveFile> file);

  // The record of a model's example inputs, which need not be there.
  virtual std::string record_of_examples(const std::string& model) const = 0;
  // The value in a record of torch.save; null where the record is empty or not there.
  PickledPtr saved(const std::string& record) const;

  const archive::ZipEntry* find(const std::string& record) const;
  // Throws Error(Code::File) where there is no such record, or it is no document.
  JsonDocument document(const std::string& record) const;
  [[noreturn]] void damaged(const std::string& why) const;

  std::shared_ptr<const archive::ArchiveFile> file_;
  std::vector<std::string> models_;

 private:
  std::unordered_map<std::string, const archive::ZipEntry*> records_;
};

// A dense tensor over `storage` as a document describes it. Throws Error(Code::Unsupported) for another layout or
// dtype, Error(Code::File) where it reaches beyond the storage; both without the tensor's name.
ir::Tensor tensor_of(const Json& meta, std::shared_ptr<const ir::Storage> storage);

// Throws Error(Code::File) unless all elements of a tensor lie in a storage of `bytes` bytes.
void check_bounds(const ir::Tensor& tensor, std::size_t bytes);

}  // namespace tonnx::exported
