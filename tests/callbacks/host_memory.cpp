#include <cstring>
#include <memory>
#include <vector>

#include "callback.h"

namespace callbacks {

namespace {

using R = Tensors;

}  // namespace

// Storage that the host reads, writes, frees and reuses.
std::vector<Callback> host_memory() {
  return {
      equal("FromBlob.LocalMemory",
            [](Tensors& x) {
              at::Tensor w;
              {
                float local[3] = {1, 2, 3};
                w = torch::from_blob(local, {3}).clone();
                std::memset(local, 0, sizeof local);
              }
              return R{x[0] * w};
            }),
      equal("FromBlob.FreedBeforeTheEnd",
            [](Tensors& x) {
              auto memory = std::make_unique<std::vector<float>>(std::vector<float>{1, 2, 3});
              const at::Tensor y = x[0] * torch::from_blob(memory->data(), {3});
              std::fill(memory->begin(), memory->end(), -1.f);
              memory.reset();
              return R{y + 1};
            }),
      equal("FromBlob.OfInts",
            [](Tensors& x) {
              std::int64_t local[2] = {2, 0};
              return R{x[0].index_select(1, torch::from_blob(local, {2}, at::kLong))};
            }),
      equal("FromBlob.WithStrides",
            [](Tensors& x) {
              float local[6] = {1, 2, 3, 4, 5, 6};
              return R{x[0] + torch::from_blob(local, {2, 3}, {1, 2})};
            }),
      equal("FromBlob.ReusedMemory",
            [](Tensors& x) {
              float local[3] = {1, 2, 3};
              at::Tensor y = x[0];
              for (int i = 0; i < 3; ++i) {
                for (float& value : local) value += static_cast<float>(i);
                y = y * torch::from_blob(local, {3});
              }
              return R{y};
            }),
      equal("FromBlob.OneTensorReused",
            [](Tensors& x) {
              float local[3] = {1, 2, 3};
              const at::Tensor w = torch::from_blob(local, {3});
              at::Tensor y = x[0] * w;
              local[1] = 10;
              y = y + w;
              local[2] = -4;
              return R{y - w};
            }),
      equal("FromBlob.AViewOfOneReused",
            [](Tensors& x) {
              float local[4] = {1, 2, 3, 4};
              const at::Tensor w = torch::from_blob(local, {2, 2}), column = w.select(1, 0).unsqueeze(1);
              const at::Tensor y = x[0] * column;
              local[0] = 10;
              return R{y + column};
            }),
      refused("FromBlob.OverAnInput", "input 'input'",
              [] { return Code([](Tensors& x) { return R{torch::from_blob(x[0].data_ptr(), {3}) * 2}; }); }),
      taking_pointers(equal("FromBlob.OverAWholeInput",
                            [](Tensors& x) { return R{torch::from_blob(x[0].data_ptr(), {2, 3}) * 2}; })),
      refused("FromBlob.OverAResult", "the result of aten::mul",
              [] {
                return Code([](Tensors& x) {
                  const at::Tensor y = x[0] * 2;
                  return R{torch::from_blob(y.data_ptr(), {2}) + 1};
                });
              }),
      equal("Buffer.EmptyFilledByMemcpy",
            [](Tensors& x) {
              const float values[3] = {1, 2, 3};
              const at::Tensor w = at::empty({3});
              std::memcpy(w.data_ptr(), values, sizeof values);
              return R{x[0] * w};
            }),
      equal("Buffer.EmptyFilledByAnAccessor",
            [](Tensors& x) {
              const at::Tensor w = at::empty({2, 3});
              auto a = w.accessor<float, 2>();
              for (int i = 0; i < 2; ++i)
                for (int j = 0; j < 3; ++j) a[i][j] = static_cast<float>(i * 3 + j);
              return R{x[0] * w};
            }),
      equal("Buffer.ZerosPokedByAnAccessor",
            [](Tensors& x) {
              const at::Tensor w = at::zeros({3});
              w.accessor<float, 1>()[1] = 4;
              return R{x[0] + w};
            }),
      equal("Buffer.ZerosOfTheFrontEndFilledByMemcpy",
            [](Tensors& x) {
              const float values[3] = {1, 2, 3};
              const at::Tensor w = torch::zeros({3});
              std::memcpy(w.data_ptr(), values, sizeof values);
              const at::Tensor y = x[0] * w;
              w.data_ptr<float>()[1] = 7;
              return R{y + w};
            }),
      equal("Buffer.PokedThroughDetachedData",
            [](Tensors& x) {
              const at::Tensor w = at::zeros({3}), data = w.data();
              const at::Tensor y = x[0] + data;
              data.data_ptr<float>()[0] = 4;
              return R{y * w + data};
            }),
      warned_in_single_run(
          "Accessor.ReadsAllOfAnInput", "input 'input_1' is not read by a recorded operator",
          [](Tensors& x) { return R{x[0] * x[1].accessor<float, 1>()[0]}; }, floats({{2, 3}, {1}})),
      equal("Buffer.PokedAfterAView",
            [](Tensors& x) {
              const at::Tensor w = at::zeros({4}), half = w.slice(0, 0, 3);
              w.data_ptr<float>()[1] = 4;
              return R{x[0] + half};
            }),
      equal("Buffer.Reused",
            [](Tensors& x) {
              const at::Tensor w = at::empty({3});
              at::Tensor y = x[0];
              for (int i = 1; i < 4; ++i) {
                std::fill_n(w.data_ptr<float>(), 3, static_cast<float>(i));
                y = y * w + i;
              }
              return R{y};
            }),
      equal("Buffer.HalfByTheHostHalfByOperators",
            [](Tensors& x) {
              const at::Tensor w = at::empty({4, 3});
              std::fill_n(w.data_ptr<float>(), 6, 5.f);
              w.slice(0, 2, 4).copy_(x[0]);
              return R{w * 2};
            }),
      equal("Buffer.RowsByOperators",
            [](Tensors& x) {
              const at::Tensor w = at::empty({2, 3});
              w[0].copy_(x[0][1]);
              w[1].copy_(x[0][0]);
              return R{w + 1};
            }),
      equal("Buffer.OutArgument",
            [](Tensors& x) {
              at::Tensor w = at::empty({0});
              at::mul_out(w, x[0], x[0]);
              return R{w + 1};
            }),
      fresh("Buffer.Captured",
            [] {
              const at::Tensor w = at::empty({3});
              return Code([=](Tensors& x) {
                std::fill_n(w.data_ptr<float>(), 3, 2.f);
                const at::Tensor y = x[0] * w;
                std::fill_n(w.data_ptr<float>(), 3, 3.f);
                return R{y + w};
              });
            }),
      equal("Buffer.OfIntsForAnIndex",
            [](Tensors& x) {
              const at::Tensor at = at::empty({2}, at::kLong);
              at.data_ptr<std::int64_t>()[0] = 2;
              at.data_ptr<std::int64_t>()[1] = 1;
              return R{x[0].index_select(1, at)};
            }),
      equal("Buffer.ThatTheHostReads",
            [](Tensors& x) {
              const at::Tensor w = torch::tensor({2.f, 3.f, 4.f});
              return R{x[0] * w.data_ptr<float>()[1]};
            }),
      equal("Buffer.Undone",
            [](Tensors& x) {
              const at::Tensor w = at::ones({3});
              w.data_ptr<float>()[0] = 5;
              w.data_ptr<float>()[0] = 1;
              return R{x[0] * w};
            }),
      refused("HostWrite.OnAResult", "written to outside of the recorded operators",
              [] {
                return Code([](Tensors& x) {
                  const at::Tensor y = x[0].relu();
                  y.data_ptr<float>()[0] = 100;
                  return R{y};
                });
              }),
      refused("HostWrite.OnAResultThenRead", "the result of aten::relu",
              [] {
                return Code([](Tensors& x) {
                  const at::Tensor y = x[0].relu();
                  y.accessor<float, 2>()[1][1] = 100;
                  return R{y * 2};
                });
              }),
      refused("HostWrite.OnAnInput", "input 'input'",
              [] {
                return Code([](Tensors& x) {
                  x[0].data_ptr<float>()[0] = 100;
                  return R{x[0] * 2};
                });
              }),
      refused("HostWrite.OnAViewOfAResult", "written to outside of the recorded operators",
              [] {
                return Code([](Tensors& x) {
                  const at::Tensor y = x[0] * 2, view = y.t();
                  y.data_ptr<float>()[3] = 100;
                  return R{view + 1};
                });
              }),
      refused("HostWrite.OnABufferWithAResult", "written to outside of the recorded operators",
              [] {
                return Code([](Tensors& x) {
                  const at::Tensor w = at::zeros({2, 3});
                  w.copy_(x[0]);
                  w.data_ptr<float>()[3] = 100;
                  return R{w + 1};
                });
              }),
      refused("HostWrite.WithoutTheTracer", "written to outside of the recorded operators",
              [] {
                return Code([](Tensors& x) {
                  const at::Tensor y = x[0] * 2;
                  {
                    const at::tracer::impl::NoTracerDispatchMode off;
                    y.add_(1);
                  }
                  return R{y};
                });
              }),
      refused("Untraced.Computed", "while nothing was recorded",
              [] {
                return Code([](Tensors& x) {
                  at::Tensor y;
                  {
                    const at::tracer::impl::NoTracerDispatchMode off;
                    y = x[0] * 2;
                  }
                  return R{y + 1};
                });
              }),
      refused("Untraced.ComputedOnTheWay", "while nothing was recorded",
              [] {
                return Code([](Tensors& x) {
                  at::Tensor y;
                  {
                    const at::tracer::impl::NoTracerDispatchMode off;
                    y = (x[0] * 2).exp().sum(0);
                  }
                  return R{x[0] + y};
                });
              }),
      equal("Untraced.FromLiterals",
            [](Tensors& x) {
              at::Tensor y;
              {
                const at::tracer::impl::NoTracerDispatchMode off;
                y = torch::tensor({1.f, 2.f, 3.f}).exp();
              }
              return R{x[0] + y};
            }),
      equal("Untraced.AViewOfTheWhole",
            [](Tensors& x) {
              at::Tensor y;
              {
                const at::tracer::impl::NoTracerDispatchMode off;
                y = x[0].detach();
              }
              return R{y * 2};
            }),
  };
}

}  // namespace callbacks
