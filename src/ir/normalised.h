#pragma once

#include <array>
#include <optional>
#include <string>

#include "ir/computed.h"

namespace tonnx::ir {

// What a batch normalisation does to each channel: y = (x - mean) * scale / sqrt(variance + epsilon) + shift. The
// tensors are of rank 1, one dtype, float32 or float64, and one size.
struct Normalisation {
  Tensor scale, shift, mean, variance;
  double epsilon = 0;
  std::array<std::string, 4> names;  // of the weights in this order; empty for constants

  // scale / sqrt(variance + epsilon)
  std::vector<double> factors() const;
};

// Where the channels of a weight lie: element i is of channel i / (repeats * count * inner) * count + i / inner %
// count.
struct Channels {
  std::int64_t repeats = 1, count = 1, inner = 1;
};

// A weight whose results were normalised, with the normalisation in it: each element times the factor of its channel.
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

// The bias that goes with it: (bias - mean) * factor + shift. Without a bias that is 0.
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
