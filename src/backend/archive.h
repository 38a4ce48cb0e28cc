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

// A TorchScript module: an archive (.pt) whose weights stay in the file, or a module in memory. Threads may share it.
class Archive {
 public:
  virtual ~Archive() = default;

  // Path of the file with the weights; empty for a module in memory.
  virtual const std::string& path() const = 0;
  // Class name of the module, "ResNet".
  virtual std::string name() const = 0;
  // Methods of the root module, "forward" first.
  virtual std::vector<std::string> methods() const = 0;
  // Parameters of a method: name, type, default. Throws Error(Code::Argument) if there is no such method.
  virtual std::vector<ir::Argument> parameters(const std::string& method = "forward") const = 0;

  // Imports the raw program. Weights refer to the file. `written_outputs`: attributes that it sets to tensors and
  // numbers become outputs after its own. Throws Error(Code::Argument) if the arguments do not fit,
  // Error(Code::Unsupported) or Error(Code::Program) if the program cannot be followed.
  virtual ir::RawProgram import(const ir::Arguments& arguments, const std::string& method = "forward",
                                ir::Training training = ir::Training::Eval, bool written_outputs = false) = 0;
  // Imports only inputs and weights; throws the errors of import() for the arguments.
  virtual ir::RawProgram import_inputs(const ir::Arguments& arguments, const std::string& method) = 0;

  // Runs the method in LibTorch, without gradients, on copies of the arguments. Returns its outputs, in the order of
  // RawProgram, then the values of the inputs and attributes in `state` after the call. Reads the weights into a
  // private mapping on the first call. Only one import or run at a time; other threads wait. Throws
  // Error(Code::Program) if the program fails, Error(Code::Unsupported) if only the schema of an operator is known.
  virtual std::vector<ir::Tensor> run(const ir::Arguments& arguments, const std::string& method = "forward",
                                      ir::Training training = ir::Training::Eval,
                                      std::span<const ir::StateWrite> state = {}) = 0;

  // Runs the method in a recording of this thread. The inputs of the recording are those of import() for the arguments,
  // in order; numbers are those of the arguments. Parameters and buffers become its weights, by name; the recording
  // receives the outputs in the order of RawProgram. The result holds the memory of the weights; this thread frees it
  // after the end of the recording; other threads wait. `written_outputs`: attributes that the code sets to tensors are
  // results as well. Throws the errors of run().
  virtual std::shared_ptr<void> record(Recording& recording, const ir::Arguments& arguments, const std::string& method,
                                       ir::Training training, bool written_outputs = false) = 0;
};

}  // namespace tonnx::backend
