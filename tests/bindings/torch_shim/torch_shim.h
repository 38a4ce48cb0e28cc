#ifndef TORCH_SHIM_H
#define TORCH_SHIM_H

#include <stddef.h>
#include <stdint.h>

/* LibTorch for hosts that hold tensors as at::Tensor *, as the native shims of TorchSharp, DJL and gotch do. Links
 * LibTorch alone: to the process it is a client beside tonnx. */

#ifdef __cplusplus
extern "C" {
#endif

enum { TORCH_SHIM_RESULTS = 4 };

/* Runs one of the operators that torch_shim.cpp lists. Stores the results in `out` as new tensors and returns
 * their number; or returns -1, and torch_shim_error says why. */
__attribute__((visibility("default"))) int32_t torch_shim_run(const char* name, void* const* tensors,
                                                              size_t tensor_count, const int64_t* numbers,
                                                              size_t number_count, void* out[TORCH_SHIM_RESULTS]);
/* Of this thread's last failure. */
__attribute__((visibility("default"))) const char* torch_shim_error(void);
__attribute__((visibility("default"))) int64_t torch_shim_size(const void* tensor, int64_t dim);
__attribute__((visibility("default"))) void torch_shim_delete(void* tensor);
/* How many tensors of the shim's have not been deleted. */
__attribute__((visibility("default"))) int64_t torch_shim_count(void);

#ifdef __cplusplus
}
#endif

#endif
