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

  // Weights share the memory of the host's tensors, which must then stay as they are, instead of being copied.
  TraceOptions& share_weights(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_trace_options_set_share_weights(o, v, e); });
  }
  // Run again as recorded, and refused where that does not give what the code returned. Default: true.
  TraceOptions& replay(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_trace_options_set_replay(o, v, e); });
  }
  // Dynamic in every export; the code runs at several sizes. Without a symbol it has one of its own.
  TraceOptions& dynamic_axis(std::size_t input, std::int64_t axis, const std::string& symbol = {}) {
    return run([&](auto* o, auto** e) {
      return tonnx_trace_options_add_dynamic_axis(o, input, axis, symbol.c_str(), e);
    });
  }
  // One of the sizes at which the code runs.
  TraceOptions& size(const std::string& symbol, std::int64_t size) {
    return run([&](auto* o, auto** e) { return tonnx_trace_options_add_size(o, symbol.c_str(), size, e); });
  }
  // The code runs on other values as well, and is refused where it then does something else.
  TraceOptions& other_values(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_trace_options_set_other_values(o, v, e); });
  }
  TraceOptions& single_run(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_trace_options_set_single_run(o, v, e); });
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
        fail(args, "an exception that is no std::exception");
      }
      return 1;
    };
    return run([&](auto* o, auto** e) {
      return tonnx_trace_options_set_resize(o, call, new Make(std::move(make)),
                                            [](void* user) { delete static_cast<Make*>(user); }, e);
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
