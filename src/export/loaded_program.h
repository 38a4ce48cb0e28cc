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
  // The raw program for these arguments, with the tensors its inputs get.
  virtual ir::RawProgram import(const std::string& method, const ir::Arguments& args, Training training) const = 0;
  // The same; the inputs and weights alone where the program cannot be followed.
  virtual ir::RawProgram described(const std::string& method, const ir::Arguments& args, Training training) const {
    return import(method, args, training);
  }
  // LibTorch's own results, flattened as the program's outputs, then what `state` holds after the call: outputs of this
  // program that were made of its writes.
  virtual std::vector<ir::Tensor> run(const std::string& method, const ir::Arguments& args, Training training,
                                      std::span<const ir::StateWrite> state) const = 0;
  // The example inputs that come with the program, for where none are given; none where it has none.
  virtual ir::Arguments examples(const std::string&) const { return {}; }
  // Whether import() tells the facts of all values, sizes that are open included, so that nothing is to be evaluated.
  virtual bool tells_facts() const { return false; }
  // The same program with the weights of a state dict in a file (see exported/state_dict.h). Throws Error(Code::File)
  // where it cannot be read, Error(Code::Argument) for a program of another kind than torch.export's.
  virtual std::shared_ptr<const LoadedProgram> with_weights(const std::string& path) const;
  // The same program where import() adds outputs for what it alone sees written to state; null where that is nothing.
  virtual std::shared_ptr<const LoadedProgram> with_written_outputs() const { return nullptr; }
  // The same program with numbers for open sizes, by symbol. Throws Error(Code::Argument) for a program of another kind
  // than torch.export's; its import() does where the program does not allow them.
  virtual std::shared_ptr<const LoadedProgram> with_sizes(const std::map<std::string, std::int64_t>& sizes) const;
  // The same program where weights without values are no error before these are read; null for a program that has all
  // of them.
  virtual std::shared_ptr<const LoadedProgram> with_absent_weights() const { return nullptr; }
  // The method run and recorded for these arguments (trace_script()), with its names; null where there is no script.
  // Obeys the dynamic axes and allow_fixed_axes of the options.
  virtual std::shared_ptr<const LoadedProgram> trace(const std::string&, const ir::Arguments&, Training,
                                                     const TraceOptions&) const {
    return nullptr;
  }
  // What was recorded, of a trace; null for what can be run at will.
  virtual const TracedProgram* traced() const { return nullptr; }
};

// How importers call it.
ir::Training training_form(Training training);

// A TorchScript archive or one of torch.export, told apart by content. Throws Error(Code::File) if the file is missing,
// damaged or neither.
std::shared_ptr<const LoadedProgram> open_archive(const std::string& path);
std::shared_ptr<const LoadedProgram> open_archive(std::vector<std::byte> bytes);

// What backend::Backend makes of source text and of a host's module, with its errors.
std::shared_ptr<const LoadedProgram> compile_source(const std::string& source, const std::string& file,
                                                    const ir::Arguments& attributes);
std::shared_ptr<const LoadedProgram> copy_module(const void* jit_module, bool share_weights);

}  // namespace tonnx::exporting
