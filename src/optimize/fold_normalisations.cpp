#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "ir/normalised.h"
#include "ir/observer.h"
#include "optimize/passes.h"
#include "optimize/reads.h"

namespace tonnx::optimize {
namespace {

using ir::Node;
using ir::Tensor;
using ir::Value;

// A factor outside these would move elements of the weight to the ends of their dtype's range, where they lose digits.
constexpr double kLeast = 0x1p-40, kMost = 0x1p40;

// The tensor of a weight or of a constant.
const Tensor* known(const Value* value) { return value && value->weight() ? value->weight() : constant_tensor(value); }

bool is_vector(const Tensor* tensor, ir::DType dtype, std::int64_t size) {
  return tensor && tensor->dtype == dtype && tensor->rank() == 1 && tensor->dims[0] == size;
}

// The number of channels of the node, and their layout in its weight; nullopt if a normalisation cannot be folded into
// the node.
std::optional<std::pair<std::int64_t, ir::Channels>> channels_of(const Node& node, const Tensor& weight) {
  if (weight.numel() == 0) return std::nullopt;
  if (node.is("onnx::Conv")) return std::pair{weight.dims[0], ir::Channels{.inner = weight.numel() / weight.dims[0]}};
  if (node.is("onnx::ConvTranspose")) {
    const std::int64_t groups = integer_of(node, "group", 1);
    const std::int64_t repeats = weight.dims[0] / groups;
    return std::pair{weight.dims[1] * groups,
                     ir::Channels{repeats, weight.dims[1], weight.numel() / weight.dims[0] / weight.dims[1]}};
  }
  if (!node.is("onnx::Gemm") || weight.rank() != 2) return std::nullopt;
  for (const char* factor : {"alpha", "beta"})
    if (const double* value = node.attribute_as<double>(factor); value && *value != 1) return std::nullopt;
  if (integer_of(node, "transB", 0)) return std::pair{weight.dims[0], ir::Channels{.inner = weight.dims[1]}};
  return std::pair{weight.dims[1], ir::Channels{weight.dims[0], weight.dims[1], 1}};
}

class NormalisationFolder {
 public:
  explicit NormalisationFolder(ir::Graph& model) : model_(model) {}

  bool run() {
    for_each_node(model_.block(), [this](Node* node) {
      if (!node->is("onnx::BatchNormalization") || !fold(*node)) return;
      node->erase();
      changed_ = true;
    });
    return changed_;
  }

 private:
  bool fold(Node& norm) {
    if (norm.output_count() != 1 || integer_of(norm, "training_mode", 0) || !integer_of(norm, "spatial", 1))
      return false;
    Node* node = norm.input(0)->node();
    if (!node || node->parent() != norm.parent() || norm.input(0)->uses().size() != 1 || node->input_count() < 2)
      return false;
    Value* weight = node->input(1);
    if (!weight || !weight->weight() || weight->uses().size() != 1 || ir::computed_of(*weight->weight())) return false;
    const Tensor& tensor = *weight->weight();
    if (tensor.dtype != ir::DType::Float32 && tensor.dtype != ir::DType::Float64) return false;
    const auto channels = channels_of(*node, tensor);
    if (!channels) return false;
    Value* bias = node->input_count() > 2 ? node->input(2) : nullptr;
    if (bias && !is_vector(known(bias), tensor.dtype, channels->first)) return false;

    ir::Normalisation normalisation;
    if (!read(norm, tensor.dtype, channels->first, normalisation)) return false;
    const auto added = std::make_shared<ir::NormalisedBias>(bias ? std::optional(*known(bias)) : std::nullopt,
                                                            bias ? bias->name() : std::string(), normalisation);
    const Tensor shift{tensor.dtype, {channels->first}, {1}, 0, added};
    if (!is_harmless(normalisation, shift)) return false;
    Tensor scaled{tensor.dtype, tensor.dims, ir::contiguous_strides(tensor.dims), 0,
                  std::make_shared<ir::NormalisedWeight>(tensor, weight->name(), normalisation, channels->second)};

    Value* offset = become(bias && bias->weight() ? *bias : *norm.input(2), weight->name() + ".shift", shift);
    node->set_input(1, become(*weight, "", std::move(scaled)));
    if (node->input_count() > 2) {
      node->set_input(2, offset);
    } else {
      node->add_input(offset);
    }
    node->output()->set_facts(norm.output()->facts());
    norm.output()->replace_uses(node->output());
    ir::log(ir::Level::Debug, norm.location(),
            [&] { return norm.kind() + " is folded into the weight " + weight->name() + " of " + node->kind(); });
    return true;
  }

  static bool read(const Node& norm, ir::DType dtype, std::int64_t channels, ir::Normalisation& out) {
    const std::array<Tensor*, 4> tensors{&out.scale, &out.shift, &out.mean, &out.variance};
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const Value* value = norm.input(i + 1);
      const Tensor* tensor = known(value);
      if (!is_vector(tensor, dtype, channels)) return false;
      *tensors[i] = *tensor;
      out.names[i] = value->weight() ? value->name() : "";
    }
    const double* epsilon = norm.attribute_as<double>("epsilon");
    out.epsilon = epsilon ? *epsilon : 1e-5;
    return true;
  }

  static bool is_harmless(const ir::Normalisation& normalisation, const Tensor& shift) {
    const auto fits = [](double factor) {
      return factor == 0 || (std::abs(factor) >= kLeast && std::abs(factor) <= kMost);
    };
    const auto finite = [](double value) { return std::isfinite(value); };
    return std::ranges::all_of(normalisation.factors(), fits) && std::ranges::all_of(shift.to_doubles(), finite);
  }

  // Replaces `source` by a computed weight; in place if `source` has no other use. A constant has no name to reuse.
  Value* become(Value& source, const std::string& otherwise, Tensor tensor) {
    const std::string name = source.weight() ? source.name() + ".normalised" : otherwise;
    Value* made = &source;
    if (source.weight() && source.uses().size() == 1) {
      made->set_weight(std::move(tensor));
      made->set_name(name, true);
    } else {
      made = model_.add_weight(name, std::move(tensor), true);
    }
    if (source.origin()) made->set_origin(ir::Origin{source.origin()->weight, true});
    return made;
  }

  ir::Graph& model_;
  bool changed_ = false;
};

}  // namespace

bool fold_normalisations(ir::Graph& model) { return NormalisationFolder(model).run(); }

}  // namespace tonnx::optimize
