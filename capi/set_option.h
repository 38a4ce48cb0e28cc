#pragma once

#include <string>

#include "guard.h"

namespace tonnx::capi {

// The body of a setter: calls `change` with the options of the handle.
template <class Handle, class Change>
tonnx_status set(Handle* options, tonnx_error** error, const Change& change) {
  return guard(error, [&] {
    require(options, "options");
    change(options->options);
  });
}

// The text of an argument that may not be null.
inline std::string text(const char* given, const char* name) {
  require(given, name);
  return given;
}

}  // namespace tonnx::capi
