// Code compiled with -fsanitize-coverage=trace-pc calls this function. It reports to a fuzz target's driver.cpp, if the
// program or the program that loaded this library has one.
#include <cstdint>

extern "C" __attribute__((weak)) void tonnx_fuzz_reach(std::uintptr_t address);

extern "C" __attribute__((no_sanitize_coverage)) void __sanitizer_cov_trace_pc() {
  if (tonnx_fuzz_reach) tonnx_fuzz_reach(reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)));
}
