#pragma once

#include <string_view>

#include "tonnx/buffer.h"

namespace tonnx::capi {

// Returns a new buffer with these bytes.
tonnx_buffer* new_buffer(std::string_view bytes);

}  // namespace tonnx::capi
