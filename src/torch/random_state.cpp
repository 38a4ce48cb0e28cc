#include "torch/random_state.h"

#include <mutex>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/DeviceAccelerator.h>

namespace tonnx::torch {

namespace {

std::vector<at::Generator> default_generators(RandomState::Of scope) {
  std::vector<at::Generator> result{at::detail::getDefaultCPUGenerator()};
  if (scope == RandomState::Of::Host) return result;
  try {
    const auto accelerator = at::getAccelerator();
    if (!accelerator) return result;
    const at::AcceleratorHooksInterface& hooks = at::globalContext().getAcceleratorHooksInterface(accelerator);
    for (c10::DeviceIndex i = 0; i < hooks.deviceCount(); ++i)
      if (hooks.hasPrimaryContext(i)) result.push_back(hooks.getDefaultGenerator(i));
  } catch (const c10::Error&) {  // a user-defined device without generators
  }
  return result;
}

}  // namespace

RandomState::RandomState(Of scope) {
  for (at::Generator& generator : default_generators(scope)) {
    const std::lock_guard lock(generator.mutex());
    at::Tensor state = generator.get_state();
    states_.emplace_back(std::move(generator), std::move(state));
  }
}

void RandomState::restore() const {
  for (const auto& [generator, state] : states_) {
    at::Generator handle = generator;
    const std::lock_guard lock(handle.mutex());
    handle.set_state(state);
  }
}

}  // namespace tonnx::torch
