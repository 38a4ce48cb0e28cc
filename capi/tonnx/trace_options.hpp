#ifndef TONNX_TRACE_OPTIONS_HPP
#define TONNX_TRACE_OPTIONS_HPP

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "tonnx/args.hpp"
#include "tonnx/observer.hpp"
#include "tonnx/trace.h"

namespace tonnx {

// How to trace.
class TraceOptions {
 public:
  TraceOptions() {
    tonnx_trace_options* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_trace_options_new(&made, e); });
    handle_.reset(made);
  }

  // Made from options.json by scripts/options.py.

  // Weights share the storage of the declared or captured tensors. The caller must not write to it while the program or
  // a model of it lives. If off, weights are copied when the run ends. Default: false.
  TraceOptions& share_weights(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_trace_options_set_share_weights(o, v, e); });
  }

  // Run the first recording again on its inputs before it becomes a program. The trace is refused if the results differ
  // from what the code returned; the error names the first operator that differs. Further runs are compared with the
  // first one. If off, a trace takes only the time of the code itself. Default: true.
  TraceOptions& replay(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_trace_options_set_replay(o, v, e); });
  }

  // An axis that is dynamic in every export, declared before the code runs, so that the code runs at several sizes. The
  // input is an index into the tensors and numbers of the arguments. Negative axes count from the end. Axes with the
  // same symbol have the same size; an axis without a symbol has its own. Default: none; an export can then have
  // dynamic axes only with single_run.
  TraceOptions& dynamic_axis(std::size_t input, std::int64_t axis, const std::string& symbol = {}) {
    const char* given = symbol.empty() ? nullptr : symbol.c_str();
    return run([&](auto* o, auto** e) { return tonnx_trace_options_add_dynamic_axis(o, input, axis, given, e); });
  }

  // A size to run the code at, in addition to those that tonnx chooses. The trace fails if the code does not run at it.
  // Size 0 is run only if it is specified here, since the code may divide by the size; the results must equal those of
  // the program recorded by the other runs. Default: only the sizes that tonnx chooses.
  TraceOptions& size(const std::string& symbol, std::int64_t size) {
    return run([&](auto* o, auto** e) { return tonnx_trace_options_add_size(o, symbol.c_str(), size, e); });
  }

  // If the code runs only at the example's size of a dynamic axis, or takes another path at other sizes, fix this axis
  // in every export, and warn with the axis, the size and the reason. If off, the trace is refused. Default: false.
  TraceOptions& allow_fixed_axes(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_trace_options_set_allow_fixed_axes(o, v, e); });
  }

  // The largest size at which tonnx runs the code on its own: first near the example, then at powers of two and sizes
  // next to them, one dynamic axis at a time, while these runs are cheap compared with the others (large networks are
  // run at fewer sizes). This finds thresholds in the code (n > 512): the model follows them, or the trace is refused
  // and the error names the operator and the size. The smallest and largest size that were run are in the report and in
  // the model's metadata (tonnx.sizes). If the example is larger, sizes near it and below are run. 1: only sizes near
  // the example. Default: 4096.
  TraceOptions& largest_size(std::int32_t v) {
    return run([&](auto* o, auto** e) { return tonnx_trace_options_set_largest_size(o, v, e); });
  }

  // Run the code once, even with dynamic axes. Numbers that the code computes from sizes are then constants of the
  // model, and exports may declare any axis dynamic. Default: false.
  TraceOptions& single_run(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_trace_options_set_single_run(o, v, e); });
  }

  // Also run the code on other values of the same sizes: the example's values in another order, negated, and zeros; if
  // the code reads numbers by item(), equal() or similar operators, also three variants of the example with low, high
  // and no numbers in their place. The trace is refused if the code behaves differently; the error names the operator
  // and the reads. A warning is reported if the code runs on none of these values. If the code is run only once,
  // warnings name each read of a number, each value to whose elements the code took a pointer (data_ptr(), an accessor,
  // DLPack), and each operator whose output sizes depend on data (nonzero, unique), since the model keeps what the code
  // computed from them. Reads through pointers to const elements (const_data_ptr()) are found only by this option.
  // Default: on if the code runs at several sizes and single_run is off.
  TraceOptions& other_values(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_trace_options_set_other_values(o, v, e); });
  }
  // Made until here.

  // Observes the calls with these options.
  TraceOptions& observer(const Observer& v) {
    return run([&](auto* o, auto** e) { return tonnx_trace_options_set_observer(o, v.get(), e); });
  }

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
        fail(args, "an exception that is not a std::exception");
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
  // Passes on the exception that is being handled.
  static void fail(tonnx_args* args, const char* message) {
    tonnx_args_fail(args, message, detail::as_cause(std::current_exception()), &detail::delete_exception);
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
