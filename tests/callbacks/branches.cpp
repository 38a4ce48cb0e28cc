#include <sstream>

#include <torch/cuda.h>

#include "callback.h"

namespace callbacks {

namespace {

using R = Tensors;

Network reads(const char* name, Code code) {
  return network(std::string("Choice.") + name, std::move(code), kRows, kOnTheHost);
}
Network draws(const char* name, Code code) {
  return network(std::string("Choice.") + name, std::move(code), kRows, "in another run");
}
Network by_size(const char* name, Code code) {
  return network_of_fixed_size(std::string("ChoiceBySize.") + name, kPath, std::move(code), kRows);
}
Network idle(const char* name, Code code) { return network(std::string("Idle.") + name, std::move(code), kRows); }

}  // namespace

// Code that chooses on the host what to compute.
std::vector<Network> branches() {
  return {
      reads("SignOfASum", [](Tensors& x) { return R{x[0].sum().item<float>() > 0 ? x[0].relu() : x[0].neg()}; }),
      reads("SignOfASumByAnAccessor",
            [](Tensors& x) {
              const at::Tensor sum = x[0].sum();
              return R{*sum.const_data_ptr<float>() > 0 ? x[0].relu() : x[0].neg()};
            }),
      reads("LargeNorm",
            [](Tensors& x) {
              const at::Tensor norm = x[0].norm();
              return R{norm.item<float>() > 1000 ? x[0] / norm : x[0] * 2};
            }),
      reads("SmallNorm", [](Tensors& x) { return R{x[0].norm().item<float>() < 1e-3 ? x[0] + 1 : x[0] * 2}; }),
      reads("Threshold", [](Tensors& x) { return R{x[0].abs().max().item<float>() > 100 ? x[0] / 100 : x[0] + 1}; }),
      reads("IsNonzero", [](Tensors& x) { return R{(x[0].abs() > 50).any().is_nonzero() ? x[0].tanh() : x[0] * 2}; }),
      reads("AnyItem", [](Tensors& x) { return R{(x[0].sum() < -100).item<bool>() ? x[0].tanh() : x[0] * 2}; }),
      reads("AllItem", [](Tensors& x) { return R{(x[0] < 50).all().item<bool>() ? x[0].tanh() : x[0] * 2}; }),
      reads("Equal", [](Tensors& x) { return R{at::equal(x[0], x[0].abs()) ? x[0].sqrt() : x[0] * 2}; }),
      reads("AllClose", [](Tensors& x) { return R{at::allclose(x[0], x[0].abs() + 1) ? x[0].sqrt() : x[0] * 2}; }),
      reads("HasNan",
            [](Tensors& x) { return R{at::isnan(x[0]).any().item<bool>() ? at::nan_to_num(x[0]) : x[0] * 2}; }),
      reads("CountOfNonzero", [](Tensors& x) { return R{at::nonzero(x[0] > 0).size(0) == 0 ? x[0].neg() : x[0] * 2}; }),
      reads("NumelOfMaskedSelect",
            [](Tensors& x) { return R{x[0].masked_select(x[0] > 0).numel() == 0 ? x[0].neg() : x[0] * 2}; }),
      reads("CountOfTheUnique",
            [](Tensors& x) {
              return R{std::get<0>(at::_unique(x[0].to(at::kInt))).numel() > 1 ? x[0].neg() : x[0] * 2};
            }),
      reads("CountNonzeroItem",
            [](Tensors& x) { return R{at::count_nonzero(x[0] > 9).item<std::int64_t>() > 2 ? x[0].neg() : x[0] * 2}; }),
      reads("Halving",
            [](Tensors& x) {
              at::Tensor y = x[0];
              for (int i = 0; i < 20 && y.norm().item<float>() > 1; ++i) y = y / 2;
              return R{y};
            }),
      reads("UntilItConverges",
            [](Tensors& x) {
              at::Tensor y = x[0].abs() + 1, root = y;
              for (;;) {
                const at::Tensor next = (root + y / root) / 2;
                const bool done = (next - root).abs().max().item<float>() < 1e-4;
                root = next;
                if (done) return R{root};
              }
            }),
      reads("EarlyExit",
            [](Tensors& x) {
              const at::Tensor score = x[0].mean().sigmoid();
              if (score.item<float>() > 0.99) return R{x[0] * 0};
              return R{x[0].exp()};
            }),
      reads("WhichExpert",
            [](Tensors& x) {
              const auto expert = x[0].sum(0).argmax().item<std::int64_t>();
              return R{expert == 0 ? x[0].relu() : expert == 1 ? x[0].tanh() : x[0].sigmoid()};
            }),
      reads("LargestAsASize",
            [](Tensors& x) {
              const auto last = x[0].abs().to(at::kLong).max().item<std::int64_t>();
              return R{x[0].sum() + at::arange(last + 1)};
            }),
      reads("ScalarIntoATensor",
            [](Tensors& x) { return R{x[0] * torch::tensor({x[0].max().item<float>(), 1.f, 2.f})}; }),
      reads("ElementsInAVector",
            [](Tensors& x) {
              const at::Tensor sums = x[0].sum(0).contiguous();
              std::vector<float> host(sums.data_ptr<float>(), sums.data_ptr<float>() + sums.numel());
              for (float& value : host) value *= 2;
              return R{x[0] + torch::tensor(host)};
            }),
      reads("ClipByNorm",
            [](Tensors& x) {
              const double norm = x[0].norm().item<double>();
              return R{x[0] * std::min(1.0, 1e6 / (norm + 1e-6))};
            }),
      draws("RandomFlip",
            [](Tensors& x) { return R{torch::rand({1}).item<float>() < 0.5 ? x[0].flip({1}) : x[0] + 0}; }),
      draws("RandomCrop",
            [](Tensors& x) { return R{x[0].narrow(1, torch::randint(0, 2, {1}, at::kLong).item<std::int64_t>(), 2)}; }),
      idle("PrintedItem",
           [](Tensors& x) {
             std::ostringstream text;
             text << x[0].sum().item<float>() << x[0].mean().item<double>();
             return R{x[0] * 2};
           }),
      idle("PrintedTensor",
           [](Tensors& x) {
             std::ostringstream text;
             text << x[0] << x[0].sum();
             return R{x[0] * 2};
           }),
      idle("CheckForNan",
           [](Tensors& x) {
             TORCH_CHECK(!at::isnan(x[0]).any().item<bool>(), "not a number");
             return R{x[0] * 2};
           }),
      idle("KeptLoss",
           [](Tensors& x) {
             static std::vector<double> losses;
             losses.push_back(x[0].square().mean().item<double>());
             return R{x[0] * 2};
           }),
      idle("ItemOfACapturedTensor",
           [](Tensors& x) {
             const at::Tensor scale = torch::full({1}, 3.f);
             return R{x[0] * scale.item<float>()};
           }),
      by_size("MoreThanOneRow", [](Tensors& x) { return R{x[0].size(0) > 1 ? x[0] - x[0].mean(0) : x[0] * 2}; }),
      by_size("OddRows", [](Tensors& x) { return R{x[0].size(0) % 2 ? x[0].neg() : x[0].tanh()}; }),
      by_size("ManyRows", [](Tensors& x) { return R{x[0].size(0) >= 4 ? x[0].neg() : x[0].tanh()}; }),
      by_size("RowByRow",
              [](Tensors& x) {
                std::vector<at::Tensor> rows;
                for (std::int64_t i = 0; i < x[0].size(0); ++i) rows.push_back(x[0][i].softmax(0));
                return R{at::stack(rows)};
              }),
      by_size("SumOfRows",
              [](Tensors& x) {
                at::Tensor sum = at::zeros({3});
                for (std::int64_t i = 0; i < x[0].size(0); ++i) sum += x[0][i];
                return R{sum};
              }),
      by_size("RowsInPlace",
              [](Tensors& x) {
                at::Tensor y = at::empty_like(x[0]);
                for (std::int64_t i = 0; i < x[0].size(0); ++i) y[i] = x[0][i] * 2;
                return R{y};
              }),
      by_size("BySplit",
              [](Tensors& x) {
                std::vector<at::Tensor> parts;
                for (const at::Tensor& part : x[0].split(1)) parts.push_back(part.exp());
                return R{at::cat(parts)};
              }),
      by_size("Unbound", [](Tensors& x) { return R{at::stack(x[0].unbind(0), 1)}; }),
      idle("NumberOfAxes", [](Tensors& x) { return R{x[0].dim() == 2 ? x[0].neg() : x[0].tanh()}; }),
      idle("Dtype", [](Tensors& x) { return R{x[0].scalar_type() == at::kFloat ? x[0].neg() : x[0].tanh()}; }),
      idle("Contiguity", [](Tensors& x) { return R{x[0].is_contiguous() ? x[0].neg() : x[0].tanh()}; }),
      idle("RequiresGrad", [](Tensors& x) { return R{x[0].requires_grad() ? x[0].neg() : x[0].tanh()}; }),
      idle("OfCuda",
           [](Tensors& x) {
             const at::Device device = torch::cuda::is_available() ? at::kCUDA : at::kCPU;
             return R{x[0].to(device) * 2};
           }),
      idle("DeviceOfATensor",
           [](Tensors& x) { return R{x[0].is_cuda() ? x[0].cpu() : x[0] + at::ones({3}, x[0].device())}; }),
      idle("ACaughtException",
           [](Tensors& x) {
             try {
               return R{x[0].view({5, 7, 11, 13})};
             } catch (const c10::Error&) {
               return R{x[0] * 2};
             }
           }),
      idle("AnExceptionAfterAWrite",
           [](Tensors& x) {
             at::Tensor y = x[0] * 1;
             try {
               y.add_(1).index_select(5, torch::tensor({0}));
             } catch (const c10::Error&) {
               y.mul_(3);
             }
             return R{y};
           }),
  };
}

}  // namespace callbacks
