#include "torch/stand_in.h"

#include <cstddef>

#include <c10/core/impl/LocalDispatchKeySet.h>

namespace tonnx::torch {

namespace {

thread_local std::size_t living = 0;

}  // namespace

::torch::Library* stand_in_library() {
  static ::torch::Library* const made = []() -> ::torch::Library* {
    try {
      auto* others = new ::torch::Library(::torch::Library::IMPL, "_", kStandInKey, __FILE__, __LINE__);
      others->fallback(::torch::CppFunction::makeFallthrough());
      return new ::torch::Library(::torch::Library::IMPL, "aten", kStandInKey, __FILE__, __LINE__);
    } catch (const c10::Error&) {  // another library uses the key
      return nullptr;
    }
  }();
  return made;
}

StandIn::StandIn() {
  if (++living == 1) c10::impl::tls_set_dispatch_key_included(kStandInKey, true);
}

StandIn::~StandIn() {
  if (thread_ == std::this_thread::get_id() && --living == 0)
    c10::impl::tls_set_dispatch_key_included(kStandInKey, false);
}

}  // namespace tonnx::torch
