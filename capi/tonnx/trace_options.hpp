#ifndef TONNX_TRACE_OPTIONS_HPP
#define TONNX_TRACE_OPTIONS_HPP

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "tonnx/args.hpp"
#include "tonnx/trace.h"

namespace tonnx {

// How a trace is made.
class TraceOptions {
 public:
  TraceOptions() {
    tonnx_trace_options* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_trace_options_new(&made, e); });
    handle_.reset(made);
  }

  // Made from options.json by scripts/options.py.

  // Weights share the memory of the tensors that were declared or captured, and nobody may write to it as long as the
  // program or a model of it lives; otherwise they are copied when the run ends. Default: false.
  TraceOptions& share_weights(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_trace_options_set_share_weights(o, v, e); });
  }

  // Run the first recording again on its inputs before it becomes a program, and refuse it where it does not give what
  // the code returned; the error names the first operator that differs. Further runs are compared with the first one.
  // Without it a trace takes the time of the code alone. Default: true.
  TraceOptions& replay(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_trace_options_set_replay(o, v, e); });
  }

  // An axis that is dynamic in every export, told before the code runs: it then runs at several sizes. The input is
  // counted among the tensors and numbers of the arguments; an axis below 0 counts from the end. Axes of one symbol
  // have one size; without a symbol an axis has one of its own. Default: none, and no axis can be dynamic in an export
  // unless there is a single run.
  TraceOptions& dynamic_axis(std::size_t input, std::int64_t axis, const std::string& symbol = {}) {
    const char* given = symbol.empty() ? nullptr : symbol.c_str();
    return run([&](auto* o, auto** e) { return tonnx_trace_options_add_dynamic_axis(o, input, axis, given, e); });
  }

  // One of the sizes to run; tonnx chooses further ones. Where the code does not run at it the trace fails. At 0 tonnx
  // runs no code that is not told to, for it may divide by the size; what the code gives there must be what the program
  // of the other runs gives. Default: those that tonnx chooses.
  TraceOptions& size(const std::string& symbol, std::int64_t size) {
    return run([&](auto* o, auto** e) { return tonnx_trace_options_add_size(o, symbol.c_str(), size, e); });
  }

  // A dynamic axis along which the code runs at the example's size only, or takes another path at other sizes, is fixed
  // in every export, and a warning names the axis, the size and the reason. Without it the trace is refused. Default:
  // false.
  TraceOptions& allow_fixed_axes(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_trace_options_set_allow_fixed_axes(o, v, e); });
  }

  // The largest size at which tonnx runs the code by itself: first near the example, then at powers of two and numbers
  // beside them, one dynamic axis at a time, as long as these runs cost little beside the others (a large network is
  // run at fewer of them). So a threshold of the code (n > 512) is found, and the model follows it or the trace is
  // refused, naming operator and size. The smallest and the largest size that were run are in the report and in the
  // model's metadata (tonnx.sizes). An example that is larger is run at sizes near it and below. 1: near the example
  // alone. Default: 4096.
  TraceOptions& largest_size(std::int32_t v) {
    return run([&](auto* o, auto** e) { return tonnx_trace_options_set_largest_size(o, v, e); });
  }

  // One run, whatever the axes: numbers that the code computes from sizes stay the example's, and exports may name any
  // axis dynamic. Default: false.
  TraceOptions& single_run(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_trace_options_set_single_run(o, v, e); });
  }

  // Run the code on other values of the same sizes as well: the example's in another order, of the other sign, and
  // zeros; where it reads numbers by item(), equal() and their like, on the example's three times more, with low, high
  // and no numbers in their place. Where it does not do the same, the trace is refused, naming operator and reads;
  // where it runs on none of these values, a warning says so. Where the code runs once, warnings name each read of a
  // number and each operator whose result's sizes depend on data (nonzero, unique): the model keeps what the code made
  // of them. Reads by an accessor or data_ptr() are found on other values only. Default: where the code runs at several
  // sizes, but in no single run.
  TraceOptions& other_values(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_trace_options_set_other_values(o, v, e); });
  }
  // Made until here.

  // Makes arguments like the example's, at these sizes by symbol. What it throws is the cause() of the trace's error.
  TraceOptions& resize(std::function<Args(const std::map<std::string, std::int64_t>&)> make) {
    using Make = decltype(make);
    const auto call = [](tonnx_args* args, const char* const* symbols, const std::int64_t* sizes, std::size_t count,
                         void* user) -> std::int32_t {
      try {
        std::map<std::string, std::int64_t> by_symbol;
        for (std::size_t i = 0; i < count; ++i) by_symbol[symbols[i]] = sizes[i];
        const Args made = (*static_cast<Make*>(user))(by_symbol);
        detail::call([&](tonnx_error** e) { return tonnx_args_extend(args, made.get(), e); });
        return 0;
      } catch (const std::exception& e) {
        fail(args, e.what());
      } catch (...) {
        fail(args, "an exception that is no std::exception");
      }
      return 1;
    };
    return run([&](auto* o, auto** e) {
      return tonnx_trace_options_set_resize(
          o, call, new Make(std::move(make)), [](void* user) { delete static_cast<Make*>(user); }, e);
    });
  }
  const tonnx_trace_options* get() const { return handle_.get(); }

 private:
  // The exception that is being handled goes along.
  static void fail(tonnx_args* args, const char* message) {
    tonnx_args_fail_with(args, message, new std::exception_ptr(std::current_exception()), &detail::delete_exception);
  }
  template <class Call>
  TraceOptions& run(Call&& body) {
    detail::call([&](tonnx_error** e) { return body(handle_.get(), e); });
    return *this;
  }
  detail::Handle<tonnx_trace_options, tonnx_trace_options_free> handle_;
};

}  // namespace tonnx

#endif
