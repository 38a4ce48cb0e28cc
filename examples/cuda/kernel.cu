#include "kernel.h"

namespace {

constexpr int kThreads = 256;

struct Maximum {
  __device__ static float of(float a, float b) { return fmaxf(a, b); }
};
struct Sum {
  __device__ static float of(float a, float b) { return a + b; }
};

// Combines the values of all threads of a block; each thread gets the result.
template <class Combine>
__device__ float combined(float value, float* shared) {
  shared[threadIdx.x] = value;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) shared[threadIdx.x] = Combine::of(shared[threadIdx.x], shared[threadIdx.x + half]);
  }
  __syncthreads();
  const float result = shared[0];
  __syncthreads();
  return result;
}

// One block a row.
__global__ void gated_softmax(const float* x, float* y, std::int64_t columns, float alpha) {
  __shared__ float shared[kThreads];
  x += blockIdx.x * columns;
  y += blockIdx.x * columns;
  float most = -INFINITY, sum = 0;
  for (std::int64_t i = threadIdx.x; i < columns; i += kThreads)
    most = fmaxf(most, y[i] = x[i] / (1 + expf(-alpha * x[i])));
  most = combined<Maximum>(most, shared);
  for (std::int64_t i = threadIdx.x; i < columns; i += kThreads) sum += y[i] = expf(y[i] - most);
  sum = combined<Sum>(sum, shared);
  for (std::int64_t i = threadIdx.x; i < columns; i += kThreads) y[i] /= sum;
}

}  // namespace

int gated_softmax_on_device(const float* x, float* y, std::int64_t rows, std::int64_t columns, float alpha,
                            void* stream) {
  if (rows == 0 || columns == 0) return cudaSuccess;
  gated_softmax<<<static_cast<unsigned>(rows), kThreads, 0, static_cast<cudaStream_t>(stream)>>>(x, y, columns, alpha);
  return cudaGetLastError();
}
