#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "archive/archive_file.h"
#include "exported/state_dict.h"
#include "ir/raw_program.h"

namespace tonnx::exported {

// An archive of torch.export (.pt2); its weights stay in the file. Immutable; threads may share it.
class Archive {
 public:
  // True if an archive with these entries is of torch.export, or a package compiled from one.
  static bool is_one(const std::vector<archive::ZipEntry>& entries);
  // Opens an archive; null if it is of another kind. Throws Error(Code::File) if parts of it are missing or damaged,
  // Error(Code::Unsupported) for a compiled package, which has no program.
  static std::shared_ptr<const Archive> open(std::shared_ptr<const archive::ArchiveFile> file);
  virtual ~Archive() = default;

  // Names of its models; "model" comes first.
  virtual const std::vector<std::string>& models() const = 0;

  // Imports the raw program of a model. Throws Error(Code::Argument) if there is no such model,
  // Error(Code::Unsupported) for parts without ONNX form and for a newer document version, Error(Code::File) if it is
  // damaged.
  virtual ir::RawProgram import(const std::string& model) const = 0;
  // Same, with the inputs for these arguments. Throws Error(Code::Argument) if they do not fit.
  virtual ir::RawProgram import(const std::string& model, const ir::Arguments& arguments) const = 0;
  // Example inputs that a model was exported with; empty if they were not saved. Throws Error(Code::Unsupported), with
  // the class name, if there is an object among them.
  virtual ir::Arguments examples(const std::string& model) const = 0;
  // Returns the same programs with these weights instead of their own, as in replace_weights(); import() throws its
  // errors.
  virtual std::shared_ptr<const Archive> with_weights(StateDict weights) const = 0;
  // Returns the same programs with outputs NAME_written, after their own, for writes to buffers and inputs.
  virtual std::shared_ptr<const Archive> with_written_outputs() const = 0;
  // Returns the same programs with numbers for symbols of their sizes, as if they had been exported with them. import()
  // throws Error(Code::Argument) if ranges or conditions of the program do not allow them.
  virtual std::shared_ptr<const Archive> with_sizes(std::map<std::string, std::int64_t> sizes) const = 0;
  // Returns the same programs in which a weight without values is an error only when its values are read, with
  // Error(Code::Unsupported).
  virtual std::shared_ptr<const Archive> with_absent_weights() const = 0;
};

}  // namespace tonnx::exported
