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

// All that is asked of LibTorch. src/torch implements it in a library of its own, which has a copy of src/ir and
// src/aten: what crosses is objects of their classes, whose memory either side may free, and ir::Error, which either
// side may catch. No address of a function or of a static object is compared. Any thread; it lives as long as the
// process.
class Backend {
 public:
  // Throws Error(Code::File) if the archive is missing, empty, truncated, damaged or holds no TorchScript program, and
  // Error(Code::Unsupported) if it uses an operator that LibTorch does not know.
  virtual std::shared_ptr<Archive> load_archive(const std::string& path) = 0;
  virtual std::shared_ptr<Archive> load_archive(std::vector<std::byte> bytes) = 0;
  // Functions in TorchScript source text, as methods of one module: one named "forward", else the last one, comes first
  // and answers to "forward". `file` names the text in messages and places. The attributes are keywords, or one dict:
  // tensors are weights under these names, at which a dot begins a module of their own, and share their memory; other
  // values are constants. Nothing of the text is run. Throws Error(Code::Program) with place for a text that does not
  // compile, Error(Code::Unsupported) if it uses an operator that LibTorch does not know, Error(Code::Argument) for
  // names that cannot be those of attributes.
  virtual std::shared_ptr<Archive> compile(const std::string& source, const std::string& file,
                                           const ir::Arguments& attributes) = 0;
  // A copy of the torch::jit::Module of this LibTorch, borrowed for the call: its code and its values, which later
  // changes do not reach. With `share_weights` its tensors are shared instead, and nobody may write to them as long as
  // the archive or a program made of it lives. Throws Error(Code::Argument) if shared tensors lie on another device,
  // which are copied otherwise, and Error(Code::Unsupported) where the module cannot be copied.
  virtual std::shared_ptr<Archive> copy_module(const void* jit_module, bool share_weights) = 0;
  // Example arguments as torch.save wrote them. Throws Error(Code::File) if the file is missing, damaged or of another
  // kind, Error(Code::Argument) if it holds objects that are no arguments.
  virtual ir::Arguments read_arguments(const std::string& path) = 0;
  // Facts of operators from meta tensors. One thread at a time; a datum may outlive the evaluator.
  virtual std::unique_ptr<ir::Evaluator> make_evaluator() = 0;

  // The outputs of a raw program without calls and objects, run operator by operator, without gradients, on copies of
  // its inputs and of weights that it may write to; numbers as rank-0 tensors, None and texts left out. Throws
  // Error(Code::Argument) for another number of inputs, Error(Code::Program) with the operator and its place where one
  // fails, Error(Code::Unsupported) where LibTorch does not have it or it reaches beyond the program. Any thread.
  virtual std::vector<ir::Tensor> run_graph(const ir::Graph& program, const std::vector<ir::Tensor>& inputs) = 0;

  // Begins a recording on this thread. Throws Error(Code::Argument) if this thread records already.
  virtual std::unique_ptr<Recording> record(const ir::Arguments& arguments) = 0;
  // Between the two, recorded nodes belong to a module of this class under this attribute name (empty for the
  // outermost). For use by the traced function; outside of a trace nothing happens.
  virtual void begin_trace_scope(const std::string& type, const std::string& name) = 0;
  virtual void end_trace_scope() = 0;

  // The tensor behind an at::Tensor * of this LibTorch, borrowed for the call, over the same memory, which stays alive
  // with the result; a tensor on another device is copied. Throws Error(Code::Unsupported) if it is quantised, sparse
  // or has no data, Error(Code::Argument) if it is null or undefined.
  virtual ir::Tensor tensor_from_handle(const void* at_tensor) = 0;
  // A new at::Tensor with a copy of the elements; the caller frees it with destroy_handle().
  virtual void* make_handle(const ir::Tensor& tensor) = 0;
  // The same for a new handle of the very tensor behind `at_tensor`.
  virtual void* copy_handle(const void* at_tensor) = 0;
  virtual void destroy_handle(void* at_tensor) noexcept = 0;

  // Loads a shared library that defines operators or classes for this process; it stays loaded. Throws
  // Error(Code::File) with the loader's reason.
  virtual void load_library(const std::string& path) = 0;
  // Makes an operator known by its schema alone, so that programs that use it can be loaded and exported, not run.
  // Nothing happens if the same schema is there already. Throws Error(Code::Argument) if the text is no schema or
  // another schema has the name. Stays for the life of the process.
  virtual void register_schema(const std::string& schema) = 0;

  // The text of one of LibTorch's exceptions without the back trace that it may carry.
  virtual std::string without_back_trace(const std::string& text) = 0;

  // Between the two, LibTorch's warnings and the programs' own print() say nothing on this thread; the second gets what
  // the first gave. They nest.
  virtual bool begin_quiet() noexcept = 0;
  virtual void end_quiet(bool before) noexcept = 0;
  // Between the two, no tracer records what this thread runs: neither a trace of tonnx's nor one of the caller's own.
  // The second gets what the first gave: the tracer that waits, null where none does.
  virtual std::shared_ptr<void> suspend_trace() = 0;
  virtual void resume_trace(std::shared_ptr<void> tracer) = 0;

 protected:
  ~Backend() = default;
};

}  // namespace tonnx::backend
