#include <cstring>
#include <random>
#include <sstream>

#include "callback.h"

namespace callbacks {

namespace {

using R = Tensors;

Callback host_reads(const char* name, Code code, std::function<Tensors()> inputs = floats({{2, 3}})) {
  return refused(std::string("Reads.") + name, kOnTheHost, [=] { return code; }, std::move(inputs));
}

// A tensor and indices into its last axis.
std::function<Tensors()> with_indices(std::vector<std::int64_t> indices) {
  return [=] { return R{at::randn({2, 3}), at::tensor(indices)}; };
}

Callback differs(const char* name, std::function<Code()> make) {
  return refused(std::string("EachTime.") + name, kEachTime, std::move(make));
}

}  // namespace

// Code that reads elements of its inputs and results on the host without an operator.
std::vector<Callback> values() {
  return {
      host_reads("Accessor", [](Tensors& x) { return R{x[0] * x[0].accessor<float, 2>()[1][1]}; }),
      host_reads("DataPtr", [](Tensors& x) { return R{x[0] + x[0].data_ptr<float>()[2]}; }),
      host_reads("ConstDataPtr", [](Tensors& x) { return R{x[0] + x[0].const_data_ptr<float>()[2]}; }),
      host_reads("Storage", [](Tensors& x) { return R{x[0] - static_cast<const float*>(x[0].storage().data())[0]}; }),
      host_reads("Item", [](Tensors& x) { return R{x[0] * x[0].sum().item<double>()}; }),
      host_reads("ItemWithoutTheTracer",
                 [](Tensors& x) {
                   double sum;
                   {
                     const at::tracer::impl::NoTracerDispatchMode off;
                     sum = x[0].sum().item<double>();
                   }
                   return R{x[0] * sum};
                 }),
      host_reads("ElementOfAResult",
                 [](Tensors& x) {
                   const at::Tensor y = x[0].exp();
                   return R{y / y.accessor<float, 2>()[0][0]};
                 }),
      host_reads(
          "NumberOfRankZero", [](Tensors& x) { return R{x[0] * *x[1].data_ptr<float>()}; }, floats({{2, 3}, {}})),
      host_reads(
          "Zeros", [](Tensors& x) { return R{x[0] * (1 + x[1].data_ptr<float>()[0])}; },
          [] { return R{at::randn({2, 3}), at::zeros({1})}; }),
      host_reads(
          "Half", [](Tensors& x) { return R{x[0] + static_cast<float>(x[1].data_ptr<at::Half>()[0])}; },
          [] { return R{at::randn({2, 3}), at::randn({4}).to(at::kHalf)}; }),
      host_reads(
          "Transposed", [](Tensors& x) { return R{x[0] + x[0].accessor<float, 2>()[0][1]}; },
          [] { return R{at::randn({3, 2}).t()}; }),
      host_reads(
          "AnIndex", [](Tensors& x) { return R{x[0].select(1, x[1].accessor<std::int64_t, 1>()[0])}; },
          with_indices({2, 0, 1})),
      host_reads(
          "AnIndexOfOneElement", [](Tensors& x) { return R{x[0].select(1, *x[1].data_ptr<std::int64_t>())}; },
          with_indices({2})),
      host_reads(
          "ABound", [](Tensors& x) { return R{x[0].narrow(1, 0, *x[1].data_ptr<std::int64_t>())}; }, with_indices({3})),
      host_reads(
          "AFlag", [](Tensors& x) { return R{*x[1].data_ptr<bool>() ? x[0].relu() : x[0].tanh()}; },
          [] { return R{at::randn({2, 3}), at::ones({1}, at::kBool)}; }),
      host_reads(
          "AFlagThatAddsAStep", [](Tensors& x) { return R{*x[1].data_ptr<bool>() ? x[0].relu().neg() : x[0].relu()}; },
          [] { return R{at::randn({2, 3}), at::ones({1}, at::kBool)}; }),
      host_reads(
          "ALoop",
          [](Tensors& x) {
            at::Tensor y = x[0];
            for (std::int64_t i = 0; i < x[1].data_ptr<std::int64_t>()[0]; ++i) y = y + 1;
            return R{y};
          },
          with_indices({2, 0, 1})),
      host_reads(
          "WhichOperand", [](Tensors& x) { return R{x[0] - (x[1].data_ptr<float>()[0] > 0 ? x[0] : x[1])}; },
          [] { return R{at::randn({3}), at::tensor({-1.f, 1.f, 1.f})}; }),
      host_reads("IntoATensor",
                 [](Tensors& x) {
                   const float* p = x[0].data_ptr<float>();
                   return R{x[0] * torch::tensor({p[0], p[1], p[2]})};
                 }),
      host_reads(
          "IntoATensorOfInts",
          [](Tensors& x) {
            const std::int64_t* p = x[1].data_ptr<std::int64_t>();
            return R{x[0].index_select(1, torch::tensor({p[0], p[2]}))};
          },
          with_indices({2, 0, 1})),
      host_reads("CopiedToAVector",
                 [](Tensors& x) {
                   std::vector<float> copy(x[0].data_ptr<float>(), x[0].data_ptr<float>() + 6);
                   return R{x[0] + torch::from_blob(copy.data(), {2, 3}).clone()};
                 }),
      host_reads("CopiedToABuffer",
                 [](Tensors& x) {
                   const at::Tensor w = at::empty({3});
                   std::memcpy(w.data_ptr(), x[0].data_ptr(), 12);
                   return R{x[0] * w};
                 }),
      host_reads(
          "TheSizeOfAResult",
          [](Tensors& x) {
            const at::Tensor kept = x[0].masked_select(x[0] > x[1]);
            return R{x[0] * static_cast<double>(kept.size(0))};
          },
          [] { return R{at::tensor({1.f, 6.f, 3.f, 4.f}), at::tensor({0.f, 0.f, 5.f, 5.f})}; }),
      host_reads("AText",
                 [](Tensors& x) {
                   std::ostringstream text;
                   text << x[0].const_data_ptr<float>()[0];
                   return R{x[0] * std::stod(text.str())};
                 }),
      host_reads("ToTheOutputAlone",
                 [](Tensors& x) { return R{x[0] * 2, torch::tensor({x[0].data_ptr<float>()[0]})}; }),
      taking_pointers(equal("ReadsIdly.Print",
                            [](Tensors& x) {
                              std::ostringstream text;
                              text << x[0].accessor<float, 2>()[0][0];
                              return R{x[0] * 2};
                            })),
      taking_pointers(equal("ReadsIdly.Check",
                            [](Tensors& x) {
                              TORCH_CHECK(x[0].data_ptr<float>()[0] < 1e6);
                              return R{x[0] * 2};
                            })),
      equal("ReadsIdly.SizesAndStrides",
            [](Tensors& x) {
              return R{x[0] * double(x[0].stride(0) + x[0].numel() + x[0].storage_offset() + x[0].is_contiguous())};
            }),
      differs("RandomNumbersOfItsOwn",
              [] {
                const auto random = std::make_shared<std::mt19937>(3);
                return Code([=](Tensors& x) { return R{x[0] * static_cast<double>((*random)())}; });
              }),
      differs("ADrawnNumberThatTheHostReads",
              [] { return Code([](Tensors& x) { return R{x[0] * at::rand({}).item<double>()}; }); }),
      differs("ACounter",
              [] {
                const auto calls = std::make_shared<int>(0);
                return Code([=](Tensors& x) { return R{x[0] * ++*calls}; });
              }),
      differs("ATensorOfTheFirstRun",
              [] {
                const auto kept = std::make_shared<at::Tensor>();
                return Code([=](Tensors& x) {
                  if (!kept->defined()) *kept = at::ones({3}).cumsum(0);
                  return R{x[0] * *kept};
                });
              }),
      differs("ABufferThatItWrites",
              [] {
                const at::Tensor mean = at::zeros({3});
                return Code([=](Tensors& x) {
                  mean.add_(x[0].mean(0));
                  return R{x[0] - mean};
                });
              }),
  };
}

}  // namespace callbacks
