#include "verify/compare.h"

#include <cmath>

#include "ir/error.h"
#include "ir/text.h"

namespace tonnx::verify {
namespace {

using ir::Code;
using ir::DType;
using ir::Error;
using ir::Tensor;

Tolerance resolve(DType output, const Tolerance& given) {
  if (!ir::is_floating(output)) return {0, 0};
  const DType dtype = looser(output, given.loosest);
  Tolerance t{1e-2, 1e-3};
  if (dtype == DType::Float64) t = {1e-5, 1e-7};
  if (dtype == DType::Float32) t = {1e-3, 1e-5};
  if (given.rtol >= 0) t.rtol = given.rtol;
  if (given.atol >= 0) t.atol = given.atol;
  return t;
}

std::string position(std::int64_t i, const std::vector<std::int64_t>& dims) {
  std::vector<std::int64_t> at(dims.size());
  for (std::size_t k = dims.size(); k-- > 0;) {
    at[k] = i % dims[k];
    i /= dims[k];
  }
  return "[" + ir::comma_list(at, [](std::int64_t index) { return std::to_string(index); }) + "]";
}

[[noreturn]] void differ(const std::string& what) {
  throw Error(Code::Verification, "the model disagrees with LibTorch: " + what);
}

void compare_one(const std::string& name, const Tensor& expected, const Tensor& got, const Tolerance& given) {
  const bool same_kind = ir::is_floating(expected.dtype) == ir::is_floating(got.dtype);
  if ((given.check_dtype ? expected.dtype != got.dtype : !same_kind) ||
      (given.check_shape ? expected.dims != got.dims : expected.numel() != got.numel()))
    differ("output '" + name + "' is " + ir::format_type(got.dtype, got.dims) + ", but LibTorch returns " +
           ir::format_type(expected.dtype, expected.dims));
  const Tolerance tolerance = resolve(looser(expected.dtype, got.dtype), given);
  const Tensor a = expected.contiguous(), b = got.contiguous();
  const std::size_t step = ir::size_of(a.dtype), other_step = ir::size_of(b.dtype);
  const std::byte *pa = a.data(), *pb = b.data();
  const std::int64_t n = a.numel();
  std::int64_t wrong = 0, worst = -1;
  double worst_difference = -1;
  for (std::int64_t i = 0; i < n; ++i, pa += step, pb += other_step) {
    if (!ir::is_floating(a.dtype)) {
      if (ir::load_int64(a.dtype, pa) == ir::load_int64(b.dtype, pb)) continue;
    }
    const double x = ir::load_double(a.dtype, pa), y = ir::load_double(b.dtype, pb);
    if (ir::is_floating(a.dtype)) {
      if (x == y || (std::isnan(x) && std::isnan(y))) continue;
      const bool finite = std::isfinite(x) && std::isfinite(y);
      if (finite && std::fabs(y - x) <= tolerance.atol + tolerance.rtol * std::fabs(x)) continue;
    }
    ++wrong;
    const double difference = std::isfinite(y - x) ? std::fabs(y - x) : HUGE_VAL;
    if (difference > worst_difference) {
      worst_difference = difference;
      worst = i;
    }
  }
  if (wrong == 0 || static_cast<double>(wrong) <= given.accepted_share * static_cast<double>(n)) return;
  const double x = ir::load_double(a.dtype, a.data() + static_cast<std::size_t>(worst) * step);
  const double y = ir::load_double(b.dtype, b.data() + static_cast<std::size_t>(worst) * other_step);
  differ("output '" + name + "': " + std::to_string(wrong) + " of " + std::to_string(n) +
         " elements differ; the largest difference is at " + position(worst, a.dims) + ", " + ir::format_float(y) +
         ", but LibTorch returns " + ir::format_float(x) + " (rtol " + ir::format_float(tolerance.rtol) + ", atol " +
         ir::format_float(tolerance.atol) + (ir::is_floating(a.dtype) ? "; a larger rtol or atol allows more)" : ")"));
}

}  // namespace

DType looser(DType a, DType b) {
  if (!ir::is_floating(a) || !ir::is_floating(b)) return ir::is_floating(a) ? a : b;
  return ir::size_of(b) < ir::size_of(a) ? b : a;
}

void compare(const std::vector<Tensor>& expected, const std::vector<Tensor>& got, const std::vector<std::string>& names,
             const Tolerance& tolerance, std::span<const Limits> own) {
  if (expected.size() != got.size())
    differ("it has " + std::to_string(got.size()) + " outputs, but LibTorch returns " +
           std::to_string(expected.size()));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    Tolerance of_result = tolerance;
    if (i < own.size() && own[i].rtol >= 0) of_result.rtol = own[i].rtol;
    if (i < own.size() && own[i].atol >= 0) of_result.atol = own[i].atol;
    compare_one(i < names.size() ? names[i] : std::to_string(i), expected[i], got[i], of_result);
  }
}

}  // namespace tonnx::verify
