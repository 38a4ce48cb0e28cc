// Headers of .npy files.
#include "cli/npy_header.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto header = tonnx::cli::parse_npy_header({reinterpret_cast<const char*>(data), size});
    for (const auto dim : header.shape)
      if (dim < 0) __builtin_trap();
    if (header.end > size) __builtin_trap();
  } catch (const tonnx::cli::NpyFault&) {
  }
  return 0;
}
