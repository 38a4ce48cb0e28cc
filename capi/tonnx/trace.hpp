// Records LibTorch code. tonnx/torch.hpp offers the same for LibTorch's tensors and modules.
#ifndef TONNX_TRACE_HPP
#define TONNX_TRACE_HPP

#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "tonnx/attributes.hpp"
#include "tonnx/program.hpp"

namespace tonnx {

// A run of the traced code. Tensors are at::Tensor *.
class Trace {
 public:
  explicit Trace(tonnx_trace* trace) : trace_(trace) {}
  std::size_t input_count() const { return tonnx_trace_input_count(trace_); }
  void* input(std::size_t i) const { return tonnx_trace_input(trace_, i); }
  // The same tensor as a new at::Tensor *, which the caller deletes.
  void* new_input(std::size_t i) {
    void* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_trace_new_input(&made, trace_, i, e); });
    return made;
  }
  void weight(const std::string& name, const void* at_tensor) {
    detail::call([&](tonnx_error** e) { return tonnx_trace_weight(trace_, name.c_str(), at_tensor, e); });
  }
  void output(const void* at_tensor, const std::string& name = {}) {
    detail::call([&](tonnx_error** e) {
      return tonnx_trace_output(trace_, name.empty() ? nullptr : name.c_str(), at_tensor, e);
    });
  }
  // A size of a recorded tensor as a recorded value: a rank-0 int64 at::Tensor *, borrowed until the run ends.
  void* size(const void* at_tensor, std::int64_t axis) {
    void* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_trace_size(&made, trace_, at_tensor, axis, e); });
    return made;
  }
  void enter(const std::string& type, const std::string& name) {
    detail::call([&](tonnx_error** e) { return tonnx_trace_enter(trace_, type.c_str(), name.c_str(), e); });
    ++depth_;
  }
  void leave() {
    detail::call([&](tonnx_error** e) { return tonnx_trace_leave(trace_, e); });
    --depth_;
  }
  // The number of modules that were entered here and not left.
  int depth() const { return depth_; }

  // During its lifetime, operators belong to module `name` of class `type`. Dropping a function that was begun before
  // it leaves the module.
  class Module {
   public:
    Module(Trace& trace, const std::string& type, const std::string& name) : trace_(trace) {
      trace.enter(type, name);
      depth_ = trace.depth_;
    }
    ~Module() {
      if (trace_.depth_ >= depth_ && tonnx_trace_leave(trace_.trace_, nullptr) == TONNX_STATUS_OK) --trace_.depth_;
    }
    Module(const Module&) = delete;
    Module& operator=(const Module&) = delete;

   private:
    Trace& trace_;
    int depth_;  // in the module
  };

  // Operators from construction to end() are one function, called on these tensors and arguments, which a symbolic
  // "prim::PythonOp.NAME" or "prim::PythonOp" converts; see tonnx_trace_begin_function.
  class Function {
   public:
    Function(Trace& trace, const std::string& name, const std::vector<const void*>& at_tensors,
             const Attributes& arguments = {})
        : trace_(trace), depth_(trace.depth_), exceptions_(std::uncaught_exceptions()) {
      detail::call([&](tonnx_error** e) {
        return tonnx_trace_begin_function(trace_.trace_, name.c_str(), at_tensors.data(), at_tensors.size(),
                                          arguments.get(), e);
      });
    }
    // An exception that leaves the function drops it.
    ~Function() {
      if (is_open_ && std::uncaught_exceptions() > exceptions_ &&
          tonnx_trace_abandon_function(trace_.trace_, nullptr) == TONNX_STATUS_OK)
        trace_.depth_ = depth_;
    }
    Function(const Function&) = delete;
    Function& operator=(const Function&) = delete;
    // Code that reads these tensors from now on reads the results of the function.
    void end(const std::vector<const void*>& at_tensors) {
      detail::call([&](tonnx_error** e) {
        return tonnx_trace_end_function(trace_.trace_, at_tensors.data(), at_tensors.size(), e);
      });
      is_open_ = false;
    }
    // Drops the function: its operators stay, as if it had not been begun, and modules entered in it are left.
    void abandon() {
      detail::call([&](tonnx_error** e) { return tonnx_trace_abandon_function(trace_.trace_, e); });
      trace_.depth_ = depth_;
      is_open_ = false;
    }

   private:
    Trace& trace_;
    const int depth_;
    const int exceptions_;
    bool is_open_ = true;
  };

 protected:
  tonnx_trace* trace_;
  int depth_ = 0;
};

// Records code without a callback, on this thread, from construction to end():
//   Recording recording(args);
//   do { run the code on recording.input(0), ...; recording.output(...); } while (recording.next());
//   Program program = recording.end();
// The destructor stops a recording that was not ended.
class Recording : public Trace {
 public:
  explicit Recording(const Args& args, const TraceOptions& options = {}) : Trace(nullptr) {
    detail::call([&](tonnx_error** e) { return tonnx_trace_begin(&trace_, args.get(), options.get(), e); });
    handle_.reset(trace_);
  }
  // Reports that the code does not run at these sizes: next() drops the run. In the first run next() fails with this
  // message.
  void fail(const std::string& message) { tonnx_trace_fail(trace_, message.c_str(), nullptr, nullptr); }
  // Same; Error::cause() returns the exception.
  void fail(const std::string& message, const std::exception_ptr& cause) {
    tonnx_trace_fail(trace_, message.c_str(), detail::as_cause(cause), &detail::delete_exception);
  }
  // Ends a run. Returns true if another run has begun.
  bool next() {
    std::int32_t again = 0;
    depth_ = 0;
    detail::call([&](tonnx_error** e) { return tonnx_trace_next(&again, trace_, e); });
    return again != 0;
  }
  Program end() {
    tonnx_program* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_trace_end(&made, trace_, e); });
    return Program(made);
  }

 private:
  detail::Handle<tonnx_trace, tonnx_trace_free> handle_;
};

inline Program Program::trace(const std::function<void(Trace&)>& callback, const Args& args,
                              const TraceOptions& options) {
  Recording recording(args, options);
  bool first = true;
  do {
    try {
      callback(recording);
    } catch (const std::exception& e) {
      if (first) throw;
      recording.fail(e.what(), std::current_exception());
    } catch (...) {
      if (first) throw;
      recording.fail("an exception that is not a std::exception", std::current_exception());
    }
    first = false;
  } while (recording.next());
  return recording.end();
}

}  // namespace tonnx

#endif
