#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "export/options.h"
#include "export/trace_options.h"
#include "ir/constant.h"
#include "ir/raw_program.h"
#include "ir/state_write.h"

namespace tonnx::exporting {

struct TracedProgram;

// A LibTorch program that can be imported and run: an archive, a module in memory or a trace. Const calls may run
// concurrently.
class LoadedProgram {
 public:
  virtual ~LoadedProgram() = default;

  virtual std::vector<std::string> methods() const = 0;
  // Imports the raw program for these arguments, with the input tensors.
  virtual ir::RawProgram import(const std::string& method, const ir::Arguments& args, Training training) const = 0;
  // Same; returns only inputs and weights if the program cannot be followed.
  virtual ir::RawProgram described(const std::string& method, const ir::Arguments& args, Training training) const {
    return import(method, args, training);
  }
  // Runs LibTorch. Returns its results, flattened like the program's outputs, then the values after the call of
  // `state`: writes that this program has turned into outputs.
  virtual std::vector<ir::Tensor> run(const std::string& method, const ir::Arguments& args, Training training,
                                      std::span<const ir::StateWrite> state) const = 0;
  // Example inputs that come with the program, used if the caller specifies none; may be empty.
  virtual ir::Arguments examples(const std::string&) const { return {}; }
  // True if import() returns the facts of all values, dynamic sizes included, so that nothing needs to be evaluated.
  virtual bool has_facts() const { return false; }
  // Returns the same program with the weights of a state dict in a file (see exported/state_dict.h). Throws
  // Error(Code::File) if it cannot be read, Error(Code::Argument) unless the program is of torch.export.
  virtual std::shared_ptr<const LoadedProgram> with_weights(const std::string& path) const;
  // Returns the same program whose import() adds outputs for writes to state that only it can see; null if there are
  // none.
  virtual std::shared_ptr<const LoadedProgram> with_written_outputs() const { return nullptr; }
  // Returns the same program with fixed sizes, by symbol. Throws Error(Code::Argument) unless the program is of
  // torch.export; its import() throws if the program does not allow the sizes.
  virtual std::shared_ptr<const LoadedProgram> with_sizes(const std::map<std::string, std::int64_t>& sizes) const;
  // Returns the same program in which weights without values are an error only when they are read; null if all weights
  // have values.
  virtual std::shared_ptr<const LoadedProgram> with_absent_weights() const { return nullptr; }
  // Runs the method and records it for these arguments (trace_script()), with its names; null if the program is not a
  // script. Uses the options' dynamic axes and allow_fixed_axes.
  virtual std::shared_ptr<const LoadedProgram> trace(const std::string&, const ir::Arguments&, Training,
                                                     const TraceOptions&) const {
    return nullptr;
  }
  // The recording of a trace; null for other programs.
  virtual const TracedProgram* traced() const { return nullptr; }
};

// The training form for importers.
ir::Training training_form(Training training);

// Opens a TorchScript archive or one of torch.export, recognised by content. Throws Error(Code::File) if the file is
// missing, damaged or neither.
std::shared_ptr<const LoadedProgram> open_archive(const std::string& path);
std::shared_ptr<const LoadedProgram> open_archive(std::vector<std::byte> bytes);

// Wrap the results of backend::Backend for source text and for a host's module; throw its errors.
std::shared_ptr<const LoadedProgram> compile_source(const std::string& source, const std::string& file,
                                                    const ir::Arguments& attributes);
std::shared_ptr<const LoadedProgram> copy_module(const void* jit_module, bool share_weights);

}  // namespace tonnx::exporting
