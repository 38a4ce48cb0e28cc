#ifndef TONNX_TRACE_OPTIONS_HPP
#define TONNX_TRACE_OPTIONS_HPP

#include <cstdint>
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
  TraceOptions& single_run(bool v) {
    return run([&](auto* o, auto** e) { return tonnx_trace_options_set_single_run(o, v, e); });
  }
  // Fills the empty arguments as the example's were, at these sizes by symbol.
  TraceOptions& resize(std::function<void(Args&, const std::map<std::string, std::int64_t>&)> fill) {
    using Fill = decltype(fill);
    const auto call = [](tonnx_args* args, const char* const* symbols, const std::int64_t* sizes, std::size_t count,
                         void* user) -> std::int32_t {
      try {
        std::map<std::string, std::int64_t> by_symbol;
        for (std::size_t i = 0; i < count; ++i) by_symbol[symbols[i]] = sizes[i];
        Args borrowed(args);
        struct Release {
          Args& args;
          ~Release() { args.handle_.release(); }
        } release{borrowed};
        (*static_cast<Fill*>(user))(borrowed, by_symbol);
        return 0;
      } catch (...) {
        return 1;
      }
    };
    return run([&](auto* o, auto** e) {
      return tonnx_trace_options_set_resize(o, call, new Fill(std::move(fill)),
                                            [](void* user) { delete static_cast<Fill*>(user); }, e);
    });
  }
  const tonnx_trace_options* get() const { return handle_.get(); }

 private:
  template <class Call>
  TraceOptions& run(Call&& body) {
    detail::call([&](tonnx_error** e) { return body(handle_.get(), e); });
    return *this;
  }
  detail::Handle<tonnx_trace_options, tonnx_trace_options_free> handle_;
};

}  // namespace tonnx

#endif
