#ifndef TONNX_TENSOR_H
#define TONNX_TENSOR_H

#include "tonnx/base.h"

TONNX_BEGIN_DECLS

/* Of DLPack's header dlpack.h, which tonnx does not need. */
struct DLManagedTensor;
struct DLManagedTensorVersioned;

/* A tensor of example inputs, constants or results. Immutable, but storage that it shares with the caller may change.
 * Const calls may run concurrently. */

/* Copies `size` bytes of row-major elements; size must match dtype and dims. dims may be NULL if rank is 0. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_tensor_new(tonnx_tensor **out, tonnx_dtype dtype,
                                                                   const int64_t *dims, size_t rank, const void *data,
                                                                   size_t size, tonnx_error **error);
/* Borrows memory until the tensor and everything made of it are freed; then calls destroy(user_data), on the thread
 * that frees last. strides count elements; NULL: row-major. destroy may be NULL. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_tensor_new_borrowed(tonnx_tensor **out, tonnx_dtype dtype,
                                                                            const int64_t *dims, const int64_t *strides,
                                                                            size_t rank, const void *data,
                                                                            void *user_data, tonnx_destroy_fn destroy,
                                                                            tonnx_error **error);
/* Wraps an at::Tensor * of the LibTorch of the process, as tch-rs, TorchSharp and DJL hold it. The
 * at::Tensor is borrowed for the call; its storage is shared. A tensor on another device is copied to the host; a trace
 * receives it on its device. For a quantised tensor with one scale (quint8, qint8, qint32) the elements are the
 * integers, and the scale is kept with them. TONNX_STATUS_ARGUMENT for tensors with a scale per channel, sparse tensors
 * and meta tensors. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_tensor_from_torch(tonnx_tensor **out, const void *at_tensor,
                                                                          tonnx_error **error);
/* Wraps a tensor of DLPack on the CPU, which is taken: its deleter runs when the tensor is freed, also if this call
 * fails. TONNX_STATUS_ARGUMENT for another device, for a dtype that tonnx does not have, for a major version other than
 * 1, and for the other one of the two structs. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_tensor_from_dlpack(tonnx_tensor **out,
                                                                           struct DLManagedTensor *managed_tensor,
                                                                           tonnx_error **error);
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_tensor_from_dlpack_versioned(
    tonnx_tensor **out, struct DLManagedTensorVersioned *managed_tensor, tonnx_error **error);
/* Returns a new at::Tensor * of the LibTorch of the process, with a copy of the elements. The host owns and
 * deletes it: tch-rs, TorchSharp and DJL can adopt such a pointer; other hosts call tonnx_tensor_delete_torch. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_tensor_to_torch(void **out, const tonnx_tensor *tensor,
                                                                        tonnx_error **error);
/* Deletes an at::Tensor * that no other library has adopted. NULL is allowed. */
TONNX_API void TONNX_CALL tonnx_tensor_delete_torch(void *at_tensor);
/* Returns a new tensor of DLPack on the CPU with a row-major copy of the elements. The consumer calls its deleter.
 * TONNX_STATUS_ARGUMENT for a dtype that DLPack does not have; only the versioned struct has 8-bit floats. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_tensor_to_dlpack(struct DLManagedTensor **out,
                                                                         const tonnx_tensor *tensor,
                                                                         tonnx_error **error);
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_tensor_to_dlpack_versioned(
    struct DLManagedTensorVersioned **out, const tonnx_tensor *tensor, tonnx_error **error);

TONNX_API tonnx_dtype TONNX_CALL tonnx_tensor_dtype(const tonnx_tensor *tensor);
TONNX_API size_t TONNX_CALL tonnx_tensor_rank(const tonnx_tensor *tensor);
/* `rank` sizes, borrowed from the tensor. */
TONNX_API const int64_t *TONNX_CALL tonnx_tensor_dims(const tonnx_tensor *tensor);
/* Copies `size` bytes of the row-major elements, from byte `begin` on. TONNX_STATUS_FILE if the file of the tensor is
 * gone or was cut off; TONNX_STATUS_ARGUMENT if the tensor has fewer bytes. The elements of a strided tensor are
 * gathered once, on the first call. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_tensor_read(const tonnx_tensor *tensor, size_t begin,
                                                                    void *into, size_t size, tonnx_error **error);
/* Same, borrowed from the tensor. Those of an archive's weight are a mapping of its file: if it is cut off, reading
 * them ends the process (SIGBUS). NULL if the file is gone. */
TONNX_API const void *TONNX_CALL tonnx_tensor_data(const tonnx_tensor *tensor);
/* Size of tonnx_tensor_data in bytes. */
TONNX_API size_t TONNX_CALL tonnx_tensor_size(const tonnx_tensor *tensor);

TONNX_API void TONNX_CALL tonnx_tensor_free(tonnx_tensor *tensor);

/* "float32", "int64", ...; "undefined" for an unknown value. */
TONNX_API const char *TONNX_CALL tonnx_dtype_name(tonnx_dtype dtype);
/* Parses a dtype name, also "float", "half", "f32", "torch.long", "Long", "FLOAT16"; TONNX_DTYPE_UNDEFINED if it is
 * unknown. */
TONNX_API tonnx_dtype TONNX_CALL tonnx_dtype_from_name(const char *name);
/* Bits per element; 0 for TONNX_DTYPE_UNDEFINED. Elements of 4 and 2 bits are packed without gaps, the first one in the
 * lowest bits of a byte, and fill the last byte up: 3 elements of int4 are 2 bytes. Such tensors are row-major. */
TONNX_API size_t TONNX_CALL tonnx_dtype_bits(tonnx_dtype dtype);
/* Bytes per element; 0 for TONNX_DTYPE_UNDEFINED and for elements of less than 8 bits. */
TONNX_API size_t TONNX_CALL tonnx_dtype_size(tonnx_dtype dtype);

TONNX_END_DECLS

#endif
