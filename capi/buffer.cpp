#include "buffer.h"

#include <cstring>

#include "guard.h"

namespace tonnx::capi {

tonnx_buffer* new_buffer(std::string_view bytes) {
  auto buffer = std::make_unique<tonnx_buffer>();
  buffer->size = bytes.size();
  buffer->bytes.resize(bytes.size() + 1);
  std::memcpy(buffer->bytes.data(), bytes.data(), bytes.size());
  return buffer.release();
}

}  // namespace tonnx::capi

const void* tonnx_buffer_data(const tonnx_buffer* buffer) { return buffer ? buffer->bytes.data() : nullptr; }
size_t tonnx_buffer_size(const tonnx_buffer* buffer) { return buffer ? buffer->size : 0; }
void tonnx_buffer_free(tonnx_buffer* buffer) { tonnx::capi::destroy(buffer); }
