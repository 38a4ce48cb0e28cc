// .safetensors files. Small tensors are read.
#include "exported/safetensors.h"

#include "ir/error.h"
#include "memory_file.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file(data, size);
  try {
    for (const auto& [key, tensor] : tonnx::exported::read_safetensors(file.path()))
      if (tensor.numel() <= 1024) tensor.to_doubles();
  } catch (const tonnx::ir::Error&) {
  }
  return 0;
}
