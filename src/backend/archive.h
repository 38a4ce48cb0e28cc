#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/recording.h"
#include "ir/constant.h"
#include "ir/raw_program.h"
#include "ir/schema.h"

namespace tonnx::backend {

// A TorchScript module: an archive (.pt), loaded with its weights left in the file, or one in memory. Several threads
// may use one.
class Archive {
 public:
  virtual ~Archive() = default;

  // The file the weights lie in; empty for what is in memory.
  virtual const std::string& path() const = 0;
  // The class of the module, "ResNet".
  virtual std::string name() const = 0;
  // Methods of the outermost module, "forward" first.
  virtual std::vector<std::string> methods() const = 0;
  // The parameters of a method: name, type, default. Throws Error(Code::Argument) if there is no such method.
  virtual std::vector<ir::Argument> parameters(const std::string& method = "forward") const = 0;

  // The raw program. Weights are places in the file. `written_outputs`: attributes that it sets to tensors and numbers
  // are outputs behind its own. Throws Error(Code::Argument) where the arguments do not fit, Error(Code::Unsupported)
  // or Error(Code::Program) where the program cannot be followed.
  virtual ir::RawProgram import(const ir::Arguments& arguments, const std::string& method = "forward",
                                ir::Training training = ir::Training::Eval, bool written_outputs = false) = 0;
  // The inputs and weights alone of what import() makes, with its errors for the arguments.
  virtual ir::RawProgram import_inputs(const ir::Arguments& arguments, const std::string& method) = 0;

  // Runs the method in LibTorch without gradients on copies of the arguments, and gives its outputs as RawProgram
  // counts them, then what inputs and attributes in `state` hold afterwards. Reads the weights into a private mapping
  // the first time. One import or run at a time; other threads wait. Throws Error(Code::Program) if the program fails,
  // Error(Code::Unsupported) if an operator has a schema only.
  virtual std::vector<ir::Tensor> run(const ir::Arguments& arguments, const std::string& method = "forward",
                                      ir::Training training = ir::Training::Eval,
                                      std::span<const ir::StateWrite> state = {}) = 0;

  // Runs the method in a recording of this thread, whose inputs are those that import() makes of the arguments, in
  // order; numbers are those of the arguments. Parameters and buffers are its weights, by their names, and it gets the
  // outputs, as RawProgram counts them. What comes back holds the memory that they show, to be freed by this thread
  // once the recording has ended; other threads wait. `written_outputs`: attributes that the code sets to tensors are
  // results as well. Throws as run() does.
  virtual std::shared_ptr<void> record(Recording& recording, const ir::Arguments& arguments, const std::string& method,
                                       ir::Training training, bool written_outputs = false) = 0;
};

}  // namespace tonnx::backend
