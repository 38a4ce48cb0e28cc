// A trace of LibTorch code that the managed side runs itself, between begin and end, without function pointers.
#ifndef TONNX_SWIG_TRACE_H
#define TONNX_SWIG_TRACE_H

#include <map>
#include <memory>
#include <stdint.h>
#include <string>
#include <vector>

#include "call.h"
#include "export.h"
#include "tonnx.hpp"
#include "values.h"

namespace tonnx::managed {

class TraceOptions {
 public:
  TraceOptions() = default;

  // Made from options.json by scripts/options.py.
  void share_weights(bool v) { options_.share_weights(v); }
  void replay(bool v) { options_.replay(v); }
  void dynamic_axis(int32_t input, int64_t axis, const std::string& symbol) {
    options_.dynamic_axis(static_cast<std::size_t>(input), axis, symbol);
  }
  void size(const std::string& symbol, int64_t size) { options_.size(symbol, size); }
  void allow_fixed_axes(bool v) { options_.allow_fixed_axes(v); }
  void largest_size(int32_t v) { options_.largest_size(v); }
  void single_run(bool v) { options_.single_run(v); }
  void other_values(bool v) { options_.other_values(v); }
  // Made until here.
  void observer(const Observer& v) { options_.observer(v.get()); }
  // Host::release(maker) is called after its last use, also if this call fails.
  void resize(int64_t maker) {
    const auto owner = std::make_shared<const Owned>(maker);
    options_.resize([owner](const std::map<std::string, int64_t>& sizes) {
      Resize call(sizes);
      if (Host::get().resize(owner->number(), &call) != 0) throw call.failure();
      return call.take();
    });
  }

#ifndef SWIG
  const tonnx::TraceOptions& get() const { return options_; }
#endif

 private:
  tonnx::TraceOptions options_;
};

// Used by one thread. Tensors are addresses of an at::Tensor, borrowed for the call. Deleting it without end() stops
// it.
class Trace {
 public:
  // Begins the first run; options may be null: the defaults.
  Trace(const Args& args, const TraceOptions* options)
      : recording_(options ? tonnx::Recording(args.get(), options->get()) : tonnx::Recording(args.get())) {}

  int32_t input_count() const { return static_cast<int32_t>(recording_.input_count()); }
  // Borrowed until the run ends; 0 if there is none.
  int64_t input(int32_t index) const {
    return index < 0 ? 0 : reinterpret_cast<int64_t>(recording_.input(static_cast<std::size_t>(index)));
  }
  // Same, as a new at::Tensor that the managed side owns.
  int64_t new_input(int32_t index) {
    return reinterpret_cast<int64_t>(recording_.new_input(static_cast<std::size_t>(index)));
  }
  void weight(const std::string& name, int64_t at_tensor) { recording_.weight(name, pointer(at_tensor)); }
  // The name may be empty.
  void output(const std::string& name, int64_t at_tensor) { recording_.output(pointer(at_tensor), name); }
  // A size of a recorded tensor as a recorded value: the address of a rank-0 int64 at::Tensor, borrowed until the run
  // ends.
  int64_t recorded_size(int64_t at_tensor, int64_t axis) {
    return reinterpret_cast<int64_t>(recording_.size(pointer(at_tensor), axis));
  }
  // Returns the number of open modules, for leave().
  int32_t enter(const std::string& type, const std::string& name) {
    recording_.enter(type, name);
    return recording_.depth();
  }
  // Does nothing if the module was left with a function that was dropped.
  void leave(int32_t depth) {
    if (recording_.depth() >= depth) recording_.leave();
  }
  // Operators up to the matching end_function() are one function; arguments may be null.
  void begin_function(const std::string& name, const std::vector<int64_t>& at_tensors, const Attributes* arguments) {
    const tonnx::Attributes none;
    functions_.push_back(std::make_unique<tonnx::Trace::Function>(recording_, name, pointers(at_tensors),
                                                                  arguments ? arguments->get() : none));
  }
  void end_function(const std::vector<int64_t>& at_tensors) {
    if (functions_.empty()) throw tonnx::Error(TONNX_STATUS_ARGUMENT, "no function is open");
    functions_.back()->end(pointers(at_tensors));
    functions_.pop_back();
  }
  void abandon_function() {
    if (functions_.empty()) throw tonnx::Error(TONNX_STATUS_ARGUMENT, "no function is open");
    functions_.back()->abandon();
    functions_.pop_back();
  }
  // Reports that the code does not run at these sizes; next() tries others. See Call::fail_with.
  void fail_with(const std::string& message, int64_t cause) {
    recording_.fail(message, std::make_exception_ptr(Failure(message, std::make_shared<const Owned>(cause))));
  }
  // Ends a run. Returns true if another one has begun, on other inputs.
  bool next() {
    functions_.clear();
    return recording_.next();
  }
  Program* end() { return new Program(recording_.end()); }

 private:
  static const void* pointer(int64_t at_tensor) { return reinterpret_cast<const void*>(at_tensor); }

  static std::vector<const void*> pointers(const std::vector<int64_t>& at_tensors) {
    std::vector<const void*> all;
    for (const int64_t tensor : at_tensors) all.push_back(pointer(tensor));
    return all;
  }

  tonnx::Recording recording_;
  std::vector<std::unique_ptr<tonnx::Trace::Function>> functions_;  // open ones
};

}  // namespace tonnx::managed

#endif
