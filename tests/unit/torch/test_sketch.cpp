#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "torch/sketch.h"

namespace tonnx::torch {
namespace {

void expect_form(const std::function<at::Tensor()>& code) {
  const at::Tensor computed = code();
  std::optional<Sketch> sketch(std::in_place, true);
  const at::Tensor sketched = code();
  sketch.emplace(false);
  const at::Tensor falling = code();
  sketch.reset();
  EXPECT_EQ(sketched.sizes(), computed.sizes());
  EXPECT_EQ(sketched.strides(), computed.strides());
  EXPECT_EQ(sketched.scalar_type(), computed.scalar_type());
  EXPECT_TRUE(
      at::equal(sketched, at::linspace(-8, 8, computed.numel()).reshape(computed.sizes()).to(computed.dtype())));
  EXPECT_TRUE(at::allclose(falling, -sketched, 0, 1e-5));
  EXPECT_TRUE(at::equal(code(), computed));
}

TEST(Sketch, ResultsHaveTheirForm) {
  const at::Tensor a = at::rand({3, 4}), b = at::rand({4, 5}), images = at::rand({2, 3, 8, 9}),
                   kernels = at::rand({6, 3, 3, 2});
  expect_form([&] { return a.mm(b); });
  expect_form([&] { return a.to(at::kDouble).matmul(b.to(at::kDouble)); });
  expect_form([&] { return at::linear(a, b.t()); });
  expect_form([&] { return at::linear(a, b.t(), at::ones({5})); });
  expect_form([&] { return a.unsqueeze(0).bmm(b.unsqueeze(0)); });
  expect_form([&] { return at::baddbmm(at::ones({5}), a.unsqueeze(0), b.unsqueeze(0)); });
  expect_form([&] { return at::conv2d(images, kernels, {}, 2, 1); });
  expect_form([&] { return at::conv_transpose2d(images, kernels.transpose(0, 1), {}, 2); });
  expect_form([&] { return at::conv2d(images.to(at::MemoryFormat::ChannelsLast), kernels); });
}

TEST(Sketch, WrongSizesAreRefused) {
  const Sketch sketch(true);
  EXPECT_THROW(at::rand({3, 4}).mm(at::rand({3, 4})), c10::Error);
  EXPECT_THROW(at::conv2d(at::rand({2, 3, 8, 9}), at::rand({6, 2, 3, 2})), c10::Error);
}

TEST(Sketch, OtherThreadsCompute) {
  const at::Tensor a = at::rand({3, 3});
  const Sketch sketch(true);
  std::thread([&] { EXPECT_GE(a.mm(a).min().item<float>(), 0); }).join();
  EXPECT_EQ(a.mm(a).min().item<float>(), -8);
}

TEST(Sketch, OneThatAnotherThreadFreesEnds) {
  const at::Tensor a = at::rand({3, 3});
  auto sketch = std::make_unique<Sketch>(true);
  std::thread([&] { sketch.reset(); }).join();
  EXPECT_GE(a.mm(a).min().item<float>(), 0);
}

}  // namespace
}  // namespace tonnx::torch
