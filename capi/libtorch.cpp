#include "tonnx/libtorch.h"

#include "backend/libtorch.h"
#include "guard.h"

using tonnx::capi::answer;
using tonnx::capi::guard;
using tonnx::capi::refuse;
using tonnx::capi::require;

uint32_t tonnx_libtorch_version(void) {
  return answer(uint32_t{0}, [] { return tonnx::backend::libtorch_version(); });
}

tonnx_status tonnx_libtorch_load(const char* folder, tonnx_error** error) {
  return guard(error, [&] {
    require(folder, "folder");
    if (!*folder) refuse("the folder is empty");
    tonnx::backend::libtorch_in(folder);
  });
}
