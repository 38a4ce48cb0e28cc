#pragma once

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

}  // namespace tonnx::capi
