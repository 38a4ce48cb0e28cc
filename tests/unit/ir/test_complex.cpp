#include <gtest/gtest.h>

#include "ir/complex.h"

namespace tonnx::ir {
namespace {

Tensor numbers() {
  const float parts[] = {1, 2, 3, 4, 5, 6, 7, 8};
  return Tensor::from_bytes(DType::Complex64, {2, 2}, parts, sizeof parts);
}

TEST(Complex, TheViewOfPartsHasOneMoreAxis) {
  Tensor turned = numbers();
  std::swap(turned.strides[0], turned.strides[1]);
  turned.dims = {2, 1};
  turned.offset = 1;
  const Tensor real = with_parts(turned);
  EXPECT_EQ(real.dtype, DType::Float32);
  EXPECT_EQ(real.dims, (std::vector<std::int64_t>{2, 1, 2}));
  EXPECT_EQ(real.to_doubles(), (std::vector<double>{3, 4, 5, 6}));
  EXPECT_EQ(real.storage, turned.storage);
  EXPECT_TRUE(with_parts(real).same_view(real));
}

TEST(Complex, PartsOfConstants) {
  EXPECT_EQ(part_of({numbers()}, false).get<Tensor>()->to_doubles(), (std::vector<double>{1, 3, 5, 7}));
  EXPECT_EQ(part_of({numbers()}, true).get<Tensor>()->to_doubles(), (std::vector<double>{2, 4, 6, 8}));
  EXPECT_EQ(part_of({std::complex<double>(3, -4)}, true).as_double(), -4);
  EXPECT_EQ(part_of({std::int64_t{3}}, false).as_int64(), 3);
  EXPECT_EQ(part_of({std::int64_t{3}}, true).as_int64(), 0);
  const Tensor whole = Tensor::of_int64(std::vector<std::int64_t>{5, 6});
  EXPECT_EQ(part_of({whole}, true).get<Tensor>()->to_int64s(), (std::vector<std::int64_t>{0, 0}));
}

TEST(Complex, FactsOfThePartsAndOfBoth) {
  const Facts facts{DType::Complex128, std::vector<Dim>{Dim(3)}, nullptr};
  EXPECT_EQ(of_part(facts).dtype, DType::Float64);
  EXPECT_EQ(of_part(facts).rank(), 1);
  EXPECT_EQ(*with_parts(facts).fixed_dims(), (std::vector<std::int64_t>{3, 2}));
  EXPECT_EQ(with_parts(Facts{DType::Int64, std::vector<Dim>{Dim(3)}, nullptr}).rank(), 1);
}

TEST(Complex, AListIsComplexIfAnItemIs) {
  EXPECT_TRUE(is_complex(Constant{Constant::List{{Constant{1.0}, Constant{numbers()}}}}));
  EXPECT_FALSE(is_complex(Constant{Constant::List{{Constant{1.0}, Constant{}}}}));
}

}  // namespace
}  // namespace tonnx::ir
