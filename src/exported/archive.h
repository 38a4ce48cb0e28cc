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

// An archive of torch.export (.pt2), whose weights stay in the file. Immutable; threads may share it.
class Archive {
 public:
  // Whether an archive of these entries is one of torch.export, or a package compiled from one.
  static bool is_one(const std::vector<archive::ZipEntry>& entries);
  // Null where the file is an archive of another kind. Throws Error(Code::File) if parts of it are missing or damaged,
  // Error(Code::Unsupported) for a compiled package, which has no program.
  static std::shared_ptr<const Archive> open(std::shared_ptr<const archive::ArchiveFile> file);
  virtual ~Archive() = default;

  // The names of its models; one called "model" stands first.
  virtual const std::vector<std::string>& models() const = 0;

  // The raw program of a model. Throws Error(Code::Argument) if there is no such model, Error(Code::Unsupported) for
  // what no model holds and for a document of a newer kind than is known here, Error(Code::File) where it is damaged.
  virtual ir::RawProgram import(const std::string& model) const = 0;
  // The same with the inputs that these arguments come to. Throws Error(Code::Argument) where they do not fit.
  virtual ir::RawProgram import(const std::string& model, const ir::Arguments& arguments) const = 0;
  // The example inputs that a model was exported with; none where they were not saved. Throws Error(Code::Unsupported)
  // naming the class of an object among them.
  virtual ir::Arguments examples(const std::string& model) const = 0;
  // The same programs with these weights in place of their own, as replace_weights() says; import() throws what that
  // throws.
  virtual std::shared_ptr<const Archive> with_weights(StateDict weights) const = 0;
  // The same programs with what they write to buffers and inputs as outputs behind their own, NAME_written.
  virtual std::shared_ptr<const Archive> with_written_outputs() const = 0;
  // The same programs with numbers for symbols of their sizes, as if they had been exported with these: import() throws
  // Error(Code::Argument) where ranges or conditions of the program do not allow them.
  virtual std::shared_ptr<const Archive> with_sizes(std::map<std::string, std::int64_t> sizes) const = 0;
  // The same programs where weights that the archive has no values of are no error before their values are read, which
  // throws Error(Code::Unsupported).
  virtual std::shared_ptr<const Archive> with_absent_weights() const = 0;
};

}  // namespace tonnx::exported
