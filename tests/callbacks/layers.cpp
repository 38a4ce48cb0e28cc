#include <torch/torch.h>

#include "callback.h"

namespace callbacks {

namespace {

namespace nn = torch::nn;
namespace F = torch::nn::functional;
using R = Tensors;

const auto kSixWide = with_rows({6});
const auto kSignals = with_rows({6, 9});
const auto kSixPlanes = with_rows({6, 8, 9});
const auto kBatchedSteps = with_rows({2, 8});  // time first

template <class Module>
Network layer(std::string name, std::function<Module()> make, std::function<Tensors(std::int64_t)> inputs) {
  return made(
      "Layer." + name,
      [=] {
        Module net = make();
        net->eval();
        return Code([=](Tensors& x) mutable { return R{net(x[0])}; });
      },
      std::move(inputs));
}

Network function(std::string name, std::function<at::Tensor(const at::Tensor&)> code,
                 std::function<Tensors(std::int64_t)> inputs = kSixWide) {
  return network("Function." + name, [=](Tensors& x) { return R{code(x[0])}; }, std::move(inputs));
}

struct DeepImpl : nn::Module {
  DeepImpl() {
    for (int i = 0; i < 3; ++i) layers->push_back(nn::Linear(6, 6));
    for (int i = 0; i < 3; ++i) scales->append(at::rand({6}));
    register_module("layers", layers);
    register_module("scales", scales);
  }
  at::Tensor forward(at::Tensor x) {
    std::size_t i = 0;
    for (const auto& each : *layers) x = each->as<nn::Linear>()->forward(x).relu() * (*scales)[i++];
    return x;
  }
  nn::ModuleList layers;
  nn::ParameterList scales;
};
TORCH_MODULE(Deep);

}  // namespace

// Layers and functions of the C++ front end with their options.
std::vector<Network> layers() {
  return {
      layer<nn::Linear>(
          "LinearWithoutBias", [] { return nn::Linear(nn::LinearOptions(6, 2).bias(false)); }, kSixWide),
      layer<nn::Conv1d>(
          "Conv1dCircular",
          [] { return nn::Conv1d(nn::Conv1dOptions(6, 4, 3).padding(2).padding_mode(torch::kCircular)); }, kSignals),
      layer<nn::Conv1d>(
          "Conv1dSame", [] { return nn::Conv1d(nn::Conv1dOptions(6, 4, 4).padding(torch::kSame).dilation(2)); },
          kSignals),
      layer<nn::Conv2d>(
          "Conv2dGrouped",
          [] {
            return nn::Conv2d(
                nn::Conv2dOptions(6, 12, {3, 2}).groups(3).stride({2, 1}).dilation({1, 2}).padding({1, 0}));
          },
          kSixPlanes),
      layer<nn::Conv2d>(
          "Conv2dReflected",
          [] { return nn::Conv2d(nn::Conv2dOptions(6, 4, 3).padding(1).padding_mode(torch::kReflect)); }, kSixPlanes),
      layer<nn::ConvTranspose2d>(
          "ConvTranspose2d",
          [] {
            return nn::ConvTranspose2d(
                nn::ConvTranspose2dOptions(6, 4, 3).stride(2).padding(1).output_padding(1).groups(2));
          },
          kSixPlanes),
      layer<nn::BatchNorm1d>(
          "BatchNorm1d", [] { return nn::BatchNorm1d(6); }, kSixWide),
      layer<nn::GroupNorm>(
          "GroupNorm", [] { return nn::GroupNorm(nn::GroupNormOptions(3, 6)); }, kSixPlanes),
      layer<nn::InstanceNorm2d>(
          "InstanceNorm2d", [] { return nn::InstanceNorm2d(nn::InstanceNorm2dOptions(6).track_running_stats(true)); },
          kSixPlanes),
      layer<nn::LayerNorm>(
          "LayerNorm", [] { return nn::LayerNorm(nn::LayerNormOptions({9}).elementwise_affine(false)); }, kSignals),
      layer<nn::LocalResponseNorm>(
          "LocalResponseNorm", [] { return nn::LocalResponseNorm(nn::LocalResponseNormOptions(3)); }, kSixPlanes),
      layer<nn::MaxPool2d>(
          "MaxPool2dCeil", [] { return nn::MaxPool2d(nn::MaxPool2dOptions(3).stride(2).padding(1).ceil_mode(true)); },
          kSixPlanes),
      layer<nn::AvgPool2d>(
          "AvgPool2d",
          [] {
            return nn::AvgPool2d(nn::AvgPool2dOptions(3).stride(2).padding(1).count_include_pad(false).ceil_mode(true));
          },
          kSixPlanes),
      layer<nn::LPPool2d>(
          "LPPool2d", [] { return nn::LPPool2d(nn::LPPool2dOptions(2, 3).stride(2)); }, kSixPlanes),
      layer<nn::AdaptiveAvgPool2d>(
          "AdaptiveAvgPool2d", [] { return nn::AdaptiveAvgPool2d(nn::AdaptiveAvgPool2dOptions({4, 3})); }, kSixPlanes),
      layer<nn::AdaptiveMaxPool2d>(
          "AdaptiveMaxPool2d", [] { return nn::AdaptiveMaxPool2d(nn::AdaptiveMaxPool2dOptions({1, 1})); }, kSixPlanes),
      layer<nn::Upsample>(
          "Upsample",
          [] {
            const std::vector<double> factors = {2, 2};
            return nn::Upsample(nn::UpsampleOptions().scale_factor(factors).mode(torch::kBilinear).align_corners(true));
          },
          kSixPlanes),
      layer<nn::PReLU>(
          "PReLU", [] { return nn::PReLU(nn::PReLUOptions().num_parameters(6)); }, kSixPlanes),
      layer<nn::RReLU>(
          "RReLU", [] { return nn::RReLU(); }, kSixWide),
      layer<nn::GLU>(
          "GLU", [] { return nn::GLU(1); }, kSixWide),
      layer<nn::Softmax2d>(
          "Softmax2d", [] { return nn::Softmax2d(); }, kSixPlanes),
      layer<nn::Unfold>(
          "Unfold", [] { return nn::Unfold(nn::UnfoldOptions({3, 3}).stride(2).padding(1)); }, kSixPlanes),
      layer<nn::ZeroPad2d>(
          "ZeroPad2d", [] { return nn::ZeroPad2d(nn::ZeroPad2dOptions({1, 2, 0, 1})); }, kSixPlanes),
      layer<nn::ReplicationPad1d>(
          "ReplicationPad1d", [] { return nn::ReplicationPad1d(2); }, kSignals),
      layer<nn::CrossMapLRN2d>(
          "CrossMapLRN2d", [] { return nn::CrossMapLRN2d(nn::CrossMapLRN2dOptions(3).alpha(0.1).beta(0.7).k(2)); },
          kSixPlanes),
      layer<nn::CrossMapLRN2d>(
          "CrossMapLRN2dOfMostChannels", [] { return nn::CrossMapLRN2d(nn::CrossMapLRN2dOptions(8)); }, kSixPlanes),
      layer<nn::Flatten>(
          "Flatten", [] { return nn::Flatten(); }, kSixPlanes),
      layer<nn::Unflatten>(
          "Unflatten", [] { return nn::Unflatten(nn::UnflattenOptions(1, {2, 3})); }, kSixPlanes),
      layer<Deep>(
          "Lists", [] { return Deep(); }, kSixWide),
      made(
          "Layer.EmbeddingBag",
          [] {
            nn::EmbeddingBag bag(nn::EmbeddingBagOptions(9, 4).mode(torch::kMean));
            return Code([=](Tensors& x) mutable { return R{bag(x[0])}; });
          },
          [](std::int64_t rows) { return R{at::randint(0, 9, {rows, 4}, at::kLong)}; }),
      made(
          "Layer.EmbeddingRenormalised",
          [] {
            nn::Embedding words(nn::EmbeddingOptions(9, 4).max_norm(0.5));
            return Code([=](Tensors& x) mutable { return R{words(x[0])}; });
          },
          [](std::int64_t rows) { return R{at::randint(0, 9, {rows, 4}, at::kLong)}; }, "has different elements"),
      made(
          "Layer.MultiheadAttention",
          [] {
            nn::MultiheadAttention net(nn::MultiheadAttentionOptions(8, 2));
            net->eval();
            return Code([=](Tensors& x) mutable {
              const auto [y, weights] = net(x[0], x[0], x[0]);
              return R{y, weights};
            });
          },
          kBatchedSteps),
      made(
          "Layer.MultiheadAttentionMasked",
          [] {
            nn::MultiheadAttention net(nn::MultiheadAttentionOptions(8, 2).add_zero_attn(true));
            net->eval();
            return Code([=](Tensors& x) mutable {
              const std::int64_t n = x[0].size(0);
              const at::Tensor mask = torch::full({n, n}, -INFINITY).triu(1);
              return R{std::get<0>(net->forward(x[0], x[0], x[0], {}, false, mask))};
            });
          },
          kBatchedSteps),
      made(
          "Layer.TransformerEncoder",
          [] {
            const auto options = nn::TransformerEncoderLayerOptions(8, 2).dim_feedforward(16).activation(torch::kGELU);
            nn::TransformerEncoder net(nn::TransformerEncoderOptions(nn::TransformerEncoderLayer(options), 2));
            net->eval();
            return Code([=](Tensors& x) mutable { return R{net(x[0])}; });
          },
          kBatchedSteps),
      made(
          "Layer.Transformer",
          [] {
            nn::Transformer net(nn::TransformerOptions(8, 2, 1, 1).dim_feedforward(16));
            net->eval();
            return Code([=](Tensors& x) mutable {
              return R{
                  net->forward(x[0], x[0] * 2, {}, nn::TransformerImpl::generate_square_subsequent_mask(x[0].size(0)))};
            });
          },
          kBatchedSteps),
      function("Normalize", [](auto& x) { return F::normalize(x, F::NormalizeFuncOptions().p(1).dim(1)); }),
      function("CosineSimilarity",
               [](auto& x) { return F::cosine_similarity(x, x.tanh(), F::CosineSimilarityFuncOptions().dim(1)); }),
      function("PairwiseDistance",
               [](auto& x) { return F::pairwise_distance(x, x.tanh(), F::PairwiseDistanceFuncOptions().p(1)); }),
      function("Cdist", [](auto& x) { return at::cdist(x, x.tanh()); }),
      function("GumbelSoftmaxTimesZero",
               [](auto& x) { return F::gumbel_softmax(x, F::GumbelSoftmaxFuncOptions().tau(2)) * 0 + x; }),
      function("Softplus", [](auto& x) { return F::softplus(x, F::SoftplusFuncOptions().beta(2).threshold(3)); }),
      function("HardtanhInPlace",
               [](auto& x) {
                 return F::hardtanh(x * 1, F::HardtanhFuncOptions().min_val(-0.5).max_val(0.7).inplace(true));
               }),
      function("EluInPlace", [](auto& x) { return F::elu(x * 1, F::ELUFuncOptions().alpha(0.4).inplace(true)); }),
      function("LeakyRelu", [](auto& x) { return F::leaky_relu(x, F::LeakyReLUFuncOptions().negative_slope(0.3)); }),
      function("Threshold", [](auto& x) { return F::threshold(x, F::ThresholdFuncOptions(0.1, -2)); }),
      function("LogSoftmaxInDouble",
               [](auto& x) { return F::log_softmax(x, F::LogSoftmaxFuncOptions(1).dtype(at::kDouble)); }),
      function("MseLoss",
               [](auto& x) { return F::mse_loss(x, x.tanh(), F::MSELossFuncOptions().reduction(torch::kSum)); }),
      function("KlDiv",
               [](auto& x) {
                 return F::kl_div(x.log_softmax(1), x.softmax(1), F::KLDivFuncOptions().reduction(torch::kBatchMean));
               }),
      function("BinaryCrossEntropy",
               [](auto& x) {
                 const auto options = F::BinaryCrossEntropyWithLogitsFuncOptions().reduction(torch::kNone);
                 return F::binary_cross_entropy_with_logits(x, x.sigmoid(), options);
               }),
      function(
          "MaxPoolWithIndices",
          [](auto& x) { return std::get<1>(F::max_pool2d_with_indices(x, F::MaxPool2dFuncOptions(2))); }, kSixPlanes),
      function(
          "MaxUnpool",
          [](auto& x) {
            const auto [y, at] = F::max_pool2d_with_indices(x, F::MaxPool2dFuncOptions({2, 3}));
            return F::max_unpool2d(y, at, F::MaxUnpool2dFuncOptions({2, 3}));
          },
          kSixPlanes),
      function(
          "Fold",
          [](auto& x) {
            const at::Tensor blocks = F::unfold(x, F::UnfoldFuncOptions({2, 3}).stride({2, 3}));
            return F::fold(blocks, F::FoldFuncOptions({8, 9}, {2, 3}).stride({2, 3}));
          },
          kSixPlanes),
      function(
          "Stft",
          [](auto& x) {
            return at::view_as_real(at::stft(x.flatten(1), 8, 4, 8, at::hann_window(8), false, true, true));
          },
          kSignals),
      function(
          "Einsum", [](auto& x) { return at::einsum("bct,bdt->bcd", {x, x}); }, kSignals),
      function("Squeezed", [](auto& x) { return x.unsqueeze(2).squeeze(2).squeeze(-1); }),
      function("SqueezedOfAll", [](auto& x) { return x.unsqueeze(1).squeeze() * 2; }),
      function("Standardised", [](auto& x) { return (x - x.mean(0)) / (x.var(0, false) + 1e-5).sqrt(); }),
      function("SortedAndRanked", [](auto& x) { return x.argsort(std::int64_t{0}).argsort(std::int64_t{0}); }),
      function("Covariance", [](auto& x) { return (x - x.mean(0)).t().mm(x - x.mean(0)) / double(x.size(0) - 1); }),
      function("Quantile", [](auto& x) { return x.quantile(0.3, 1); }),
      function("Cumulative", [](auto& x) { return x.cumsum(0).div(at::arange(1, x.size(0) + 1).unsqueeze(1)); }),
      function("GroupsOfTheBatch", [](auto& x) { return x.view({x.size(0), 2, 3}).transpose(1, 2).reshape({-1, 2}); }),
      function(
          "ChannelShuffle", [](auto& x) { return x.view({x.size(0), 2, 3, 8, 9}).transpose(1, 2).flatten(1, 2); },
          kSixPlanes),
      function(
          "SqueezeAndExcite", [](auto& x) { return x * at::adaptive_avg_pool2d(x, {1, 1}).sigmoid(); }, kSixPlanes),
      function(
          "StochasticDepthInEval", [](auto& x) { return x + at::feature_dropout(x.tanh(), 0.3, false); }, kSixPlanes),
      function(
          "ChannelsLast", [](auto& x) { return at::relu(x.to(at::MemoryFormat::ChannelsLast)).contiguous(); },
          kSixPlanes),
  };
}

}  // namespace callbacks
