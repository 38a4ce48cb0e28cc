#include <functional>
#include <memory>
#include <thread>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "../../callbacks/other_device.h"
#include "torch/convert.h"
#include "torch/index_guard.h"
#include "torch/recording.h"

namespace tonnx::torch {
namespace {

at::Tensor places(std::vector<std::int64_t> values) {
  return at::tensor(values, at::kLong).to(callbacks::other_device());
}

// The device works afterwards, as it would not had the operator run there.
void expect_refused(const std::function<at::Tensor()>& code) {
  {
    const IndexGuard guard;
    EXPECT_THROW(code(), c10::Error);
  }
  EXPECT_EQ((places({1}) + 1).cpu().item<std::int64_t>(), 2);
}

void expect_taken(const std::function<at::Tensor()>& code) {
  const IndexGuard guard;
  EXPECT_NO_THROW(code());
}

at::Tensor numbers(std::vector<std::int64_t> sizes) { return at::rand(sizes).to(callbacks::other_device()); }

TEST(IndexGuard, PlacesAlongAnAxis) {
  const at::Tensor x = numbers({2, 3});
  expect_taken([&] { return x.index_select(-1, places({0, 2})); });
  expect_refused([&] { return x.index_select(-1, places({0, 3})); });
  expect_refused([&] { return x.index_select(0, places({-1})); });
  expect_refused([&] { return x.gather(0, places({2}).view({1, 1})); });
  expect_refused([&] { return x.scatter(1, places({3}).view({1, 1}), 1.0); });
  expect_refused([&] { return x.scatter_add(1, places({-1}).view({1, 1}), numbers({1, 1})); });
  expect_refused([&] { return x.index_fill(0, places({5}), 1.0); });
  expect_refused([&] { return x.clone().index_add_(0, places({2}), numbers({1, 3})); });
}

TEST(IndexGuard, PlacesOfAllElements) {
  const at::Tensor x = numbers({2, 3});
  expect_taken([&] { return x.take(places({-6, 5})); });
  expect_refused([&] { return x.take(places({6})); });
  expect_refused([&] { return x.take(places({-7})); });
}

TEST(IndexGuard, RowsOfATable) {
  const at::Tensor table = numbers({4, 2});
  expect_taken([&] { return at::embedding(table, places({0, 3})); });
  expect_taken([&] { return at::embedding(table, places({})); });
  expect_refused([&] { return at::embedding(table, places({4})); });
}

TEST(IndexGuard, Classes) {
  const at::Tensor scores = numbers({2, 3}).log_softmax(1);
  expect_taken([&] { return at::nll_loss(scores, places({2, -100})); });
  expect_refused([&] { return at::nll_loss(scores, places({3, 0})); });
  expect_refused([&] { return at::cross_entropy_loss(scores, places({-1, 0})); });
}

TEST(IndexGuard, TensorsOfTheHostAreLeftAlone) {
  const IndexGuard guard;
  EXPECT_THROW(at::rand({2, 3}).index_select(0, at::tensor({2}, at::kLong)), c10::Error);
  EXPECT_EQ(at::arange(3).index_select(0, at::tensor({2}, at::kLong)).item<std::int64_t>(), 2);
}

TEST(IndexGuard, OneThatAnotherThreadFreesEnds) {
  auto guard = std::make_unique<IndexGuard>();
  std::thread([&] { guard.reset(); }).join();
  EXPECT_EQ(numbers({2}).index_select(0, places({1})).numel(), 1);
}

TEST(IndexGuard, ARecordingHasOne) {
  ir::Arguments arguments;
  arguments.positional.push_back(ir::Constant{to_ir(numbers({2, 3}))});
  Recording recording(arguments);
  const at::Tensor& x = *static_cast<const at::Tensor*>(recording.inputs()[0]);
  EXPECT_THROW(x.index_select(0, places({2})), c10::Error);
  EXPECT_EQ((x + 1).cpu().numel(), 6);
}

}  // namespace
}  // namespace tonnx::torch
