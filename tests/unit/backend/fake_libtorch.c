/* A library with the name of LibTorch that has only its version function. The version is that of FAKE_LIBTORCH, by
 * default 2.99.0. */
#include <stdint.h>
#include <stdlib.h>

uint64_t aoti_torch_abi_version(void) {
  const char* version = getenv("FAKE_LIBTORCH");
  if (!version) version = "2.99.0";
  uint64_t number = 0;
  for (int part = 0; part < 3; ++part) {
    char* end;
    number = number << 8 | strtoull(version, &end, 10);
    version = *end ? end + 1 : end;
  }
  return number << 40;
}
