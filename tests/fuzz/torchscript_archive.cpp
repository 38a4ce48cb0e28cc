// A TorchScript archive as a whole, read by LibTorch. Checksums of the corpus are 0, which means that there are none.
#include <cstdlib>

#include "target.h"
#include "tonnx.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto program = tonnx::Program::load(data, size);
    const std::vector<float> elements(12, 0.5F);
    tonnx::Args args;
    args.add(tonnx::Tensor(TONNX_DTYPE_FLOAT32, {3, 4}, elements.data(), elements.size() * sizeof(float)));
    tonnx::Options options;
    options.max_seconds(3).max_constant_mib(16).max_steps(10000);
    tonnx::export_program(program, args, options);
  } catch (const tonnx::Error& error) {
    if (error.is("DependencyError")) std::abort();  // without LibTorch nothing is tested
  }
  return 0;
}
