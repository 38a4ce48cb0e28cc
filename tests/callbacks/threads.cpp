#include <future>
#include <thread>

#include <ATen/Parallel.h>

#include "callback.h"

namespace callbacks {

namespace {

using R = Tensors;

constexpr const char* kUnseen = "while nothing was recorded";
constexpr const char* kWritten = "written to outside of the recorded operators";

template <class Work>
void elsewhere(const Work& work) {
  std::thread(work).join();
}

}  // namespace

// Code that runs operators, or reads and writes storage, on threads other than the recording one.
std::vector<Callback> threads() {
  return {
      refused_at_once("Thread.ComputesFromAnInput", kUnseen,
                      [](Tensors& x) {
                        at::Tensor y;
                        elsewhere([&] { y = x[0] * 2; });
                        return R{y + 1};
                      }),
      refused_at_once("Thread.ComputesTheOutput", kUnseen,
                      [](Tensors& x) {
                        at::Tensor y;
                        elsewhere([&] { y = x[0] * 2; });
                        return R{y};
                      }),
      refused_at_once("Thread.ComputesFromAResult", kUnseen,
                      [](Tensors& x) {
                        const at::Tensor y = x[0].relu();
                        at::Tensor z;
                        elsewhere([&] { z = (y + 1).exp().sum(0); });
                        return R{x[0] + z};
                      }),
      refused_at_once("Thread.InTwoSteps", kUnseen,
                      [](Tensors& x) {
                        at::Tensor y, z;
                        elsewhere([&] { y = x[0] * 2; });
                        elsewhere([&] { z = y.exp(); });
                        return R{x[0] + z};
                      }),
      refused_at_once("Thread.OfAFuture", kUnseen,
                      [](Tensors& x) {
                        auto y = std::async(std::launch::async, [&] { return x[0].tanh(); });
                        return R{x[0] * y.get()};
                      }),
      refused_at_once("Thread.OfATask", kUnseen,
                      [](Tensors& x) {
                        std::promise<at::Tensor> y;
                        at::launch([&] { y.set_value(x[0].tanh()); });
                        return R{x[0] * y.get_future().get()};
                      }),
      refused_at_once("Thread.SeveralAtOnce", kUnseen,
                      [](Tensors& x) {
                        std::vector<std::future<at::Tensor>> parts;
                        for (int i = 0; i < 4; ++i)
                          parts.push_back(std::async(std::launch::async, [&x, i] { return x[0] * i + 1; }));
                        std::vector<at::Tensor> results;
                        for (auto& part : parts) results.push_back(part.get());
                        return R{at::stack(results)};
                      }),
      refused_at_once("Thread.WritesToAnInput", kWritten,
                      [](Tensors& x) {
                        elsewhere([&] { x[0].add_(1); });
                        return R{x[0] * 2};
                      }),
      refused_at_once("Thread.WritesToAResult", kWritten,
                      [](Tensors& x) {
                        const at::Tensor y = x[0].relu();
                        elsewhere([&] { y.add_(1); });
                        return R{y};
                      }),
      refused_at_once("Thread.CopiesToABuffer", kWritten,
                      [](Tensors& x) {
                        const at::Tensor w = at::zeros({2, 3});
                        elsewhere([&] { w.copy_(x[0]); });
                        return R{x[0] + w};
                      }),
      run_once(refused("Thread.CopiesToACapturedBuffer", kUnseen,
                       [] {
                         const at::Tensor w = at::zeros({2, 3});
                         return Code([=](Tensors& x) {
                           elsewhere([&] { w.copy_(x[0]); });
                           return R{x[0] + w};
                         });
                       })),
      refused_at_once("Untraced.CopiesToABuffer", kWritten,
                      [](Tensors& x) {
                        const at::Tensor w = at::zeros({2, 3});
                        {
                          const at::tracer::impl::NoTracerDispatchMode off;
                          w.copy_(x[0]);
                        }
                        return R{x[0] + w};
                      }),
      refused("Thread.ReadsMemory", "outside of the recorded operators (item(), an accessor",
              [] {
                return Code([](Tensors& x) {
                  float sum = 0;
                  elsewhere([&] { sum = x[0].data_ptr<float>()[0] + x[0].data_ptr<float>()[1]; });
                  return R{x[0] * sum};
                });
              }),
      refused("Thread.ComputesFromCopiedMemory", "outside of the recorded operators (item(), an accessor",
              [] {
                return Code([](Tensors& x) {
                  at::Tensor y;
                  std::vector<float> copy(x[0].data_ptr<float>(), x[0].data_ptr<float>() + 6);
                  elsewhere([&] { y = torch::from_blob(copy.data(), {2, 3}).exp(); });
                  return R{x[0] + y};
                });
              }),
      equal("Thread.ComputesFromLiterals",
            [](Tensors& x) {
              at::Tensor w;
              elsewhere([&] { w = torch::tensor({1.f, 2.f, 3.f}).exp(); });
              return R{x[0] * w};
            }),
      equal("Thread.ViewsAnInput",
            [](Tensors& x) {
              at::Tensor y;
              elsewhere([&] { y = x[0].detach(); });
              return R{y * 2};
            }),
      equal("Thread.ComputesIdly",
            [](Tensors& x) {
              elsewhere([&] { static_cast<void>(x[0].exp().sum()); });
              return R{x[0] * 2};
            }),
  };
}

}  // namespace callbacks
