// JSON documents. What is read equals what its own text is read as.
#include "exported/json.h"

#include <cstdlib>

#include "target.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tonnx::exported;
  try {
    const JsonDocument document(std::string_view(reinterpret_cast<const char*>(data), size));
    const JsonDocument again(document.root());
    if (document.root().dump() != again.root().dump()) std::abort();
    for (const Json& item : document.root().is_array() ? document.root().items() : std::span<const Json>())
      tagged(item);
  } catch (const JsonError&) {
  }
  return 0;
}
