#ifndef TONNX_TENSOR_H
#define TONNX_TENSOR_H

#include "tonnx/base.h"

TONNX_BEGIN_DECLS

/* A tensor of example inputs, constants or results. Immutable once made; const calls may run concurrently. */

/* Copies `size` bytes of row-major elements; size must be what dtype and dims ask for. dims may be NULL if rank is 0.
 */
TONNX_API tonnx_status tonnx_tensor_new(tonnx_tensor **out, tonnx_dtype dtype, const int64_t *dims, size_t rank,
                                        const void *data, size_t size, tonnx_error **error);
/* Borrows the memory until the tensor and everything made of it is freed; then destroy(user_data) is called, on
 * whichever thread frees last. strides count elements; NULL: row-major. destroy may be NULL. */
TONNX_API tonnx_status tonnx_tensor_new_borrowed(tonnx_tensor **out, tonnx_dtype dtype, const int64_t *dims,
                                                 const int64_t *strides, size_t rank, const void *data, void *user_data,
                                                 tonnx_destroy_fn destroy, tonnx_error **error);
/* From an at::Tensor * of the LibTorch that tonnx is linked with, as tch-rs, TorchSharp and DJL hold it. The handle is
 * borrowed for the call; the tensor's storage is shared. A tensor on another device is copied to the host; a trace gets
 * it on its device. Of a quantised tensor with one scale (quint8, qint8, qint32) the elements are its integers, and the
 * scale goes with it; those with a scale a channel, sparse and meta ones are refused. */
TONNX_API tonnx_status tonnx_tensor_from_torch(tonnx_tensor **out, const void *at_tensor, tonnx_error **error);
/* From a DLManagedTensor *, which is taken: its deleter runs when the tensor is freed, also when this call fails. */
TONNX_API tonnx_status tonnx_tensor_from_dlpack(tonnx_tensor **out, void *managed_tensor, tonnx_error **error);
/* A new at::Tensor * of the LibTorch that tonnx is linked with, with a copy of the elements. The host owns it and
 * deletes it as its own: tch-rs, TorchSharp and DJL take such a pointer as theirs. Others: tonnx_tensor_delete_torch.
 */
TONNX_API tonnx_status tonnx_tensor_to_torch(void **out, const tonnx_tensor *tensor, tonnx_error **error);
/* Deletes an at::Tensor * that nobody has taken; NULL is none. */
TONNX_API void tonnx_tensor_delete_torch(void *at_tensor);
/* A new DLManagedTensor * on the CPU with a copy of the elements, row-major. Whoever takes it calls its deleter. A
 * dtype that DLPack lacks is refused with TONNX_ARGUMENT. */
TONNX_API tonnx_status tonnx_tensor_to_dlpack(void **out, const tonnx_tensor *tensor, tonnx_error **error);

TONNX_API tonnx_dtype tonnx_tensor_dtype(const tonnx_tensor *tensor);
TONNX_API size_t tonnx_tensor_rank(const tonnx_tensor *tensor);
/* Borrowed from the tensor; `rank` numbers. */
TONNX_API const int64_t *tonnx_tensor_dims(const tonnx_tensor *tensor);
/* Row-major elements, borrowed from the tensor. A strided tensor is gathered once. NULL if its file is gone. */
TONNX_API const void *tonnx_tensor_data(const tonnx_tensor *tensor);
/* Bytes behind tonnx_tensor_data. */
TONNX_API size_t tonnx_tensor_size(const tonnx_tensor *tensor);

TONNX_API void tonnx_tensor_free(tonnx_tensor *tensor);

/* "float32", "int64", ...; "undefined" for a value that is no dtype. */
TONNX_API const char *tonnx_dtype_name(tonnx_dtype dtype);
/* Reads such a name, also "float", "half", "long", "f32"; TONNX_DTYPE_UNDEFINED if it is none. */
TONNX_API tonnx_dtype tonnx_dtype_from_name(const char *name);
/* Bytes of one element; 0 for TONNX_DTYPE_UNDEFINED. */
TONNX_API size_t tonnx_dtype_size(tonnx_dtype dtype);

TONNX_END_DECLS

#endif
