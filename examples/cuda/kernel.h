#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

// Softmax over the columns of x * sigmoid(alpha * x), for contiguous float32 matrices of `rows` by `columns`.
inline void gated_softmax_on_host(const float* x, float* y, std::int64_t rows, std::int64_t columns, float alpha) {
  for (std::int64_t row = 0; row < rows; ++row, x += columns, y += columns) {
    float most = -INFINITY, sum = 0;
    for (std::int64_t i = 0; i < columns; ++i) most = std::fmax(most, y[i] = x[i] / (1 + std::exp(-alpha * x[i])));
    for (std::int64_t i = 0; i < columns; ++i) sum += y[i] = std::exp(y[i] - most);
    for (std::int64_t i = 0; i < columns; ++i) y[i] /= sum;
  }
}

// The same in device memory, queued on a cudaStream_t. Returns a cudaError_t, 0 for success.
int gated_softmax_on_device(const float* x, float* y, std::int64_t rows, std::int64_t columns, float alpha,
                            void* stream);
