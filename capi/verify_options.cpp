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

namespace {

// NAMESPACE::NAME or NAMESPACE::NAME.OVERLOAD, each of letters, digits and _.
bool is_operator_name(std::string_view name) {
  const auto is_word = [](std::string_view part) {
    return !part.empty() && part.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
                                std::string_view::npos;
  };
  const std::size_t colons = name.find("::");
  if (colons == std::string_view::npos) return false;
  const std::string_view rest = name.substr(colons + 2);
  const std::size_t dot = rest.find('.');
  return is_word(name.substr(0, colons)) && is_word(rest.substr(0, dot)) &&
         (dot == std::string_view::npos || is_word(rest.substr(dot + 1)));
}

}  // namespace

tonnx_status tonnx_verify_options_add_operator_tolerance(tonnx_verify_options* options, const char* name, double rtol,
                                                         double atol, tonnx_error** error) {
  return set(options, error, [&](auto& o) {
    require(name, "name");
    if (!is_operator_name(name))
      refuse("operator_tolerance '" + std::string(name) +
             "' is not the name of an operator: write it with its namespace, as aten::gelu or aten::add.Tensor");
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
