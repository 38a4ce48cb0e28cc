/* The network of quadrants.h for languages that call C: what a host's own LibTorch code looks like to them. Tensors are
 * at::Tensor *, as TorchSharp, DJL and gotch hold them. A function that fails prints why to stderr. */
#ifndef QUADRANTS_NETWORK_H
#define QUADRANTS_NETWORK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NETWORK_API __attribute__((visibility("default")))

typedef struct network network;

/* Returns NULL if LibTorch fails. */
NETWORK_API network* network_new(int64_t seed);
/* Returns the share of new images that the trained network answers correctly, or -1 if LibTorch fails. */
NETWORK_API double network_train(network* network, int64_t steps);
NETWORK_API size_t network_weight_count(const network* network);
/* Returns NULL if the index is too large. */
NETWORK_API const char* network_weight_name(const network* network, size_t index);
/* Borrowed from the network; NULL if the index is too large. */
NETWORK_API const void* network_weight(const network* network, size_t index);
/* Returns a new tensor, or NULL if LibTorch fails. */
NETWORK_API void* network_forward(network* network, const void* images);
NETWORK_API void network_delete_tensor(void* tensor);
NETWORK_API void network_free(network* network);

#ifdef __cplusplus
}
#endif

#endif
