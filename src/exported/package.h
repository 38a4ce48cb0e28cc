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

// The tensors of a model, by name. Their bytes are not read.
struct Payloads {
  std::unordered_map<std::string, ir::Tensor> weights;      // parameters and persistent buffers, by state-dict key
  std::unordered_map<std::string, ir::Tensor> constants;    // tensor constants and other buffers
  std::unordered_map<std::string, std::string> unreadable;  // of either kind: why it cannot be read
  std::unordered_map<std::string, ir::Tensor> absent;  // those of them that the archive describes without their bytes
};

// An archive of torch.export: its models and the locations of their parts, in any layout. Immutable.
class Package {
 public:
  // True if an archive with these entries contains anything of torch.export.
  static bool is_one(const std::vector<archive::ZipEntry>& entries);
  // Opens an archive; null if it contains nothing of torch.export. Throws Error(Code::Unsupported) for a compiled
  // package, which has no program, Error(Code::File) if parts are missing or damaged.
  static std::shared_ptr<const Package> open(std::shared_ptr<const archive::ArchiveFile> file);
  virtual ~Package() = default;

  const archive::ArchiveFile& file() const { return *file_; }
  // Has at least one model.
  const std::vector<std::string>& models() const { return models_; }

  // Return the program's document and its tensors; `model` is one of models(). Throw Error(Code::File) if they are
  // damaged.
  virtual JsonDocument program(const std::string& model) const = 0;
  virtual Payloads payloads(const std::string& model) const = 0;
  // Example inputs that the model was exported with; empty if none were saved. Throws the errors of examples_of().
  ir::Arguments examples(const std::string& model) const;

 protected:
  explicit Package(std::shared_ptr<const archive::ArchiveFile> file);

  // Name of the record of a model's example inputs, which may not exist.
  virtual std::string record_of_examples(const std::string& model) const = 0;
  // Reads the value of a record written by torch.save; null if the record is empty or does not exist.
  PickledPtr saved(const std::string& record) const;

  const archive::ZipEntry* find(const std::string& record) const;
  // Throws Error(Code::File) if there is no such record, or it is not a document.
  JsonDocument document(const std::string& record) const;
  [[noreturn]] void damaged(const std::string& why) const;

  std::shared_ptr<const archive::ArchiveFile> file_;
  std::vector<std::string> models_;

 private:
  std::unordered_map<std::string, const archive::ZipEntry*> records_;
};

// A dense tensor over `storage`, as described by a document. Throws Error(Code::Unsupported) for another layout or
// dtype, Error(Code::File) if it extends beyond the storage; the messages do not name the tensor.
ir::Tensor tensor_of(const Json& meta, std::shared_ptr<const ir::Storage> storage);

// Throws Error(Code::File) unless all elements of a tensor are within `bytes` bytes of storage.
void check_bounds(const ir::Tensor& tensor, std::size_t bytes);

}  // namespace tonnx::exported
