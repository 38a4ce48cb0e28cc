#include <cmath>
#include <map>
#include <numeric>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <torch/torch.h>

#include "callback.h"

namespace callbacks {

namespace {

namespace nn = torch::nn;
namespace F = torch::nn::functional;
using R = Tensors;
using torch::indexing::None;
using torch::indexing::Slice;

constexpr const char* kChangedWeight = "has different elements in another run";
constexpr const char* kNoOperator = "its elements were computed outside the recording";
constexpr const char* kNoArithmetic = "no arithmetic of the sizes";
constexpr const char* kUnseen = "a result depends on something that the tracer cannot see";

Tensors tokens(std::int64_t rows) { return {at::randint(0, 7, {rows, 4}, at::kLong)}; }

at::Tensor causal(std::int64_t size) { return at::ones({size, size}).tril(); }

// Refused with dynamic rows.
Network at_one_size(std::string refusal, Network network) {
  network.refusal_at_sizes = std::move(refusal);
  return network;
}

// Enables autocast during its lifetime.
class Autocast {
 public:
  Autocast() { at::autocast::set_autocast_enabled(at::kCPU, true); }
  ~Autocast() {
    at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(at::kCPU, false);
  }
};

}  // namespace

// Code as in tutorials: it caches tensors between calls, fills tensors in host loops, and so on.
std::vector<Network> habits() {
  return {
      made(
          "Kept.MaskOfOneSize",
          [] {
            const auto mask = std::make_shared<at::Tensor>();
            return Code([=](Tensors& x) {
              if (!mask->defined() || mask->size(0) != x[0].size(0)) *mask = causal(x[0].size(0));
              return R{mask->matmul(x[0])};
            });
          },
          kRows, kEachTime),
      made(
          "Kept.TableThatGrows",
          [] {
            const auto table = std::make_shared<at::Tensor>(at::zeros({1, 3}));
            return Code([=](Tensors& x) {
              if (table->size(0) < x[0].size(0)) *table = at::arange(x[0].size(0)).unsqueeze(1).expand({-1, 3}) * 0.5;
              return R{x[0] + table->slice(0, 0, x[0].size(0))};
            });
          },
          kRows, kEachTime),
      at_one_size("another path", made(
                                      "Kept.TableThatGrowsAbove64",
                                      [] {
                                        const auto table = std::make_shared<at::Tensor>(at::randn({64, 3}));
                                        return Code([=](Tensors& x) {
                                          if (table->size(0) < x[0].size(0)) *table = at::randn({x[0].size(0), 3});
                                          return R{x[0] + table->slice(0, 0, x[0].size(0))};
                                        });
                                      },
                                      kRows)),
      made(
          "Kept.TableLargeEnough",
          [] {
            const auto table = std::make_shared<at::Tensor>(at::randn({5000, 3}));
            return Code([=](Tensors& x) { return R{x[0] + table->slice(0, 0, x[0].size(0))}; });
          },
          kRows),
      at_one_size(kNoOperator, made(
                                   "Kept.MasksBySize",
                                   [] {
                                     const auto masks = std::make_shared<std::map<std::int64_t, at::Tensor>>();
                                     for (std::int64_t n = 0; n < 64; ++n) (*masks)[n] = causal(n);
                                     return Code([=](Tensors& x) { return R{masks->at(x[0].size(0)).matmul(x[0])}; });
                                   },
                                   kRows)),
      made(
          "Kept.WeightMadeAtFirst",
          [] {
            const auto weight = std::make_shared<at::Tensor>();
            return Code([=](Tensors& x) {
              if (!weight->defined()) *weight = at::ones({3, 2}) * 0.5;
              return R{x[0].matmul(*weight)};
            });
          },
          kRows, kEachTime),
      made(
          "Kept.Workspace",
          [] {
            const at::Tensor space = at::empty({0});
            return Code([=](Tensors& x) {
              at::Tensor out = space;
              at::mul_out(out, x[0], at::scalar_tensor(2));
              return R{out + 1};
            });
          },
          kRows, kEachTime),
      made(
          "Kept.WorkspaceOfItsSize",
          [] {
            const at::Tensor space = at::empty({64, 3});
            return Code([=](Tensors& x) {
              at::Tensor out = space.slice(0, 0, x[0].size(0));
              out.copy_(x[0]);
              out.mul_(2);
              return R{out.sum(1)};
            });
          },
          kRows, kChangedWeight),
      made(
          "Kept.TwoBuffersByTurns",
          [] {
            const auto a = std::make_shared<at::Tensor>(at::ones({3})),
                       b = std::make_shared<at::Tensor>(at::zeros({3}));
            return Code([=](Tensors& x) {
              std::swap(*a, *b);
              return R{x[0] * *a};
            });
          },
          kRows, kChangedWeight),
      made(
          "Kept.AverageThatIsReplaced",
          [] {
            const auto mean = std::make_shared<at::Tensor>(at::zeros({3}));
            return Code([=](Tensors& x) {
              *mean = *mean * 0.9 + x[0].mean(0) * 0.1;
              return R{x[0] - *mean};
            });
          },
          kRows, kChangedWeight),
      made(
          "Kept.LastInput",
          [] {
            const auto last = std::make_shared<at::Tensor>();
            return Code([=](Tensors& x) {
              const at::Tensor y = last->defined() && last->sizes() == x[0].sizes() ? x[0] - *last : x[0];
              *last = x[0].clone();
              return R{y};
            });
          },
          kRows, kEachTime),
      at_one_size(kNoArithmetic, made(
                                     "Kept.LastLengthOfTheRows",
                                     [] {
                                       const auto last = std::make_shared<std::int64_t>(0);
                                       return Code([=](Tensors& x) {
                                         *last = std::max(*last, x[0].size(0));
                                         return R{x[0] / static_cast<double>(*last)};
                                       });
                                     },
                                     kRows)),
      made(
          "Kept.StepOfTheDescent",
          [] {
            const at::Tensor weight = at::ones({3});
            return Code([=](Tensors& x) {
              const at::Tensor y = x[0] * weight;
              at::Tensor(weight).sub_(y.mean(0) * 0.1);
              return R{y};
            });
          },
          kRows, kChangedWeight),
      made(
          "Kept.HostBufferFilledAnew",
          [] {
            const auto buffer = std::make_shared<std::vector<float>>(3);
            return Code([=](Tensors& x) {
              R results;
              for (const float value : {1.f, 2.f}) {
                std::fill(buffer->begin(), buffer->end(), value);
                results.push_back(x[0] * torch::from_blob(buffer->data(), {3}));
              }
              return results;
            });
          },
          kRows),
      at_one_size(kNoOperator, made(
                                   "Kept.HostBufferFilledWithTheRows",
                                   [] {
                                     const auto buffer = std::make_shared<std::vector<float>>(64);
                                     return Code([=](Tensors& x) {
                                       std::iota(buffer->begin(), buffer->end(), 0.f);
                                       return R{x[0] + torch::from_blob(buffer->data(), {x[0].size(0), 1})};
                                     });
                                   },
                                   kRows)),
      at_one_size(kNoOperator, network(
                                   "Loop.MaskByAnAccessor",
                                   [](Tensors& x) {
                                     const std::int64_t n = x[0].size(0);
                                     at::Tensor mask = torch::zeros({n, n});
                                     auto a = mask.accessor<float, 2>();
                                     for (std::int64_t i = 0; i < n; ++i)
                                       for (std::int64_t j = 0; j <= i; ++j) a[i][j] = 1;
                                     return R{mask.matmul(x[0])};
                                   },
                                   kRows)),
      at_one_size(kPath, network(
                             "Loop.MaskByIndices",
                             [](Tensors& x) {
                               const std::int64_t n = x[0].size(0);
                               at::Tensor mask = torch::zeros({n, n});
                               for (std::int64_t i = 0; i < n; ++i) mask.index_put_({i, Slice(None, i + 1)}, 1);
                               return R{mask.matmul(x[0])};
                             },
                             kRows)),
      at_one_size(kNoOperator, network(
                                   "Loop.PlacesInAVector",
                                   [](Tensors& x) {
                                     std::vector<std::int64_t> places(static_cast<std::size_t>(x[0].size(0)));
                                     std::iota(places.begin(), places.end(), 0);
                                     return R{x[0] + torch::tensor(places).unsqueeze(1)};
                                   },
                                   kRows)),
      network(
          "Loop.OfFixedColumns",
          [](Tensors& x) {
            std::vector<at::Tensor> columns;
            for (std::int64_t i = 0; i < x[0].size(1); ++i) columns.push_back(x[0].select(1, i) * double(i));
            return R{torch::stack(columns, 1)};
          },
          kRows),
      at_one_size(kNoArithmetic, network(
                                     "Loop.PowerOfTwo",
                                     [](Tensors& x) {
                                       std::int64_t size = 1;
                                       while (size < x[0].size(0)) size *= 2;
                                       return R{at::constant_pad_nd(x[0], {0, 0, 0, size - x[0].size(0)})};
                                     },
                                     kRows)),
      at_one_size(kPath, network(
                             "Loop.PartsOfTwoRows",
                             [](Tensors& x) {
                               std::vector<at::Tensor> parts;
                               for (std::int64_t i = 0; i < x[0].size(0); i += 2)
                                 parts.push_back(x[0].slice(0, i, i + 2).softmax(1));
                               return R{at::cat(parts)};
                             },
                             kRows)),
      network(
          "Loop.OverParallelFor",
          [](Tensors& x) {
            const at::Tensor y = at::empty_like(x[0]);
            const float* from = x[0].const_data_ptr<float>();
            float* to = y.data_ptr<float>();
            at::parallel_for(0, x[0].numel(), 1, [&](std::int64_t begin, std::int64_t end) {
              for (std::int64_t i = begin; i < end; ++i) to[i] = 2 * from[i];
            });
            return R{y, x[0] + 1};
          },
          kRows, kOnTheHost),
      network(
          "Loop.ElementsThatAreWritten",
          [](Tensors& x) {
            at::Tensor y = x[0].clone();
            for (std::int64_t i = 0; i < 3; ++i) y[0][i] = float(i);
            return R{y};
          },
          kRows),
      made(
          "Decoding.GreedyOfFixedSteps",
          [] {
            nn::Embedding words(7, 5);
            nn::Linear head(5, 7);
            return Code([=](Tensors& x) mutable {
              at::Tensor ids = x[0];
              for (int step = 0; step < 3; ++step) ids = at::cat({ids, head(words(ids).mean(1)).argmax(-1, true)}, 1);
              return R{ids};
            });
          },
          tokens),
      made(
          "Decoding.UntilTheEnd",
          [] {
            nn::Embedding words(7, 5);
            nn::Linear head(5, 7);
            return Code([=](Tensors& x) mutable {
              at::Tensor ids = x[0];
              for (int step = 0; step < 8; ++step) {
                const at::Tensor next = head(words(ids).mean(1)).argmax(-1, true);
                if ((next == 0).all().item<bool>()) break;
                ids = at::cat({ids, next}, 1);
              }
              return R{ids};
            });
          },
          tokens, kOnTheHost),
      made(
          "Decoding.WithKeysKept",
          [] {
            nn::Linear key(3, 3), value(3, 3);
            return Code([=](Tensors& x) mutable {
              at::Tensor keys = key(x[0]).unsqueeze(1), values = value(x[0]).unsqueeze(1), y = x[0];
              for (int step = 0; step < 2; ++step) {
                y = at::softmax(y.unsqueeze(1).matmul(keys.transpose(1, 2)), -1).matmul(values).squeeze(1);
                keys = at::cat({keys, key(y).unsqueeze(1)}, 1);
                values = at::cat({values, value(y).unsqueeze(1)}, 1);
              }
              return R{y};
            });
          },
          kRows),
      network(
          "Decoding.WordsOnTheHost",
          [](Tensors& x) {
            std::vector<std::int64_t> ids(x[0].const_data_ptr<std::int64_t>(), x[0].const_data_ptr<std::int64_t>() + 4);
            for (std::int64_t& id : ids) id = (id + 1) % 7;
            return R{torch::tensor(ids) + x[0]};
          },
          tokens, kOnTheHost),
      made(
          "Mode.Autocast",
          [] {
            nn::Linear layer(3, 2);
            return Code([=](Tensors& x) mutable {
              const Autocast on;
              return R{layer(x[0]).to(at::kFloat)};
            });
          },
          kRows),
      made(
          "Mode.AutocastInPart",
          [] {
            nn::Linear first(3, 4), second(4, 2);
            return Code([=](Tensors& x) mutable {
              at::Tensor y;
              {
                const Autocast on;
                y = first(x[0]);
              }
              return R{second(y.to(at::kFloat)), y};
            });
          },
          kRows),
      network(
          "Mode.DefaultDtype",
          [](Tensors& x) {
            const auto before = torch::get_default_dtype();
            torch::set_default_dtype(caffe2::TypeMeta::Make<double>());
            const at::Tensor weight = torch::full({3}, 0.1);
            torch::set_default_dtype(before);
            return R{x[0] * weight};
          },
          kRows, kUnseen),
      made(
          "Mode.TrainAndBack",
          [] {
            nn::Sequential net(nn::Linear(3, 4), nn::BatchNorm1d(4), nn::Dropout(0.5));
            return Code([=](Tensors& x) mutable {
              net->eval();
              const at::Tensor y = net->forward(x[0]);
              net->train();
              return R{y};
            });
          },
          kRows),
      network(
          "Size.RowsAgainstOne",
          [](Tensors& x) { return R{x[0] / double(std::max<std::int64_t>(x[0].size(0) - 1, 1))}; }, kRows),
      network(
          "Size.PaddedToEven", [](Tensors& x) { return R{at::constant_pad_nd(x[0], {0, 0, 0, x[0].size(0) % 2})}; },
          kRows),
      network(
          "Size.RowsOfATableOfEight",
          [](Tensors& x) {
            const std::int64_t rows = x[0].size(0);
            at::Tensor y = at::zeros({(rows + 7) / 8 * 8, 3});
            y.index_put_({Slice(None, rows)}, x[0]);
            return R{y};
          },
          kRows),
      network(
          "Size.FloatsInAVector",
          [](Tensors& x) {
            const std::vector<float> scales = {float(x[0].size(0)), 0.5F, 1.F / float(x[0].size(0))};
            return R{x[0] * torch::tensor(scales)};
          },
          kRows),
      network(
          "Size.WindowsThatMayBeNone",
          [](Tensors& x) {
            const std::int64_t rows = x[0].size(0), windows = rows < 5 ? 0 : (rows - 5) / 2 + 1;
            return R{x[0].index({torch::arange(windows) * 2})};
          },
          kRows),
      network(
          "Size.AtMostTwoRows", [](Tensors& x) { return R{x[0].slice(0, 0, std::min<std::int64_t>(x[0].size(0), 2))}; },
          kRows),
      network(
          "Size.LargestOfFew",
          [](Tensors& x) { return R{std::get<0>(x[0].topk(std::min<std::int64_t>(2, x[0].size(0)), 0))}; }, kRows),
      network(
          "Size.ElementsInARow",
          [](Tensors& x) { return R{x[0].view({x[0].size(0), x[0].numel() / x[0].size(0)}) * 2}; }, kRows),
      network(
          "Size.SqueezedOfAll", [](Tensors& x) { return R{x[0].squeeze()}; }, kRows),
      network(
          "Size.ProductOfTheSizes",
          [](Tensors& x) {
            std::int64_t count = 1;
            for (const std::int64_t size : x[0].sizes()) count *= size;
            return R{x[0].sum() / double(count)};
          },
          kRows),
      network(
          "Size.TwoCallsOfTwoShapes",
          [](Tensors& x) {
            const auto f = [](const at::Tensor& y) { return (y - y.mean(0)) / double(y.size(0)); };
            return R{f(x[0]), f(at::cat({x[0], x[0], x[0]}))};
          },
          kRows),
      network(
          "Write.MaskedAssignment",
          [](Tensors& x) {
            at::Tensor y = x[0].clone();
            y.index_put_({y < 0}, 0);
            return R{y};
          },
          kRows),
      network(
          "Write.InputAndItsOtherName",
          [](Tensors& x) {
            at::Tensor y = x[0];
            y += 1;
            return R{x[0] * 2};
          },
          kRows),
      network(
          "Write.LastColumn",
          [](Tensors& x) {
            at::Tensor y = x[0].clone();
            y.index({Slice(), -1}) *= 3;
            return R{y};
          },
          kRows),
      made(
          "Write.MomentumOfACopy",
          [] {
            const at::Tensor weight = at::randn({3, 2});
            return Code([=](Tensors& x) {
              at::Tensor w = weight.clone(), velocity = at::zeros_like(w);
              for (int step = 0; step < 3; ++step) {
                const at::Tensor error = x[0].matmul(w);
                velocity.mul_(0.9).add_(x[0].t().matmul(error), -0.01);
                w.add_(velocity);
              }
              return R{w};
            });
          },
          kRows),
      made(
          "Write.Adam",
          [] {
            const at::Tensor weight = at::randn({3, 2});
            return Code([=](Tensors& x) {
              at::Tensor w = weight.detach().clone().requires_grad_();
              torch::optim::Adam adam({w}, torch::optim::AdamOptions(0.1));
              for (int step = 0; step < 2; ++step) {
                adam.zero_grad();
                x[0].matmul(w).square().mean().backward();
                adam.step();
              }
              return R{w.detach()};
            });
          },
          kRows),
      network(
          "Random.SeededNoise",
          [](Tensors& x) {
            at::manual_seed(3);
            return R{x[0] + at::randn({3})};
          },
          kRows, kUnseen),
      network(
          "Random.NoiseOfItsOwnGenerator",
          [](Tensors& x) { return R{x[0] + at::randn({3}, at::make_generator<at::CPUGeneratorImpl>(3))}; }, kRows,
          kUnseen),
      network(
          "Random.HostNumbers", [](Tensors& x) { return R{x[0] * double(std::rand() % 97 + 1)}; }, kRows, kEachTime),
  };
}

}  // namespace callbacks
