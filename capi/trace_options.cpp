#include "guard.h"
#include "ir/callback_error.h"
#include "set_option.h"
#include "tonnx/trace.h"

using tonnx::capi::guard;
using tonnx::capi::own_user_data;
using tonnx::capi::refuse;
using tonnx::capi::require;
using tonnx::capi::set;

tonnx_status tonnx_trace_options_new(tonnx_trace_options** out, tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    require(out, "out");
    *out = new tonnx_trace_options();
  });
}

tonnx_status tonnx_trace_options_add_dynamic_axis(tonnx_trace_options* options, size_t input, int64_t axis,
                                                  const char* symbol, tonnx_error** error) {
  return set(options, error, [&](auto& o) { o.dynamic_axes.push_back({input, axis, symbol ? symbol : ""}); });
}

tonnx_status tonnx_trace_options_add_size(tonnx_trace_options* options, const char* symbol, int64_t size,
                                          tonnx_error** error) {
  return set(options, error, [&](auto& o) {
    require(symbol, "symbol");
    o.sizes[symbol].push_back(size);
  });
}

tonnx_status tonnx_trace_options_set_largest_size(tonnx_trace_options* options, int32_t value, tonnx_error** error) {
  return set(options, error, [&](auto& o) {
    if (value < 1) refuse("largest_size is " + std::to_string(value) + ", but must be at least 1");
    o.largest_size = value;
  });
}

tonnx_status tonnx_trace_options_set_resize(tonnx_trace_options* options, tonnx_resize_fn resize, void* user_data,
                                            tonnx_destroy_fn destroy, tonnx_error** error) {
  return guard(error, [&] {
    const std::shared_ptr<void> owned = own_user_data(user_data, destroy);
    require(options, "options");
    if (!resize) refuse("argument 'resize' is NULL");
    options->options.resize = [resize, owned](const std::map<std::string, std::int64_t>& by_symbol) {
      std::vector<const char*> symbols;
      std::vector<std::int64_t> sizes;
      for (const auto& [symbol, size] : by_symbol) {
        symbols.push_back(symbol.c_str());
        sizes.push_back(size);
      }
      tonnx_args args;
      if (resize(&args, symbols.data(), sizes.data(), sizes.size(), owned.get()) != 0)
        throw tonnx::ir::CallbackError("the callback that creates inputs of other sizes failed" +
                                           (args.failure.empty() ? "" : ": " + args.failure),
                                       {}, args.cause);
      return tonnx_args::finished(&args);
    };
  });
}

// Made from options.json by scripts/options.py.

tonnx_status tonnx_trace_options_set_share_weights(tonnx_trace_options* options, int32_t enabled, tonnx_error** error) {
  return set(options, error, [&](auto& o) { o.share_weights = enabled != 0; });
}

tonnx_status tonnx_trace_options_set_replay(tonnx_trace_options* options, int32_t enabled, tonnx_error** error) {
  return set(options, error, [&](auto& o) { o.replay = enabled != 0; });
}

tonnx_status tonnx_trace_options_set_allow_fixed_axes(tonnx_trace_options* options, int32_t enabled,
                                                      tonnx_error** error) {
  return set(options, error, [&](auto& o) { o.allow_fixed_axes = enabled != 0; });
}

tonnx_status tonnx_trace_options_set_single_run(tonnx_trace_options* options, int32_t enabled, tonnx_error** error) {
  return set(options, error, [&](auto& o) { o.single_run = enabled != 0; });
}

tonnx_status tonnx_trace_options_set_other_values(tonnx_trace_options* options, int32_t enabled, tonnx_error** error) {
  return set(options, error, [&](auto& o) { o.other_values = enabled != 0; });
}
// Made until here.

tonnx_status tonnx_trace_options_set_observer(tonnx_trace_options* options, const tonnx_observer* observer,
                                              tonnx_error** error) {
  return set(options, error, [&](auto& o) { o.observer = observer ? observer->callback : nullptr; });
}

void tonnx_trace_options_free(tonnx_trace_options* options) { tonnx::capi::destroy(options); }
