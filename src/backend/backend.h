#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "backend/archive.h"
#include "backend/recording.h"
#include "ir/constant.h"
#include "ir/evaluator.h"
#include "ir/graph.h"
#include "ir/tensor.h"

namespace tonnx::backend {

// What a run does to the random numbers of the process: draws them again afterwards, or not.
enum class RandomNumbers { Repeat, Advance };

// The interface to LibTorch. src/torch implements it in a separate library, which has its own copy of src/ir and
// src/aten. Objects of their classes cross the interface, and either side may free their memory; either side may catch
// ir::Error. Addresses of functions and static objects must not be compared. May be used on any thread; lives as long
// as the process.
class Backend {
 public:
  // Loads a TorchScript archive. Throws Error(Code::File) if it is missing, empty, truncated, damaged or has no
  // TorchScript program, Error(Code::Unsupported) if it uses an operator that LibTorch does not know.
  virtual std::shared_ptr<Archive> load_archive(const std::string& path) = 0;
  virtual std::shared_ptr<Archive> load_archive(std::vector<std::byte> bytes) = 0;
  // Compiles functions in TorchScript source text to methods of one module. "forward" comes first; if none has this
  // name, the last one does and can be called "forward". `file` is the name of the text in messages and source
  // locations. The attributes are keyword arguments, or one dict. Tensors are weights under these names and share their
  // storage; a dot in a name separates modules. Other values are constants. The text is not run. Throws
  // Error(Code::Program), with the location, if it does not compile, Error(Code::Unsupported) if it uses an operator
  // that LibTorch does not know, Error(Code::Argument) for invalid attribute names.
  virtual std::shared_ptr<Archive> compile(const std::string& source, const std::string& file,
                                           const ir::Arguments& attributes) = 0;
  // Copies a torch::jit::Module of this LibTorch, which is borrowed for the call: its code and its values, so that
  // later changes have no effect. With `share_weights` its tensors are shared instead, and must not be written to while
  // the archive or a program made of it lives. Throws Error(Code::Argument) if tensors to share are on another device
  // (without share_weights they are copied), Error(Code::Unsupported) if the module cannot be copied.
  virtual std::shared_ptr<Archive> copy_module(const void* jit_module, bool share_weights) = 0;
  // Reads example arguments written by torch.save. Throws Error(Code::File) if the file is missing, damaged or of
  // another kind, Error(Code::Argument) if it has objects that cannot be arguments.
  virtual ir::Arguments read_arguments(const std::string& path) = 0;
  // Creates an evaluator that computes facts of operators with meta tensors. Used by one thread at a time; a datum may
  // outlive the evaluator.
  virtual std::unique_ptr<ir::Evaluator> make_evaluator() = 0;

  // Runs a raw program without calls and objects operator by operator, without gradients, on copies of its inputs and
  // of weights that it may write to. Returns its outputs: numbers as rank-0 tensors, without None and strings. Throws
  // Error(Code::Argument) for a wrong number of inputs; Error(Code::Program), with operator and location, if an
  // operator fails; Error(Code::Unsupported) if LibTorch does not have an operator, or it accesses anything outside the
  // program. May be called on any thread.
  virtual std::vector<ir::Tensor> run_graph(const ir::Graph& program, const std::vector<ir::Tensor>& inputs,
                                            RandomNumbers random = RandomNumbers::Repeat) = 0;

  // Begins a recording on this thread. Throws Error(Code::Argument) if this thread is already recording.
  virtual std::unique_ptr<Recording> record(const ir::Arguments& arguments) = 0;
  // Nodes recorded between these two calls belong to a module of this class and attribute name (empty for the root).
  // Called by the traced function; does nothing outside of a trace.
  virtual void begin_trace_scope(const std::string& type, const std::string& name) = 0;
  virtual void end_trace_scope() = 0;

  // Wraps the tensor of an at::Tensor * of this LibTorch, which is borrowed for the call. The result shares the storage
  // and keeps it alive; a tensor on another device is copied. Throws Error(Code::Unsupported) if it is quantised,
  // sparse or has no data, Error(Code::Argument) if it is null or undefined.
  virtual ir::Tensor tensor_from_handle(const void* at_tensor) = 0;
  // Returns a new at::Tensor with a copy of the elements; the caller frees it with destroy_handle().
  virtual void* make_handle(const ir::Tensor& tensor) = 0;
  // Same, as a new handle of the same tensor as `at_tensor`.
  virtual void* copy_handle(const void* at_tensor) = 0;
  virtual void destroy_handle(void* at_tensor) noexcept = 0;

  // Loads a shared library that defines operators or classes for this process; it stays loaded. Throws
  // Error(Code::File) with the loader's message.
  virtual void load_library(const std::string& path) = 0;
  // Registers the schema of an operator, so that programs that use it can be loaded and exported, but not run. Does
  // nothing if the same schema is registered. Throws Error(Code::Argument) if the text is not a schema, or the name has
  // another schema. Lasts for the life of the process.
  virtual void register_schema(const std::string& schema) = 0;

  // Removes the back trace from the text of an exception of LibTorch.
  virtual std::string without_back_trace(const std::string& text) = 0;

  // Between these two calls, LibTorch's warnings and print() of programs are suppressed on this thread. Pass the result
  // of the first call to the second. May be nested.
  virtual bool begin_quiet() noexcept = 0;
  virtual void end_quiet(bool before) noexcept = 0;
  // Between these two calls, no tracer records what this thread runs, neither tonnx's nor the caller's. Pass the result
  // of the first call, the suspended tracer or null, to the second.
  virtual std::shared_ptr<void> suspend_trace() = 0;
  virtual void resume_trace(std::shared_ptr<void> tracer) = 0;

 protected:
  ~Backend() = default;
};

}  // namespace tonnx::backend
