// The operators that autocast narrows, compared with LibTorch's own lists.
#include <set>
#include <string>

#include <ATen/autocast_mode.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <gtest/gtest.h>

#include "aten/autocast.h"

namespace tonnx::torch {
namespace {

#define TONNX_NAME(name, ...) "aten::" #name,
const std::set<std::string> kOnGpu = {AT_FORALL_LOWER_PRECISION_FP(TONNX_NAME)};
#undef TONNX_NAME

bool has_kernel_on_cpu(const char* name) {
  const auto handle = c10::Dispatcher::singleton().findSchema({name, ""});
  return handle && handle->hasKernelForDispatchKey(c10::DispatchKey::AutocastCPU);
}

TEST(Autocast, NarrowsWhatLibTorchNarrowsOnEveryDevice) {
  std::size_t narrowed = 0;
  for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames()) {
    if (!name.overload_name.empty() || !name.name.starts_with("aten::")) continue;
    const bool expected = kOnGpu.contains(name.name) && has_kernel_on_cpu(name.name.c_str());
    EXPECT_EQ(aten::is_narrowed_by_autocast(name.name), expected) << name.name;
    narrowed += expected;
  }
  EXPECT_GE(narrowed, 15u);
}

}  // namespace
}  // namespace tonnx::torch
