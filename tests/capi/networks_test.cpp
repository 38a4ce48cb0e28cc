#include <algorithm>

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "tonnx/torch.hpp"

// Networks that are written in C++, traced with a dynamic batch and sequence, each compared with itself at three sizes.
using torch::indexing::Slice;
namespace nn = torch::nn;

namespace {

constexpr std::int64_t kWords = 20, kWidth = 16;

// The axes of the input that are batch and sequence.
struct Layout {
  std::int64_t batch = 0, sequence = 1;
};

// `input` makes an example of a batch and a sequence size.
template <class Network, class Input>
void expect_at_three_sizes(Network network, Input input, Layout layout = {}) {
  const torch::NoGradGuard no_grad;
  network->eval();
  tonnx::TraceOptions options;
  options.dynamic_axis(0, layout.batch, "batch").dynamic_axis(0, layout.sequence, "sequence");
  const std::vector<at::Tensor> examples = {input(2, 6)};
  const auto model = tonnx::export_program(tonnx::trace(network, examples, options), tonnx::arguments(examples));
  for (const auto& [batch, sequence] : {std::pair{2, 6}, {1, 9}, {4, 3}}) {
    SCOPED_TRACE(std::to_string(batch) + " x " + std::to_string(sequence));
    EXPECT_NO_THROW(model.verify(tonnx::trace(network, {input(batch, sequence)})));
  }
}

// Makes its layers in the first call, and a table of numbers that no operator makes.
struct LateImpl : nn::Module {
  at::Tensor forward(at::Tensor x) {
    if (!linear) {
      linear = register_module("linear", nn::Linear(4, 2));
      static const float kScales[] = {2, 3};
      scales = register_buffer("scales", at::from_blob(const_cast<float*>(kScales), {2}));
    }
    return linear(x) * scales;
  }
  nn::Linear linear{nullptr};
  at::Tensor scales;
};
TORCH_MODULE(Late);

at::Tensor words(std::int64_t batch, std::int64_t sequence) {
  return torch::randint(kWords, {batch, sequence}, at::kLong);
}

// A language model: an embedding, a recurrent network with the sequence as first axis, a decoder.
template <class Recurrent>
struct LanguageImpl : nn::Module {
  explicit LanguageImpl(Recurrent recurrent, std::int64_t width)
      : embedding(register_module("embedding", nn::Embedding(kWords, kWidth))),
        recurrent(register_module("recurrent", recurrent)),
        decoder(register_module("decoder", nn::Linear(width, kWords))) {}
  at::Tensor forward(const at::Tensor& x) { return decoder(std::get<0>(recurrent(embedding(x)))); }
  nn::Embedding embedding;
  Recurrent recurrent;
  nn::Linear decoder;
};

struct AttentionImpl : nn::Module {
  AttentionImpl()
      : joint(register_module("joint", nn::Linear(kWidth, 3 * kWidth))),
        output(register_module("output", nn::Linear(kWidth, kWidth))),
        seen(register_buffer("seen", torch::ones({32, 32}).tril())) {}
  at::Tensor forward(const at::Tensor& x) {
    constexpr std::int64_t kHeads = 4;
    const std::int64_t batch = x.size(0), sequence = x.size(1);
    const auto split = [&](const at::Tensor& part) {
      return part.view({batch, sequence, kHeads, kWidth / kHeads}).transpose(1, 2);
    };
    const auto parts = joint(x).chunk(3, 2);
    at::Tensor scores = split(parts[0]).matmul(split(parts[1]).transpose(2, 3)) / 2;
    scores = scores.masked_fill(seen.index({Slice(0, sequence), Slice(0, sequence)}) == 0, -INFINITY);
    return output(scores.softmax(-1).matmul(split(parts[2])).transpose(1, 2).reshape({batch, sequence, kWidth}));
  }
  nn::Linear joint, output;
  at::Tensor seen;
};
TORCH_MODULE(Attention);

struct BlockImpl : nn::Module {
  BlockImpl()
      : attention(register_module("attention", Attention())),
        before(register_module("before", nn::LayerNorm(nn::LayerNormOptions({kWidth})))),
        between(register_module("between", nn::LayerNorm(nn::LayerNormOptions({kWidth})))),
        wide(register_module("wide", nn::Linear(kWidth, 4 * kWidth))),
        narrow(register_module("narrow", nn::Linear(4 * kWidth, kWidth))) {}
  at::Tensor forward(at::Tensor x) {
    x = x + attention(before(x));
    return x + narrow(torch::gelu(wide(between(x))));
  }
  Attention attention;
  nn::LayerNorm before, between;
  nn::Linear wide, narrow;
};
TORCH_MODULE(Block);

struct GptImpl : nn::Module {
  GptImpl()
      : tokens(register_module("tokens", nn::Embedding(kWords, kWidth))),
        places(register_module("places", nn::Embedding(32, kWidth))),
        blocks(register_module("blocks", nn::Sequential(Block(), Block()))),
        norm(register_module("norm", nn::LayerNorm(nn::LayerNormOptions({kWidth})))),
        decoder(register_module("decoder", nn::Linear(nn::LinearOptions(kWidth, kWords).bias(false)))) {}
  at::Tensor forward(const at::Tensor& x) {
    const at::Tensor place = torch::arange(x.size(1), at::kLong);
    return decoder(norm(blocks->forward(tokens(x) + places(place))));
  }
  nn::Embedding tokens, places;
  nn::Sequential blocks;
  nn::LayerNorm norm;
  nn::Linear decoder;
};
TORCH_MODULE(Gpt);

}  // namespace

TEST(Networks, Lstm) {
  const auto lstm = nn::LSTM(nn::LSTMOptions(kWidth, 12).num_layers(2).bidirectional(true).batch_first(true));
  expect_at_three_sizes(std::make_shared<LanguageImpl<nn::LSTM>>(lstm, 24), words);
}

TEST(Networks, Gru) {
  const auto gru = nn::GRU(nn::GRUOptions(kWidth, 12).batch_first(true));
  expect_at_three_sizes(std::make_shared<LanguageImpl<nn::GRU>>(gru, 12), words);
}

TEST(Networks, TransformerEncoder) {
  const nn::TransformerEncoderLayer layer(nn::TransformerEncoderLayerOptions(kWidth, 4).dim_feedforward(32));
  expect_at_three_sizes(
      nn::TransformerEncoder(nn::TransformerEncoderOptions(layer, 2)),
      [](std::int64_t batch, std::int64_t sequence) { return torch::randn({sequence, batch, kWidth}); },
      {.batch = 1, .sequence = 0});
}

TEST(Networks, Gpt) { expect_at_three_sizes(Gpt(), words); }

TEST(Networks, F7_WeightsThatAppearInTheCallAreReported) {
  const torch::NoGradGuard no_grad;
  const auto warnings = [](Late& network) {
    const std::vector<at::Tensor> examples = {torch::randn({3, 4})};
    return tonnx::export_program(tonnx::trace(network, examples), tonnx::arguments(examples)).warnings();
  };
  Late network;
  const std::vector<std::string> first = warnings(network);
  const auto names_all = [](const std::string& warning) {
    return warning.find("'linear.weight', 'linear.bias'") != std::string::npos &&
           warning.find("'scales'") != std::string::npos && warning.find("appeared") != std::string::npos;
  };
  EXPECT_EQ(std::count_if(first.begin(), first.end(), names_all), 1);
  EXPECT_TRUE(warnings(network).empty());
}

TEST(Networks, WeightsThatAppearInTheFirstOfSeveralRunsAreNamed) {
  const torch::NoGradGuard no_grad;
  const std::vector<at::Tensor> examples = {torch::randn({3, 4})};
  tonnx::TraceOptions options;
  options.dynamic_axis(0, 0, "rows");
  Late network;
  try {
    tonnx::trace(network, examples, options);
    FAIL();
  } catch (const tonnx::Error& error) {
    EXPECT_NE(std::string(error.what()).find("'scales' and 2 more appeared while the code ran"), std::string::npos)
        << error.what();
  }
  EXPECT_NO_THROW(tonnx::trace(network, examples, options));
}
