#include "guard.h"
#include "tonnx/trace.h"

using tonnx::capi::guard;
using tonnx::capi::require;

tonnx_status tonnx_trace_options_new(tonnx_trace_options** out, tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    require(out, "out");
    *out = new tonnx_trace_options();
  });
}

tonnx_status tonnx_trace_options_set_share_weights(tonnx_trace_options* options, int32_t enabled, tonnx_error** error) {
  return guard(error, [&] {
    require(options, "options");
    options->options.share_weights = enabled != 0;
  });
}

void tonnx_trace_options_free(tonnx_trace_options* options) { delete options; }
