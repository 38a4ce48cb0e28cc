#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "ir/constant.h"
#include "ir/error.h"
#include "ir/tensor.h"

namespace tonnx::ir {
namespace {

using Dims = std::vector<std::int64_t>;

// A view with the given strides over elements that count up from 0.
template <class T>
Tensor counting(DType dtype, Dims dims, Dims strides, std::int64_t offset = 0) {
  std::int64_t last = offset;
  for (std::size_t i = 0; i < dims.size(); ++i) last += (dims[i] - 1) * strides[i];
  std::vector<T> values(static_cast<std::size_t>(last + 1));
  std::iota(values.begin(), values.end(), T(0));
  return Tensor{dtype, std::move(dims), std::move(strides), offset,
                Storage::copy(values.data(), values.size() * sizeof(T))};
}

template <class T>
std::vector<T> expected_elements(const Tensor& t) {
  std::vector<T> out;
  for (std::int64_t i = 0; i < t.numel(); ++i) {
    std::int64_t rest = i, at = t.offset;
    for (std::size_t axis = t.dims.size(); axis-- > 0;) {
      at += rest % t.dims[axis] * t.strides[axis];
      rest /= t.dims[axis];
    }
    out.push_back(static_cast<T>(at));
  }
  return out;
}

// Compares reads of the whole tensor, and of every range of a few lengths, with an elementwise gather.
template <class T>
void check_read(const Tensor& t) {
  const std::vector<T> expected = expected_elements<T>(t);
  const auto count = static_cast<std::int64_t>(expected.size());
  std::vector<T> out(expected.size());
  t.read(0, count, reinterpret_cast<std::byte*>(out.data()));
  ASSERT_EQ(out, expected);
  for (const std::int64_t length : {std::int64_t{1}, std::int64_t{7}, count / 3 + 1}) {
    for (std::int64_t begin = 0; begin < count; begin += std::max<std::int64_t>(1, count / 61)) {
      const std::int64_t end = std::min(count, begin + length);
      std::vector<T> part(static_cast<std::size_t>(end - begin));
      t.read(begin, end, reinterpret_cast<std::byte*>(part.data()));
      ASSERT_EQ(part, std::vector<T>(expected.begin() + begin, expected.begin() + end)) << begin << ".." << end;
    }
  }
}

TEST(Gather, EveryLayout) {
  check_read<float>(counting<float>(DType::Float32, {4, 5}, {5, 1}));
  check_read<float>(counting<float>(DType::Float32, {150, 70}, {1, 150}));
  check_read<float>(counting<float>(DType::Float32, {150, 70}, {1, 160}, 3));
  check_read<float>(counting<float>(DType::Float32, {8, 16, 3, 3}, {144, 1, 48, 16}));
  check_read<float>(counting<float>(DType::Float32, {3, 66, 65}, {1, 195, 3}));
  check_read<float>(counting<float>(DType::Float32, {6, 1, 5}, {0, 7, 1}));
  check_read<float>(counting<float>(DType::Float32, {6, 5}, {1, 0}));
  check_read<float>(counting<float>(DType::Float32, {6, 5}, {20, 2}));
  check_read<std::int64_t>(counting<std::int64_t>(DType::Int64, {40, 70}, {2, 80}));
  check_read<std::int16_t>(counting<std::int16_t>(DType::Int16, {70, 130}, {1, 70}));
  check_read<std::uint8_t>(counting<std::uint8_t>(DType::UInt8, {9, 13}, {1, 9}));
  check_read<float>(counting<float>(DType::Float32, {}, {}, 2));
}

TEST(Gather, ReportsReadSpansOfBoundedSize) {
  constexpr std::ptrdiff_t kMost = std::ptrdiff_t{8} << 20;
  for (const Tensor& t : {counting<float>(DType::Float32, {2000, 3000}, {1, 2000}),
                          counting<float>(DType::Float32, {3000, 2, 1000}, {1, 3000000, 3000}),
                          counting<float>(DType::Float32, {5000000}, {2})}) {
    std::vector<float> plain(static_cast<std::size_t>(t.numel())), read_back(plain.size());
    t.read(0, t.numel(), reinterpret_cast<std::byte*>(plain.data()));
    std::ptrdiff_t most = 0, sum = 0;
    const std::byte* last = nullptr;
    t.read(0, t.numel(), reinterpret_cast<std::byte*>(read_back.data()),
           [&](const std::byte* begin, const std::byte* end) {
             EXPECT_GE(begin, t.data());
             most = std::max(most, end - begin);
             sum += end - begin;
             last = std::max(last, end);
           });
    EXPECT_EQ(read_back, plain);
    EXPECT_LE(most, kMost);
    EXPECT_GE(sum, static_cast<std::ptrdiff_t>(t.bytes()));
    EXPECT_LE(last, t.storage->data() + t.storage->size());
  }
}

TEST(Gather, EmptyTensorReadsNothing) {
  const Tensor t{DType::Float32, {0, 3}, {1, 5}, 0, Storage::own({})};
  EXPECT_TRUE(t.is_contiguous());
  t.read(0, 0, nullptr);
  EXPECT_TRUE(t.to_doubles().empty());
}

TEST(Tensor, ContiguityIgnoresAxesOfOne) {
  EXPECT_TRUE((counting<float>(DType::Float32, {2, 1, 3}, {3, 99, 1})).is_contiguous());
  EXPECT_FALSE((counting<float>(DType::Float32, {2, 3}, {1, 2})).is_contiguous());
  EXPECT_EQ(contiguous_strides(Dims{2, 3, 4}), (Dims{12, 4, 1}));
}

TEST(Tensor, ContiguousCopyEqualsItsView) {
  const Tensor view = counting<float>(DType::Float32, {33, 40}, {1, 33});
  const Tensor copy = view.contiguous();
  EXPECT_TRUE(copy.is_contiguous());
  EXPECT_TRUE(copy.equals(view));
  EXPECT_FALSE(copy.same_view(view));
  EXPECT_TRUE(view.same_view(Tensor(view)));
  EXPECT_EQ(copy.contiguous().storage, copy.storage);
  EXPECT_EQ(view.as_double(1), 33.0);
  EXPECT_EQ(copy.to_int64s()[41], 34);
}

TEST(Tensor, ViewsOfOneStorageMayOverlap) {
  const Tensor whole = counting<float>(DType::Float32, {4, 3}, {3, 1});
  const auto part = [&](Dims dims, Dims strides, std::int64_t offset) {
    Tensor t = whole;
    t.dims = std::move(dims);
    t.strides = std::move(strides);
    t.offset = offset;
    return t;
  };
  EXPECT_TRUE(whole.may_overlap(part({3}, {1}, 9)));
  EXPECT_TRUE(part({2, 3}, {3, 1}, 3).may_overlap(part({1}, {1}, 8)));
  EXPECT_FALSE(part({2, 3}, {3, 1}, 3).may_overlap(part({3}, {1}, 9)));
  EXPECT_FALSE(part({2, 3}, {3, 1}, 3).may_overlap(part({3}, {1}, 0)));
  EXPECT_FALSE(whole.may_overlap(part({0}, {1}, 4)));
  EXPECT_FALSE(whole.may_overlap(counting<float>(DType::Float32, {4, 3}, {3, 1})));
}

TEST(Tensor, Makers) {
  EXPECT_EQ(Tensor::scalar(DType::Float16, 1.5).as_double(0), 1.5);
  EXPECT_EQ(Tensor::scalar(DType::Int32, std::int64_t{-7}).as_int64(0), -7);
  EXPECT_EQ(Tensor::of_int64(Dims{3, 4}).to_int64s(), (Dims{3, 4}));
  const float value = 2;
  EXPECT_THROW(Tensor::from_bytes(DType::Float32, {2}, &value, sizeof value), Error);
}

TEST(Tensor, ViewBeyondItsStorageIsRefused) {
  const Tensor t{DType::Float32, {4}, {2}, 0, Storage::own(std::vector<std::byte>(24))};
  EXPECT_THROW(t.data(), Error);
  EXPECT_THROW(t.as_double(3), Error);
  const Tensor negative{DType::Float32, {4}, {-1}, 2, Storage::own(std::vector<std::byte>(24))};
  EXPECT_THROW(negative.contiguous(), Error);
  EXPECT_THROW((Tensor{DType::Float32, {2}, {1}, 0, nullptr}).data(), Error);
}

class File : public testing::Test {
 protected:
  void SetUp() override {
    path_ = (std::filesystem::temp_directory_path() / ("tonnx_storage_" + std::to_string(::getpid()))).string();
    std::vector<std::int32_t> values(5000);
    std::iota(values.begin(), values.end(), 0);
    std::ofstream(path_, std::ios::binary).write(reinterpret_cast<const char*>(values.data()), 20000);
  }
  void TearDown() override { std::remove(path_.c_str()); }
  std::string path_;
};

TEST_F(File, RegionIsMappedWhenItIsRead) {
  const Tensor t{DType::Int32, {10}, {1}, 5, Storage::file(path_, 8000, 4000)};
  EXPECT_EQ(t.storage->path(), path_);
  EXPECT_EQ(t.storage->offset(), 8000u);
  EXPECT_EQ(t.as_int64(0), 2005);
  EXPECT_EQ(t.to_int64s().back(), 2014);
  EXPECT_EQ(Storage::file(path_, 3, 8)->data()[1], std::byte{1});  // byte 4 of the file
}

TEST_F(File, ThreadsShareOneMapping) {
  const auto storage = Storage::file(path_, 4096, 8192);
  std::vector<const std::byte*> seen(8);
  std::vector<std::thread> threads;
  for (auto& place : seen) threads.emplace_back([&] { place = storage->data(); });
  for (auto& thread : threads) thread.join();
  for (const std::byte* place : seen) EXPECT_EQ(place, seen[0]);
}

TEST_F(File, MissingOrShortFileIsAFileError) {
  const auto code_of = [](const Storage& storage) {
    try {
      storage.data();
    } catch (const Error& e) {
      return e.code();
    }
    return Code::Ok;
  };
  EXPECT_EQ(code_of(*Storage::file(path_, 19000, 2000)), Code::File);
  EXPECT_EQ(code_of(*Storage::file(path_, ~std::uint64_t{0}, 2000)), Code::File);
  EXPECT_EQ(code_of(*Storage::file(path_ + ".absent", 0, 1)), Code::File);
  EXPECT_EQ(code_of(*Storage::file(path_, 20000, 0)), Code::Ok);
}

TEST_F(File, ContiguousElementsAreReadWithoutMapping) {
  const Tensor t{DType::Int32, {10}, {1}, 5, Storage::file(path_, 8000, 4000)};
  std::array<std::int32_t, 3> got{};
  t.read(1, 4, reinterpret_cast<std::byte*>(got.data()));
  EXPECT_EQ(got, (std::array<std::int32_t, 3>{2006, 2007, 2008}));
  const std::uint64_t short_of = 19960, absent = ~std::uint64_t{0};
  for (const std::uint64_t offset : {short_of, absent}) {
    const Tensor cut{DType::Int32, {11}, {1}, 0, Storage::file(path_, offset, 44)};
    std::array<std::byte, 44> bytes{};
    EXPECT_THROW(cut.read(0, 11, bytes.data()), Error);
  }
  const Tensor missing{DType::Int32, {1}, {1}, 0, Storage::file(path_ + ".absent", 0, 4)};
  EXPECT_THROW(missing.as_int64(0), Error);
  EXPECT_THROW(missing.to_int64s(), Error);
}

TEST(Constant, Numbers) {
  EXPECT_EQ(Constant{true}.as_int64(), 1);
  EXPECT_EQ(Constant{2.75}.as_int64(), 2);
  EXPECT_EQ(Constant{Tensor::scalar(DType::Float32, 0.5)}.as_double(), 0.5);
  EXPECT_THROW(Constant{std::string("x")}.as_double(), Error);
  EXPECT_THROW(Constant{Tensor::of_int64(Dims{1, 2})}.as_int64(), Error);
}

}  // namespace
}  // namespace tonnx::ir
