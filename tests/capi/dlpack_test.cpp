#include <memory>
#include <optional>

#include <ATen/ATen.h>
#include <ATen/DLConvertor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "error_matchers.h"
#include "host.h"

// A DLPack tensor is taken: its deleter runs once, when the last user is gone or the call fails.
using host::failure;
using testing::HasSubstr;

namespace {

// A managed tensor over memory of the test, whose deleter counts.
struct Managed {
  std::vector<float> data = {0, 1, 2, 3, 4, 5, 6, 7};
  std::vector<std::int64_t> shape = {2, 3};
  std::vector<std::int64_t> strides;
  DLManagedTensor tensor{};
  int deleted = 0;

  Managed() {
    tensor.dl_tensor.data = data.data();
    tensor.dl_tensor.device = {kDLCPU, 0};
    tensor.dl_tensor.dtype = {kDLFloat, 32, 1};
    tensor.manager_ctx = this;
    tensor.deleter = [](DLManagedTensor* self) { ++static_cast<Managed*>(self->manager_ctx)->deleted; };
    update();
  }
  void update() {
    tensor.dl_tensor.ndim = static_cast<std::int32_t>(shape.size());
    tensor.dl_tensor.shape = shape.empty() ? nullptr : shape.data();
    tensor.dl_tensor.strides = strides.empty() ? nullptr : strides.data();
  }
  std::optional<tonnx::Tensor> take() {
    tonnx_tensor* made = nullptr;
    tonnx_error* error = nullptr;
    const tonnx_status status = tonnx_tensor_from_dlpack(&made, &tensor, &error);
    message = tonnx_error_message(error);
    EXPECT_EQ(tonnx_error_status(error), status);
    tonnx_error_free(error);
    if (status == TONNX_STATUS_OK) return tonnx::Tensor(made);
    EXPECT_EQ(status, TONNX_STATUS_ARGUMENT);
    EXPECT_EQ(made, nullptr);
    return std::nullopt;
  }
  std::string message;
};

std::vector<float> floats(const tonnx::Tensor& tensor) {
  const auto* first = static_cast<const float*>(tensor.data());
  return {first, first + tensor.size() / sizeof(float)};
}

}  // namespace

TEST(Dlpack, IsSharedAndLetGoOnce) {
  Managed managed;
  std::optional<tonnx::Tensor> tensor = managed.take();
  ASSERT_TRUE(tensor);
  EXPECT_EQ(tensor->data(), managed.data.data());
  EXPECT_EQ(tensor->dims(), managed.shape);
  std::optional<tonnx::Args> args(std::in_place);
  args->add(*tensor);
  tensor.reset();
  EXPECT_EQ(managed.deleted, 0);
  args.reset();
  EXPECT_EQ(managed.deleted, 1);
}

TEST(Dlpack, StridesAndByteOffset) {
  Managed managed;
  managed.shape = {3, 2};
  managed.strides = {1, 3};
  managed.tensor.dl_tensor.byte_offset = 2 * sizeof(float);
  managed.update();
  {
    const auto tensor = managed.take();
    ASSERT_TRUE(tensor);
    EXPECT_EQ(floats(*tensor), (std::vector<float>{2, 5, 3, 6, 4, 7}));
  }
  EXPECT_EQ(managed.deleted, 1);
}

TEST(Dlpack, RankAndSizeZero) {
  Managed scalar;
  scalar.shape = {};
  scalar.update();
  const auto one = scalar.take();
  ASSERT_TRUE(one);
  EXPECT_EQ(floats(*one), std::vector<float>{0});
  Managed empty;
  empty.shape = {0, 3};
  empty.tensor.dl_tensor.data = nullptr;
  empty.update();
  const auto none = empty.take();
  ASSERT_TRUE(none);
  EXPECT_EQ(none->size(), 0u);
}

TEST(Dlpack, WhatIsRefusedIsLetGoToo) {
  const auto refused = [](const std::function<void(Managed&)>& spoil) {
    Managed managed;
    spoil(managed);
    EXPECT_FALSE(managed.take());
    EXPECT_EQ(managed.deleted, 1);
    return managed.message;
  };
  EXPECT_THAT(refused([](Managed& m) { m.tensor.dl_tensor.device = {kDLCUDA, 0}; }), HasSubstr("device"));
  EXPECT_THAT(refused([](Managed& m) { m.tensor.dl_tensor.dtype = {kDLFloat, 24, 1}; }), HasSubstr("dtype"));
  EXPECT_THAT(refused([](Managed& m) { m.tensor.dl_tensor.dtype = {kDLFloat, 32, 4}; }), HasSubstr("dtype"));
  EXPECT_THAT(refused([](Managed& m) { m.strides = {-3, 1}, m.update(); }), HasSubstr("stride"));
  EXPECT_THAT(refused([](Managed& m) { m.shape = {2, -3}, m.update(); }), HasSubstr("-3"));
  EXPECT_THAT(refused([](Managed& m) { m.tensor.dl_tensor.ndim = -1; }), HasSubstr("-1"));
  EXPECT_THAT(refused([](Managed& m) { m.tensor.dl_tensor.shape = nullptr; }), HasSubstr("shape"));
  EXPECT_THAT(refused([](Managed& m) { m.tensor.dl_tensor.data = nullptr; }), HasSubstr("NULL"));
  EXPECT_THAT(refused([](Managed& m) { m.shape = {INT64_MAX / 2, 3}, m.update(); }), HasSubstr("large"));
  EXPECT_THAT(refused([](Managed& m) { m.strides = {INT64_MAX / 2, INT64_MAX / 2}, m.update(); }), HasSubstr("large"));
}

TEST(Dlpack, NullsAreRefused) {
  Managed managed;
  EXPECT_EQ(tonnx_tensor_from_dlpack(nullptr, &managed.tensor, nullptr), TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(managed.deleted, 1);
  tonnx_tensor* made = nullptr;
  EXPECT_EQ(tonnx_tensor_from_dlpack(&made, nullptr, nullptr), TONNX_STATUS_ARGUMENT);
  Managed unowned;
  unowned.tensor.deleter = nullptr;
  EXPECT_TRUE(unowned.take()) << "a tensor without a deleter";
}

TEST(Dlpack, TensorsOfToDlpack) {
  for (const at::ScalarType type :
       {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16, at::kLong, at::kInt, at::kShort, at::kChar, at::kByte,
        at::kBool, at::kComplexFloat, at::kUInt16, at::kUInt32, at::kUInt64}) {
    const at::Tensor source = (at::rand({4, 3}) * 5).to(type).t();
    tonnx_tensor* made = nullptr;
    ASSERT_EQ(tonnx_tensor_from_dlpack(&made, at::toDLPack(source), nullptr), TONNX_STATUS_OK) << type;
    const tonnx::Tensor tensor(made);
    EXPECT_EQ(tensor.dtype(), static_cast<tonnx_dtype>(type));
    const at::Tensor dense = source.contiguous();
    ASSERT_EQ(tensor.size(), dense.nbytes());
    EXPECT_EQ(std::memcmp(tensor.data(), dense.data_ptr(), tensor.size()), 0) << type;
  }
}

TEST(Dlpack, TheVersionedStructIsTakenAndReturned) {
  const float values[] = {1, 2, 3};
  const tonnx::Tensor source(TONNX_DTYPE_FLOAT32, {3}, values, sizeof values);
  DLManagedTensorVersioned* managed = source.to_dlpack_versioned();
  EXPECT_EQ(managed->version.major, 1u);
  EXPECT_EQ(managed->flags, std::uint64_t{DLPACK_FLAG_BITMASK_IS_COPIED});
  EXPECT_EQ(floats(tonnx::Tensor::from_dlpack(managed)), (std::vector<float>{1, 2, 3}));
  const std::uint8_t byte = 1;
  managed = tonnx::Tensor(TONNX_DTYPE_FLOAT8E5M2, {1}, &byte, 1).to_dlpack_versioned();
  EXPECT_EQ(managed->dl_tensor.dtype.code, kDLFloat8_e5m2);
  EXPECT_EQ(tonnx::Tensor::from_dlpack(managed).dtype(), TONNX_DTYPE_FLOAT8E5M2);
}

TEST(Dlpack, OneStructIsNotTakenForTheOther) {
  const float value = 1;
  const tonnx::Tensor source(TONNX_DTYPE_FLOAT32, {1}, &value, sizeof value);
  EXPECT_THAT(
      failure([&] { tonnx::Tensor::from_dlpack(reinterpret_cast<DLManagedTensor*>(source.to_dlpack_versioned())); }),
      host::is_error(TONNX_STATUS_ARGUMENT, HasSubstr("this is a DLManagedTensorVersioned")));
  DLManagedTensor* plain = source.to_dlpack();
  EXPECT_THAT(failure([&] { tonnx::Tensor::from_dlpack(reinterpret_cast<DLManagedTensorVersioned*>(plain)); }),
              host::is_error(TONNX_STATUS_ARGUMENT, HasSubstr("this is not a DLManagedTensorVersioned")));
  plain->deleter(plain);
  DLManagedTensorVersioned* newer = source.to_dlpack_versioned();
  newer->version = {2, 3};
  EXPECT_THAT(
      failure([&] { tonnx::Tensor::from_dlpack(newer); }),
      host::is_error(TONNX_STATUS_ARGUMENT, HasSubstr("the DLPack tensor has version 2.3; tonnx takes version 1")));
}

TEST(Dlpack, ReturnsACopyThatLibTorchAccepts) {
  const at::Tensor sources[] = {at::randn({2, 3}).t(),
                                at::arange(4),
                                at::zeros({0, 2}),
                                at::scalar_tensor(true),
                                at::randn({2}).to(at::kBFloat16),
                                at::randn({2}, at::kComplexDouble)};
  for (const at::Tensor& source : sources) {
    auto tensor = std::make_optional(tonnx::Tensor::from_torch(&source));
    const at::Tensor taken = at::fromDLPack(tensor->to_dlpack());
    tensor.reset();
    EXPECT_EQ(taken.scalar_type(), source.scalar_type());
    EXPECT_TRUE(taken.equal(source)) << source;
    EXPECT_FALSE(taken.is_alias_of(source));
  }
  const float value = 1;
  EXPECT_THAT(failure([&] { tonnx::Tensor(TONNX_DTYPE_FLOAT8E5M2, {1}, &value, 1).to_dlpack(); }),
              host::is_error(TONNX_STATUS_ARGUMENT, HasSubstr("float8")));
}
