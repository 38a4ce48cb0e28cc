/* AlexNet in a host program: a few C functions hide LibTorch. Tensors are at::Tensor *. */
#ifndef ALEXNET_NETWORK_H
#define ALEXNET_NETWORK_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct alexnet alexnet;

alexnet* alexnet_new(void); /* free with alexnet_free */
void alexnet_free(alexnet* network);

/* An example input, borrowed from the network: float32[10,3,224,224]. */
const void* alexnet_example(alexnet* network);

size_t alexnet_parameter_count(const alexnet* network);
const char* alexnet_parameter_name(const alexnet* network, size_t index);
const void* alexnet_parameter(const alexnet* network, size_t index);

/* Runs the network. The result is borrowed until the next call; NULL if LibTorch failed. */
const void* alexnet_forward(alexnet* network, const void* input);

#ifdef __cplusplus
}
#endif

#endif
