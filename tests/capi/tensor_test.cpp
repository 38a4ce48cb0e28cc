#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host.h"

// Tensors from every source: their elements, the owner of the memory, and refusals.
using testing::HasSubstr;

namespace {

void count(void* user_data) { ++*static_cast<int*>(user_data); }

template <class T>
std::vector<T> elements(const tonnx_tensor* tensor) {
  const auto* first = static_cast<const T*>(tonnx_tensor_data(tensor));
  return {first, first + tonnx_tensor_size(tensor) / sizeof(T)};
}

// The status and the message of a call that must fail.
struct Refused {
  tonnx_status status;
  std::string message;
};

template <class Call>
Refused failed_call(Call&& call) {
  int mark = 0;
  auto* tensor = reinterpret_cast<tonnx_tensor*>(&mark);
  tonnx_error* error = nullptr;
  const tonnx_status status = call(&tensor, &error);
  EXPECT_EQ(tensor == nullptr, status != TONNX_STATUS_OK);
  Refused result{status, tonnx_error_message(error)};
  EXPECT_EQ(tonnx_error_status(error), status);
  tonnx_error_free(error);
  if (status == TONNX_STATUS_OK) tonnx_tensor_free(tensor);
  return result;
}

std::vector<std::uint8_t> bytes_of(const at::Tensor& tensor) {
  const at::Tensor dense = tensor.resolve_conj().resolve_neg().contiguous();
  const auto* first = static_cast<const std::uint8_t*>(dense.data_ptr());
  return {first, first + dense.nbytes()};
}

}  // namespace

TEST(Tensor, CopiesItsBytes) {
  float data[2] = {1, 2};
  const tonnx::Tensor tensor(TONNX_DTYPE_FLOAT32, {2}, data, sizeof data);
  data[0] = 9;
  EXPECT_EQ(elements<float>(tensor.get()), (std::vector<float>{1, 2}));
  EXPECT_EQ(tensor.dims(), (std::vector<std::int64_t>{2}));
}

TEST(Tensor, OfRankAndSizeZero) {
  const std::int64_t number = 7;
  tonnx_tensor* tensor = nullptr;
  ASSERT_EQ(tonnx_tensor_new(&tensor, TONNX_DTYPE_INT64, nullptr, 0, &number, sizeof number, nullptr), TONNX_STATUS_OK);
  EXPECT_EQ(tonnx_tensor_rank(tensor), 0u);
  EXPECT_EQ(elements<std::int64_t>(tensor), std::vector<std::int64_t>{7});
  tonnx_tensor_free(tensor);
  const std::int64_t dims[3] = {2, 0, 5};
  ASSERT_EQ(tonnx_tensor_new(&tensor, TONNX_DTYPE_INT64, dims, 3, nullptr, 0, nullptr), TONNX_STATUS_OK);
  EXPECT_EQ(tonnx_tensor_size(tensor), 0u);
  EXPECT_EQ(tonnx_tensor_dims(tensor)[2], 5);
  tonnx_tensor_free(tensor);
}

TEST(Tensor, NewRefusesWhatDoesNotFit) {
  const float data[6] = {};
  const std::int64_t dims[2] = {2, 3}, negative[2] = {2, -3}, huge[2] = {INT64_MAX / 2, 3}, wide[1] = {INT64_MAX};
  const auto make = [&](tonnx_dtype dtype, const std::int64_t* d, std::size_t rank, const void* bytes,
                        std::size_t size) {
    return failed_call(
        [&](auto** out, auto** error) { return tonnx_tensor_new(out, dtype, d, rank, bytes, size, error); });
  };
  EXPECT_EQ(make(TONNX_DTYPE_FLOAT32, dims, 2, data, sizeof data).status, TONNX_STATUS_OK);
  EXPECT_THAT(make(TONNX_DTYPE_FLOAT32, dims, 2, data, 20).message, HasSubstr("20 bytes"));
  EXPECT_THAT(make(TONNX_DTYPE_FLOAT32, negative, 2, data, sizeof data).message, HasSubstr("-3"));
  EXPECT_EQ(make(TONNX_DTYPE_FLOAT32, huge, 2, data, sizeof data).status, TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(make(TONNX_DTYPE_FLOAT32, wide, 1, data, sizeof data).status, TONNX_STATUS_ARGUMENT);
  // INT64_MAX elements of 8 bytes come to -8 modulo the address space.
  EXPECT_EQ(make(TONNX_DTYPE_FLOAT64, wide, 1, data, static_cast<std::size_t>(-8)).status, TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(make(TONNX_DTYPE_FLOAT32, dims, 2, nullptr, sizeof data).status, TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(make(TONNX_DTYPE_FLOAT32, nullptr, 2, data, sizeof data).status, TONNX_STATUS_ARGUMENT);
  for (const tonnx_dtype dtype : {-1, 20, 22, 30, 1000, INT32_MIN, INT32_MAX})
    EXPECT_EQ(make(dtype, dims, 2, data, sizeof data).status, TONNX_STATUS_ARGUMENT) << dtype;
}

TEST(Tensor, BorrowedMemoryIsLetGoOnce) {
  const float data[6] = {0, 1, 2, 3, 4, 5};
  const std::int64_t dims[2] = {3, 2}, strides[2] = {1, 3};
  int destroyed = 0;
  tonnx_tensor* tensor = nullptr;
  ASSERT_EQ(tonnx_tensor_new_borrowed(&tensor, TONNX_DTYPE_FLOAT32, dims, strides, 2, data, &destroyed, count, nullptr),
            TONNX_STATUS_OK);
  EXPECT_EQ(elements<float>(tensor), (std::vector<float>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(tonnx_tensor_data(tensor), tonnx_tensor_data(tensor)) << "gathered once";
  std::optional<tonnx::Args> args(std::in_place);
  ASSERT_EQ(tonnx_args_add_tensor(const_cast<tonnx_args*>(args->get()), tensor, nullptr), TONNX_STATUS_OK);
  std::optional<tonnx::Program> program(host::program("torch.relu(x)"));
  std::optional<tonnx::Model> model(tonnx::export_program(*program, *args));
  tonnx_tensor_free(tensor);
  EXPECT_EQ(destroyed, 0);
  args.reset();
  program.reset();
  model.reset();
  EXPECT_EQ(destroyed, 1);
}

TEST(Tensor, BorrowedInCppIsLetGoOnceWhateverHappens) {
  const float data[4] = {0, 1, 2, 3};
  int released = 0;
  const auto release = [&] { ++released; };
  {
    const tonnx::Tensor tensor = tonnx::Tensor::borrow(TONNX_DTYPE_FLOAT32, {2, 2}, data, release, {1, 2});
    EXPECT_EQ(elements<float>(tensor.get()), (std::vector<float>{0, 2, 1, 3}));
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 1);
  EXPECT_THROW(tonnx::Tensor::borrow(TONNX_DTYPE_FLOAT32, {-1}, data, release), tonnx::Error);
  EXPECT_EQ(released, 2);
  EXPECT_THROW(tonnx::Tensor::borrow(TONNX_DTYPE_FLOAT32, {2}, data, release, {1, 1}), tonnx::Error);
  EXPECT_EQ(released, 3);
  tonnx::Tensor::borrow(TONNX_DTYPE_FLOAT32, {2, 2}, data);
}

TEST(Tensor, BorrowedMemoryMayBeExpandedOrEmpty) {
  const float data[2] = {1, 2};
  const std::int64_t dims[2] = {3, 2}, expanded[2] = {0, 1}, none[2] = {0, 2}, odd[2] = {7, -1};
  tonnx_tensor* tensor = nullptr;
  ASSERT_EQ(tonnx_tensor_new_borrowed(&tensor, TONNX_DTYPE_FLOAT32, dims, expanded, 2, data, nullptr, nullptr, nullptr),
            TONNX_STATUS_OK);
  EXPECT_EQ(elements<float>(tensor), (std::vector<float>{1, 2, 1, 2, 1, 2}));
  tonnx_tensor_free(tensor);
  ASSERT_EQ(tonnx_tensor_new_borrowed(&tensor, TONNX_DTYPE_FLOAT32, none, odd, 2, nullptr, nullptr, nullptr, nullptr),
            TONNX_STATUS_OK);
  EXPECT_EQ(tonnx_tensor_size(tensor), 0u);
  tonnx_tensor_free(tensor);
}

TEST(Tensor, BorrowingLetsGoAlsoWhenItFails) {
  const float data[6] = {};
  const std::int64_t dims[2] = {2, 3}, negative[2] = {3, -1}, far[2] = {INT64_MAX / 2, INT64_MAX / 2},
                     less[2] = {-2, 3};
  int destroyed = 0, calls = 0;
  const auto make = [&](tonnx_dtype dtype, const std::int64_t* d, const std::int64_t* s, const void* bytes) {
    ++calls;
    return failed_call([&](auto** out, auto** error) {
             return tonnx_tensor_new_borrowed(out, dtype, d, s, 2, bytes, &destroyed, count, error);
           })
        .status;
  };
  EXPECT_EQ(make(TONNX_DTYPE_UNDEFINED, dims, nullptr, data), TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(make(TONNX_DTYPE_FLOAT32, nullptr, nullptr, data), TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(make(TONNX_DTYPE_FLOAT32, less, nullptr, data), TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(make(TONNX_DTYPE_FLOAT32, dims, negative, data), TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(make(TONNX_DTYPE_FLOAT32, dims, far, data), TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(make(TONNX_DTYPE_FLOAT32, dims, nullptr, nullptr), TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(destroyed, calls);
  EXPECT_EQ(make(TONNX_DTYPE_FLOAT32, dims, nullptr, data), TONNX_STATUS_OK);
  EXPECT_EQ(destroyed, calls);
  EXPECT_EQ(tonnx_tensor_new_borrowed(nullptr, TONNX_DTYPE_FLOAT32, dims, nullptr, 2, data, &destroyed, count, nullptr),
            TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(destroyed, calls + 1);
}

TEST(Tensor, FromTorchHoldsTheElementsOfAnyLayout) {
  at::Tensor grown = at::randn({3, 4});
  grown.set_requires_grad(true);
  const std::vector<at::Tensor> tensors = {
      at::randn({2, 3}),
      at::randn({3, 4}).t(),
      at::randn({6, 8}).slice(0, 1, 6, 2).slice(1, 3, 8),
      at::randn({3, 1}).expand({3, 5}),
      at::randn({2, 3, 4, 5}).contiguous(at::MemoryFormat::ChannelsLast),
      at::rand({5}) > 0.5,
      at::randn({4}).to(at::kBFloat16),
      at::randn({4}).to(at::kHalf),
      at::randn({4}).to(at::kFloat8_e5m2),
      at::randint(200, {7}).to(at::kByte),
      at::randint(200, {7}).to(at::kUInt16),
      at::randn({3}, at::kComplexFloat),
      at::randn({3}, at::kComplexFloat).conj(),
      at::imag(at::randn({3}, at::kComplexFloat).conj()),
      at::zeros({0, 4}),
      at::zeros({3, 0}).t(),
      at::scalar_tensor(3.5),
      grown,
  };
  for (const at::Tensor& t : tensors) {
    const auto tensor = tonnx::Tensor::from_torch(&t);
    EXPECT_EQ(tensor.dtype(), static_cast<tonnx_dtype>(t.scalar_type()));
    EXPECT_EQ(tensor.dims(), t.sizes().vec());
    const auto* first = static_cast<const std::uint8_t*>(tensor.data());
    EXPECT_EQ(std::vector<std::uint8_t>(first, first + tensor.size()), bytes_of(t)) << t.toString() << t.sizes();
  }
}

TEST(Tensor, FromTorchSharesTheStorageAndKeepsIt) {
  at::Tensor source = at::zeros({4});
  const auto tensor = tonnx::Tensor::from_torch(&source);
  EXPECT_EQ(tensor.data(), source.data_ptr());
  source.fill_(3);
  source.reset();
  EXPECT_EQ(elements<float>(tensor.get()), (std::vector<float>{3, 3, 3, 3}));
}

TEST(Tensor, ToTorchIsAnOwnedCopyOfEveryKindOfTensor) {
  const at::Tensor sources[] = {
      at::randn({2, 3}),
      at::arange(24).reshape({2, 3, 4}).permute({2, 0, 1}).slice(1, 0, 1),
      at::randn({3}).to(at::kHalf),
      at::randn({2, 2}, at::kComplexFloat).conj(),
      at::rand({4}) > 0.5,
      at::zeros({0, 4}),
      at::scalar_tensor(3.5),
      at::ones({1}).expand({3}),
  };
  for (at::Tensor source : sources) {
    const auto tensor = tonnx::Tensor::from_torch(&source);
    const std::unique_ptr<at::Tensor> given(static_cast<at::Tensor*>(tensor.to_torch()));
    EXPECT_EQ(given->scalar_type(), source.scalar_type());
    EXPECT_EQ(given->sizes(), source.sizes());
    EXPECT_TRUE(given->equal(source)) << source;
    if (source.numel() == 0) continue;
    EXPECT_FALSE(given->is_alias_of(source));
    given->zero_();
    const std::vector<std::uint8_t> bytes = bytes_of(source);
    EXPECT_EQ(elements<std::uint8_t>(tensor.get()), bytes) << "the tensor does not change with what was given";
  }
  tonnx_tensor_delete_torch(tonnx::Tensor(TONNX_DTYPE_FLOAT32, {0}, nullptr, 0).to_torch());
}

TEST(Tensor, FromTorchRefusesWhatHasNoElements) {
  const at::Tensor undefined,
      meta = at::empty({2}, at::kMeta), sparse = at::eye(3).to_sparse(),
      floats = at::quantize_per_channel(at::randn({3}), at::ones({3}), at::ones({3}), 0, at::kQUInt8);
  const auto make = [&](const void* handle) {
    return failed_call([&](auto** out, auto** error) { return tonnx_tensor_from_torch(out, handle, error); });
  };
  EXPECT_EQ(make(nullptr).status, TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(make(&undefined).status, TONNX_STATUS_ARGUMENT);
  EXPECT_THAT(make(&meta).message, HasSubstr("meta"));
  EXPECT_THAT(make(&sparse).message, HasSubstr("sparse"));
  EXPECT_THAT(make(&floats).message, HasSubstr("zero points that are not integers"));
}

TEST(Tensor, AQuantisedOneKeepsTheScalesOfItsChannels) {
  const std::vector<at::Tensor> sources = {
      at::quantize_per_channel(at::arange(6.f).view({2, 3}), at::rand({3}) + 1, at::arange(3), 1, at::kQInt8),
      at::quantize_per_channel(at::arange(6.f).view({2, 3}).t(), at::rand({2}) + 1, at::arange(2), 1, at::kQUInt8),
      at::quantize_per_channel(at::zeros({0, 3}), at::rand({0}), at::arange(0), 0, at::kQInt32),
      at::quantize_per_channel(at::ones({1}), at::rand({1}) + 1, at::arange(1), 0, at::kQInt8),
  };
  for (const at::Tensor& source : sources) {
    const auto tensor = tonnx::Tensor::from_torch(&source);
    const std::unique_ptr<at::Tensor> given(static_cast<at::Tensor*>(tensor.to_torch()));
    ASSERT_EQ(given->qscheme(), at::kPerChannelAffine);
    EXPECT_EQ(given->q_per_channel_axis(), source.q_per_channel_axis());
    EXPECT_TRUE(given->q_per_channel_scales().equal(source.q_per_channel_scales()));
    EXPECT_TRUE(given->q_per_channel_zero_points().equal(source.q_per_channel_zero_points()));
    EXPECT_TRUE(given->int_repr().equal(source.int_repr()));
  }
}

TEST(Tensor, AQuantisedOneKeepsItsScale) {
  const at::Tensor source = at::quantize_per_tensor(at::arange(4.f), 0.5, 3, at::kQUInt8);
  const tonnx::Tensor tensor = tonnx::Tensor::from_torch(&source);
  EXPECT_EQ(tensor.dtype(), TONNX_DTYPE_QUINT8);
  EXPECT_EQ(elements<std::uint8_t>(tensor.get()), (std::vector<std::uint8_t>{3, 5, 7, 9}));
  auto* handle = static_cast<at::Tensor*>(tensor.to_torch());
  EXPECT_TRUE(handle->is_quantized());
  EXPECT_TRUE(handle->equal(source));
  tonnx_tensor_delete_torch(handle);
}

TEST(Tensor, DtypeNamesSizesAndTorchAgree) {
  for (tonnx_dtype dtype = 0; dtype <= TONNX_DTYPE_UINT64; ++dtype) {
    const std::string name = tonnx_dtype_name(dtype);
    if (name == "undefined") {
      EXPECT_EQ(tonnx_dtype_size(dtype), 0u);
      continue;
    }
    EXPECT_EQ(tonnx_dtype_from_name(name.c_str()), dtype) << name;
    EXPECT_EQ(tonnx_dtype_size(dtype), c10::elementSize(static_cast<at::ScalarType>(dtype))) << name;
  }
  const std::pair<const char*, tonnx_dtype> names[] = {
      {"float", TONNX_DTYPE_FLOAT32},    {"f32", TONNX_DTYPE_FLOAT32},     {"double", TONNX_DTYPE_FLOAT64},
      {"half", TONNX_DTYPE_FLOAT16},     {"bf16", TONNX_DTYPE_BFLOAT16},   {"long", TONNX_DTYPE_INT64},
      {"int", TONNX_DTYPE_INT32},        {"bool", TONNX_DTYPE_BOOL},       {"uint8", TONNX_DTYPE_UINT8},
      {"", TONNX_DTYPE_UNDEFINED},       {"Float", TONNX_DTYPE_FLOAT32},   {"undefined", TONNX_DTYPE_UNDEFINED},
      {"torch.long", TONNX_DTYPE_INT64}, {"FLOAT16", TONNX_DTYPE_FLOAT16}, {"float33", TONNX_DTYPE_UNDEFINED},
  };
  for (const auto& [name, dtype] : names) EXPECT_EQ(tonnx_dtype_from_name(name), dtype) << name;
  EXPECT_EQ(tonnx_dtype_from_name(nullptr), TONNX_DTYPE_UNDEFINED);
  for (const tonnx_dtype none : {-1, 30, 100, INT32_MAX, INT32_MIN}) {
    EXPECT_STREQ(tonnx_dtype_name(none), "undefined");
    EXPECT_EQ(tonnx_dtype_size(none), 0u);
  }
}
