#include "ir/normalised.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tonnx::ir {
namespace {

// All weights of a network may pass through here. The length of the inner loop is a constant, so that compilers
// vectorise it even at -O2.
template <class T>
void multiply(T* values, std::int64_t count, double factor) {
  constexpr std::int64_t kLanes = 16;
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (std::int64_t k = 0; k < kLanes; ++k) values[i + k] = static_cast<T>(values[i + k] * factor);
  for (; i < count; ++i) values[i] = static_cast<T>(values[i] * factor);
}

template <class T>
void multiply_channels(std::byte* out, std::int64_t begin, std::int64_t end, const Channels& channels,
                       const std::vector<double>& factors) {
  T* values = reinterpret_cast<T*>(out);
  for (std::int64_t i = begin; i < end;) {
    const std::int64_t run = i / channels.inner;
    const std::int64_t stop = std::min(end, (run + 1) * channels.inner);
    const std::int64_t group = run / (channels.repeats * channels.count);
    multiply(values + (i - begin), stop - i,
             factors[static_cast<std::size_t>(group * channels.count + run % channels.count)]);
    i = stop;
  }
}

}  // namespace

std::vector<double> Normalisation::factors() const {
  const std::vector<double> spread = variance.to_doubles();
  std::vector<double> out = scale.to_doubles();
  for (std::size_t c = 0; c < out.size(); ++c) out[c] /= std::sqrt(spread[c] + epsilon);
  return out;
}

NormalisedWeight::NormalisedWeight(Tensor weight, std::string name, Normalisation normalisation, Channels channels)
    : Computed(weight.dtype, weight.numel()),
      weight_(std::move(weight)),
      name_(std::move(name)),
      normalisation_(std::move(normalisation)),
      channels_(channels) {}

void NormalisedWeight::compute(std::int64_t begin, std::int64_t end, std::byte* out, const Done& done) const {
  weight_.read(begin, end, out, weight_.storage->path().empty() ? Done() : done);
  const std::vector<double> factors = normalisation_.factors();
  if (weight_.dtype == DType::Float64) {
    multiply_channels<double>(out, begin, end, channels_, factors);
  } else {
    multiply_channels<float>(out, begin, end, channels_, factors);
  }
}

NormalisedBias::NormalisedBias(std::optional<Tensor> bias, std::string name, Normalisation normalisation)
    : Computed(normalisation.shift.dtype, normalisation.shift.numel()),
      bias_(std::move(bias)),
      name_(std::move(name)),
      normalisation_(std::move(normalisation)) {}

void NormalisedBias::compute(std::int64_t begin, std::int64_t end, std::byte* out, const Done&) const {
  const std::vector<double> factors = normalisation_.factors(), means = normalisation_.mean.to_doubles();
  const std::vector<double> shifts = normalisation_.shift.to_doubles();
  const std::vector<double> biases = bias_ ? bias_->to_doubles() : std::vector<double>(means.size());
  const DType dtype = normalisation_.shift.dtype;
  for (auto c = static_cast<std::size_t>(begin); c < static_cast<std::size_t>(end); ++c, out += size_of(dtype))
    store(dtype, (biases[c] - means[c]) * factors[c] + shifts[c], out);
}

}  // namespace tonnx::ir
