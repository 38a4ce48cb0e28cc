#include "tonnx/verify_options.h"

#include <cmath>
#include <string_view>

#include "guard.h"
#include "set_option.h"

using tonnx::capi::guard;
using tonnx::capi::refuse;
using tonnx::capi::require;
using tonnx::capi::set;
using tonnx::capi::text;

tonnx_status tonnx_verify_options_new(tonnx_verify_options** out, tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    require(out, "out");
    *out = new tonnx_verify_options();
  });
}

tonnx_status tonnx_verify_options_add_size(tonnx_verify_options* options, const char* symbol, int64_t size,
                                           tonnx_error** error) {
  return set(options, error, [&](auto& o) {
    require(symbol, "symbol");
    if (size < 0) refuse("size " + std::to_string(size) + " of '" + symbol + "' is negative");
    o.sizes[symbol] = size;
  });
}

tonnx_status tonnx_verify_options_add_operator_tolerance(tonnx_verify_options* options, const char* name, double rtol,
                                                         double atol, tonnx_error** error) {
  return set(options, error, [&](auto& o) {
    require(name, "name");
    if (std::string_view(name).find("::") == std::string_view::npos)
      refuse("operator_tolerance '" + std::string(name) + "': write the operator's namespace, such as aten::gelu");
    if (std::isnan(rtol) || std::isnan(atol)) refuse("a tolerance of " + std::string(name) + " is NaN");
    o.operator_tolerances[name] = {rtol, atol};
  });
}

// Made from options.json by scripts/options.py.

tonnx_status tonnx_verify_options_set_rtol(tonnx_verify_options* options, double value, tonnx_error** error) {
  return set(options, error, [&](auto& o) { o.rtol = value; });
}

tonnx_status tonnx_verify_options_set_atol(tonnx_verify_options* options, double value, tonnx_error** error) {
  return set(options, error, [&](auto& o) { o.atol = value; });
}

tonnx_status tonnx_verify_options_set_accepted_share(tonnx_verify_options* options, double value, tonnx_error** error) {
  return set(options, error, [&](auto& o) { o.accepted_share = value; });
}

tonnx_status tonnx_verify_options_set_check_dtype(tonnx_verify_options* options, int32_t enabled, tonnx_error** error) {
  return set(options, error, [&](auto& o) { o.check_dtype = enabled != 0; });
}

tonnx_status tonnx_verify_options_set_check_shape(tonnx_verify_options* options, int32_t enabled, tonnx_error** error) {
  return set(options, error, [&](auto& o) { o.check_shape = enabled != 0; });
}

tonnx_status tonnx_verify_options_set_provider(tonnx_verify_options* options, const char* value, tonnx_error** error) {
  return set(options, error, [&](auto& o) { o.provider = text(value, "value"); });
}

tonnx_status tonnx_verify_options_add_runtime_library(tonnx_verify_options* options, const char* name,
                                                      tonnx_error** error) {
  return set(options, error, [&](auto& o) { o.runtime_libraries.push_back(text(name, "name")); });
}

tonnx_status tonnx_verify_options_set_other_sizes(tonnx_verify_options* options, int32_t enabled, tonnx_error** error) {
  return set(options, error, [&](auto& o) { o.other_sizes = enabled != 0; });
}

tonnx_status tonnx_verify_options_set_every_operator(tonnx_verify_options* options, int32_t enabled,
                                                     tonnx_error** error) {
  return set(options, error, [&](auto& o) { o.every_operator = enabled != 0; });
}
// Made until here.

tonnx_status tonnx_verify_options_set_observer(tonnx_verify_options* options, const tonnx_observer* observer,
                                               tonnx_error** error) {
  return set(options, error, [&](auto& o) { o.observer = observer ? observer->callback : nullptr; });
}

void tonnx_verify_options_free(tonnx_verify_options* options) { tonnx::capi::destroy(options); }
