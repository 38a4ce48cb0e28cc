#include "backend/entry.h"

#include "torch/backend.h"
#include "torch/checkpoint.h"

// The functions exported by libtonnx_torch-2.X.so; the names are those of backend/entry.h.
extern "C" {

[[gnu::visibility("default")]] const char* tonnx_torch_build_stamp() { return tonnx::backend::build_stamp(); }

[[gnu::visibility("default")]] std::uint32_t tonnx_torch_libtorch_line() { return tonnx::torch::libtorch_line(); }

[[gnu::visibility("default")]] tonnx::backend::Backend* tonnx_torch_backend(const tonnx::backend::Host* host) {
  tonnx::torch::set_host(host);
  return &tonnx::torch::libtorch_backend();
}

}  // extern "C"
