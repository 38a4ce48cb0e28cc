#include <cmath>

#include <torch/torch.h>

#include "callback.h"

namespace callbacks {

namespace {

namespace nn = torch::nn;
using R = Tensors;
using torch::indexing::None;
using torch::indexing::Slice;

constexpr std::int64_t kWidth = 6;

const auto kSteps = with_rows({kWidth});       // time first, no batch
const auto kBatches = with_rows({5, kWidth});  // batch first

Tensors tokens(std::int64_t rows) { return {at::randint(0, 9, {rows, 5}, at::kLong)}; }
Tensors lengths(std::int64_t rows) { return {at::randint(1, 8, {rows}, at::kLong)}; }
Tensors step_and_cache(std::int64_t rows) { return {at::randn({rows, kWidth}), at::randn({4, kWidth})}; }

template <class Module>
std::function<Code()> first_of(std::function<Module()> make) {
  return [=] {
    Module net = make();
    net->eval();
    return Code([=](Tensors& x) mutable { return R{std::get<0>(net->forward(x[0]))}; });
  };
}

}  // namespace

// Code over sequences: positions, masks, caches, recurrence and search.
std::vector<Network> sequences() {
  return {
      network(
          "Position.Sinusoids",
          [](Tensors& x) {
            const at::Tensor place = torch::arange(x[0].size(0), at::kFloat).unsqueeze(1);
            const at::Tensor rate = torch::exp(torch::arange(0, kWidth, 2, at::kFloat) * (-std::log(10000.0) / kWidth));
            at::Tensor table = torch::zeros({x[0].size(0), kWidth});
            table.index_put_({Slice(), Slice(0, None, 2)}, torch::sin(place * rate));
            table.index_put_({Slice(), Slice(1, None, 2)}, torch::cos(place * rate));
            return R{x[0] + table};
          },
          kSteps),
      made(
          "Position.TableMadeBefore",
          [] {
            const at::Tensor table = at::randn({64, kWidth});
            return Code([=](Tensors& x) { return R{x[0] + table.slice(0, 0, x[0].size(0))}; });
          },
          kSteps),
      made(
          "Position.Learned",
          [] {
            nn::Embedding places(64, kWidth);
            return Code([=](Tensors& x) mutable { return R{x[0] + places(torch::arange(x[0].size(0)))}; });
          },
          kSteps),
      network(
          "Position.Rotary",
          [](Tensors& x) {
            const at::Tensor rate = 1.0 / torch::pow(10000, torch::arange(0, kWidth, 2, at::kFloat) / kWidth);
            const at::Tensor angle = torch::outer(torch::arange(x[0].size(0), at::kFloat), rate).repeat({1, 2});
            const auto half = x[0].chunk(2, -1);
            return R{x[0] * angle.cos() + at::cat({-half[1], half[0]}, -1) * angle.sin()};
          },
          kSteps),
      network(
          "Position.Alibi",
          [](Tensors& x) {
            std::vector<float> slopes;
            for (int head = 1; head <= 4; ++head) slopes.push_back(std::pow(2.f, -2.f * static_cast<float>(head)));
            const at::Tensor place = torch::arange(x[0].size(0));
            const at::Tensor distance = (place.unsqueeze(0) - place.unsqueeze(1)).abs().to(at::kFloat);
            return R{at::mm(x[0], x[0].t()).unsqueeze(0) - torch::tensor(slopes).view({4, 1, 1}) * distance};
          },
          kSteps),
      network(
          "Position.RelativeBuckets",
          [](Tensors& x) {
            const at::Tensor place = torch::arange(x[0].size(0));
            return R{x[0].sum() + (place.unsqueeze(1) - place.unsqueeze(0)).clamp(-2, 2).add(2)};
          },
          kSteps),
      network(
          "Mask.OfLengths", [](Tensors& x) { return R{torch::arange(8).unsqueeze(0) < x[0].unsqueeze(1)}; }, lengths),
      network(
          "Mask.MeanOverLengths",
          [](Tensors& x) {
            const at::Tensor mask = (torch::arange(8).unsqueeze(0) < x[0].unsqueeze(1)).to(at::kFloat);
            return R{(mask * torch::arange(8)).sum(1) / x[0]};
          },
          lengths),
      network(
          "Mask.ToTheLongest",
          [](Tensors& x) { return R{torch::arange(x[0].max().item<std::int64_t>()).unsqueeze(0) < x[0].unsqueeze(1)}; },
          lengths, "outside of the recorded operators"),
      network(
          "Mask.Causal",
          [](Tensors& x) {
            const std::int64_t n = x[0].size(0);
            const at::Tensor mask = torch::full({n, n}, -INFINITY).triu(1);
            return R{(at::mm(x[0], x[0].t()) / std::sqrt(double(kWidth)) + mask).softmax(-1).mm(x[0])};
          },
          kSteps),
      network(
          "Mask.CausalOfBools",
          [](Tensors& x) {
            const std::int64_t n = x[0].size(0);
            const at::Tensor mask = torch::ones({n, n}, at::kBool).tril();
            return R{at::mm(x[0], x[0].t()).masked_fill(~mask, -1e9).softmax(-1)};
          },
          kSteps),
      network(
          "Mask.OfPadding",
          [](Tensors& x) {
            const at::Tensor mask = x[0] != 0;
            return R{mask.unsqueeze(1).unsqueeze(2), mask.sum(1)};
          },
          tokens),
      network(
          "Mask.ByIndexPut",
          [](Tensors& x) {
            at::Tensor y = x[0].clone();
            y.index_put_({y < 0}, 0.0);
            return R{y};
          },
          kSteps),
      network(
          "Mask.Window",
          [](Tensors& x) {
            const std::int64_t n = x[0].size(0);
            return R{torch::ones({n, n}).tril(1).triu(-1).mm(x[0])};
          },
          kSteps),
      network(
          "Cache.Grown",
          [](Tensors& x) {
            const at::Tensor cache = at::cat({x[1], x[0]});
            return R{at::mm(x[0], cache.t()).softmax(-1).mm(cache), cache};
          },
          step_and_cache),
      network(
          "Cache.WrittenInPlace",
          [](Tensors& x) {
            const at::Tensor cache = at::cat({x[1], torch::zeros({x[0].size(0), kWidth})});
            cache.narrow(0, 4, x[0].size(0)).copy_(x[0]);
            return R{cache};
          },
          step_and_cache),
      network(
          "Cache.ByIndexCopy",
          [](Tensors& x) {
            const at::Tensor cache = torch::zeros({x[0].size(0) + 4, kWidth});
            return R{cache.index_copy_(0, torch::arange(4, x[0].size(0) + 4), x[0])};
          },
          step_and_cache),
      network(
          "Cache.ItsLastSteps", [](Tensors& x) { return R{at::cat({x[1], x[0]}).slice(0, -4)}; }, step_and_cache),
      made(
          "Recurrence.CellOverFixedTime",
          [] {
            nn::LSTMCell cell(kWidth, 4);
            return Code([=](Tensors& x) mutable {
              std::tuple<at::Tensor, at::Tensor> state = {torch::zeros({x[0].size(0), 4}),
                                                          torch::zeros({x[0].size(0), 4})};
              std::vector<at::Tensor> steps;
              for (std::int64_t t = 0; t < x[0].size(1); ++t) {
                state = cell(x[0].select(1, t), state);
                steps.push_back(std::get<0>(state));
              }
              return R{at::stack(steps, 1)};
            });
          },
          kBatches),
      {"Recurrence.CellOverDynamicTime",
       [] {
         nn::GRUCell cell(kWidth, 4);
         return Code([=](Tensors& x) mutable {
           at::Tensor state = torch::zeros({4});
           for (std::int64_t t = 0; t < x[0].size(0); ++t) state = cell(x[0][t].unsqueeze(0), state.unsqueeze(0))[0];
           return R{state};
         });
       },
       kSteps,
       {},
       kPath},
      {"Recurrence.ByHandOverDynamicTime",
       [] {
         const at::Tensor w = at::randn({kWidth, kWidth}) / 3;
         return Code([=](Tensors& x) {
           at::Tensor state = at::zeros({kWidth});
           for (std::int64_t t = 0; t < x[0].size(0); ++t) state = at::tanh(at::mv(w, state) + x[0][t]);
           return R{state};
         });
       },
       kSteps,
       {},
       kPath},
      made("Recurrence.Lstm",
           first_of<nn::LSTM>([] { return nn::LSTM(nn::LSTMOptions(kWidth, 4).num_layers(2).batch_first(true)); }),
           kBatches),
      made("Recurrence.LstmBothWays",
           first_of<nn::LSTM>([] { return nn::LSTM(nn::LSTMOptions(kWidth, 4).bidirectional(true)); }), kBatches),
      made("Recurrence.LstmProjected",
           first_of<nn::LSTM>([] { return nn::LSTM(nn::LSTMOptions(kWidth, 4).proj_size(2).batch_first(true)); }),
           kBatches),
      made("Recurrence.Gru",
           first_of<nn::GRU>([] { return nn::GRU(nn::GRUOptions(kWidth, 4).batch_first(true).bias(false)); }),
           kBatches),
      made("Recurrence.RnnOfRelu",
           first_of<nn::RNN>([] { return nn::RNN(nn::RNNOptions(kWidth, 4).nonlinearity(torch::kReLU)); }), kBatches),
      made(
          "Recurrence.LstmWithStates",
          [] {
            nn::LSTM lstm(nn::LSTMOptions(kWidth, 4).batch_first(true));
            return Code([=](Tensors& x) mutable {
              const at::Tensor zero = torch::zeros({1, x[0].size(0), 4}, x[0].options());
              const auto [steps, state] = lstm(x[0], std::make_tuple(zero, zero));
              return R{steps.select(1, -1), std::get<0>(state), std::get<1>(state)};
            });
          },
          kBatches),
      made(
          "Recurrence.AccumulatedInAVector",
          [] {
            const at::Tensor w = at::randn({kWidth, kWidth});
            return Code([=](Tensors& x) {
              std::vector<at::Tensor> kept;
              at::Tensor y = x[0];
              for (int i = 0; i < 3; ++i) kept.push_back(y = at::tanh(at::matmul(y, w)));
              return R{at::stack(kept).sum(0), at::cat(kept, -1)};
            });
          },
          kBatches),
      network(
          "Search.BeamStep",
          [](Tensors& x) {
            const at::Tensor scores = x[0].log_softmax(-1).select(1, 0) + torch::zeros({x[0].size(0), 1});
            const auto [best, place] = scores.reshape({x[0].size(0), -1}).topk(3, 1);
            return R{best, at::div(place, kWidth, "floor"), place.remainder(kWidth)};
          },
          kBatches),
      network(
          "Search.BeamsReordered",
          [](Tensors& x) {
            const auto [best, place] = x[0].reshape({x[0].size(0), -1}).topk(3, 1);
            const at::Tensor beam = at::floor_divide(place, kWidth);
            return R{x[0].gather(1, beam.unsqueeze(-1).expand({-1, -1, kWidth})), best};
          },
          kBatches),
      made(
          "Search.GreedyOfFixedSteps",
          [] {
            nn::Embedding words(9, kWidth);
            nn::Linear out(kWidth, 9);
            return Code([=](Tensors& x) mutable {
              at::Tensor all = x[0];
              for (int i = 0; i < 4; ++i) all = at::cat({all, out(words(all).mean(1)).argmax(-1, true)}, 1);
              return R{all};
            });
          },
          tokens),
      {"Search.GreedyUntilTheEnd",
       [] {
         nn::Embedding words(9, kWidth);
         nn::Linear out(kWidth, 9);
         return Code([=](Tensors& x) mutable {
           at::Tensor all = x[0];
           for (int i = 0; i < 4; ++i) {
             const at::Tensor next = out(words(all).mean(1)).argmax(-1, true);
             all = at::cat({all, next}, 1);
             if ((next == 0).all().item<bool>()) break;
           }
           return R{all};
         });
       },
       tokens, "outside of the recorded operators", "outside of the recorded operators"},
      network(
          "Search.TopP",
          [](Tensors& x) {
            const auto [sorted, order] = x[0].softmax(-1).sort(-1, true);
            const at::Tensor drop = (sorted.cumsum(-1) - sorted) > 0.7;
            return R{at::zeros_like(sorted).scatter_(-1, order, sorted.masked_fill(drop, 0))};
          },
          kSteps),
      network(
          "Search.TopK",
          [](Tensors& x) {
            const at::Tensor least = std::get<0>(x[0].topk(2, -1)).slice(-1, -1);
            return R{x[0].masked_fill(x[0] < least, -INFINITY).softmax(-1)};
          },
          kSteps),
      network(
          "Search.IntoColumns",
          [](Tensors& x) {
            at::Tensor values = at::zeros({x[0].size(0), 4}), places = at::empty({0}, at::kLong);
            at::Tensor middle = values.slice(1, 1, 3);
            at::topk_out(middle, places, x[0], 2);
            return R{values + 1, places};
          },
          kSteps),
      network(
          "Search.RepetitionPenalty",
          [](Tensors& x) {
            const at::Tensor seen = torch::tensor({{0, 2}}).expand({x[0].size(0), 2});
            const at::Tensor score = x[0].gather(1, seen);
            return R{x[0].scatter(1, seen, at::where(score < 0, score * 1.3, score / 1.3))};
          },
          kSteps),
      network(
          "Segment.LastStepOfEach",
          [](Tensors& x) {
            const at::Tensor steps = torch::arange(16).view({1, 16}).expand({x[0].size(0), 16});
            return R{steps.gather(1, (x[0] - 1).unsqueeze(1)).squeeze(1)};
          },
          lengths),
      network(
          "Segment.Reversed",
          [](Tensors& x) {
            const at::Tensor place = torch::arange(8).unsqueeze(0);
            return R{at::where(place < x[0].unsqueeze(1), x[0].unsqueeze(1) - 1 - place, place)};
          },
          lengths),
      network(
          "Segment.SumsByIndexAdd",
          [](Tensors& x) { return R{torch::zeros({9, 5}).index_add_(0, x[0].select(1, 0), x[0].to(at::kFloat))}; },
          tokens),
      network(
          "Segment.CountsByScatter",
          [](Tensors& x) {
            return R{torch::zeros({x[0].size(0), 9}).scatter_add_(1, x[0], torch::ones_like(x[0], at::kFloat))};
          },
          tokens),
      network(
          "Segment.Repeated", [](Tensors& x) { return R{at::repeat_interleave(x[0], 3, 0)}; }, kSteps),
      network(
          "Segment.RepeatedByLengths",
          [](Tensors& x) { return R{at::repeat_interleave(torch::arange(x[0].size(0)), x[0])}; }, lengths),
      network(
          "Segment.Shifted",
          [](Tensors& x) {
            const at::Tensor y = torch::zeros_like(x[0]);
            y.slice(1, 1).copy_(x[0].slice(1, 0, -1));
            return R{y};
          },
          tokens),
      network(
          "Segment.Differences", [](Tensors& x) { return R{x[0].slice(0, 1) - x[0].slice(0, 0, -1)}; }, kSteps),
      network(
          "Segment.Frames",
          [](Tensors& x) { return R{at::constant_pad_nd(x[0], {0, 0, 2, 0}).unfold(0, 3, 1).mean(-1)}; }, kSteps),
  };
}

}  // namespace callbacks
