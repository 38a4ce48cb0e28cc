#pragma once

#include <array>
#include <optional>
#include <string>

#include "ir/computed.h"

namespace tonnx::ir {

// The parameters of a batch normalisation: y = (x - mean) * scale / sqrt(variance + epsilon) + shift for each channel.
// The tensors have rank 1, the same size, and the same dtype, float32 or float64.
struct Normalisation {
  Tensor scale, shift, mean, variance;
  double epsilon = 0;
  std::array<std::string, 4> names;  // names of the weights in this order; empty for constants

  // scale / sqrt(variance + epsilon)
  std::vector<double> factors() const;
};

// The layout of the channels in a weight: element i belongs to channel i / (repeats * count * inner) * count + i /
// inner % count.
struct Channels {
  std::int64_t repeats = 1, count = 1, inner = 1;
};

// A weight with the following normalisation folded in: each element is multiplied by the factor of its channel.
class NormalisedWeight final : public Computed {
 public:
  NormalisedWeight(Tensor weight, std::string name, Normalisation normalisation, Channels channels);
  void compute(std::int64_t begin, std::int64_t end, std::byte* out, const Done& done) const override;

  const Tensor& weight() const { return weight_; }
  const std::string& name() const { return name_; }
  const Normalisation& normalisation() const { return normalisation_; }

 private:
  Tensor weight_;
  std::string name_;
  Normalisation normalisation_;
  Channels channels_;
};

// The corresponding bias: (bias - mean) * factor + shift. An absent bias is 0.
class NormalisedBias final : public Computed {
 public:
  NormalisedBias(std::optional<Tensor> bias, std::string name, Normalisation normalisation);
  void compute(std::int64_t begin, std::int64_t end, std::byte* out, const Done& done) const override;

  const std::optional<Tensor>& bias() const { return bias_; }
  const std::string& name() const { return name_; }

 private:
  std::optional<Tensor> bias_;
  std::string name_;
  Normalisation normalisation_;
};

}  // namespace tonnx::ir
