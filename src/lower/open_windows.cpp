#include "lower/open_windows.h"

#include <algorithm>

#include "ir/constant_facts.h"
#include "lower/elementwise.h"
#include "lower/size_numbers.h"
#include "lower/sizes.h"

namespace tonnx::lower {
namespace {

// One scalar for each axis; a single one counts for all.
Values numbers_of_axes(Op& op, std::string_view argument, std::size_t axes) {
  auto numbers = listed_numbers(op, argument);
  if (!numbers || numbers->empty()) op.refuse_argument(argument, "must be a list of known length");
  numbers->resize(axes, numbers->back());
  return *numbers;
}

bool is_empty_list(const Op& op, std::string_view argument) {
  return op.is_constant(argument) && op.integers(argument).empty();
}

}  // namespace

bool has_open_windows(const Op& op, const Dims& padding, const Dims& dilation) {
  const ir::Value* x = op.source("self");
  const std::size_t axes = padding.size();
  if (!x->facts().has_rank() || static_cast<std::size_t>(x->facts().rank()) < axes) return false;
  const auto& dims = *x->facts().dims;
  const auto is_known = [&](const SizeNumber& number) { return number.value && ir::constant_integer(number.value); };
  const bool fixed_kernel = op.is_constant("kernel_size"), fixed_stride = op.is_constant("stride");
  const auto kernel = fixed_kernel ? std::vector<SizeNumber>() : numbers_of(op, "kernel_size", axes);
  const auto stride = fixed_stride ? std::vector<SizeNumber>() : numbers_of(op, "stride", axes);
  if ((!fixed_kernel && kernel.size() != axes) || (!fixed_stride && stride.size() != axes)) return true;
  for (std::size_t i = 0; i < axes; ++i) {
    const ir::Dim& size = dims[dims.size() - axes + i];
    const bool is_whole = !fixed_kernel && kernel[i].of && kernel[i].of->facts().dims->at(kernel[i].axis).same(size) &&
                          padding[i] == 0 && dilation[i] == 1;
    if (is_whole) continue;
    if ((!fixed_kernel && !is_known(kernel[i])) || (!fixed_stride && !is_known(stride[i]))) return true;
  }
  return false;
}

Values open_windows(Op& op, Value* x, const Dims& padding, const Dims& dilation) {
  Builder& b = op.builder();
  const bool is_plain =
      std::ranges::count(padding, 0) == std::ssize(padding) && std::ranges::count(dilation, 1) == std::ssize(dilation);
  if (!is_plain || op.flag("ceil_mode"))
    op.refuse("windows whose size is known at run time only support no padding, dilation or ceil_mode");
  const Values kernels = numbers_of_axes(op, "kernel_size", padding.size());
  const Values strides = is_empty_list(op, "stride") ? kernels : numbers_of_axes(op, "stride", padding.size());
  Value* one = b.int64(1);
  Values windows;
  for (std::size_t i = 0; i < padding.size(); ++i) {
    Value* size = b.size_scalar(x, static_cast<std::int64_t>(i) + 2);
    Value* kernel = kernels[i];
    Value* stride = strides[i];
    // LibTorch refuses empty windows, windows beyond the input and steps below 1: gathers an index out of range, so
    // that the run fails.
    Value* out_of_range = b.mul(size, b.cast(less(b, minimum(b, kernel, stride), one), DType::Int64));
    stride = maximum(b, stride, one);
    Value* count = maximum(b, b.add(b.div(b.sub(size, kernel), stride), one), one);
    Value* first = b.add(b.mul(b.range(count), stride), out_of_range);
    windows.push_back(b.add(b.unsqueeze(first, {1}), b.unsqueeze(b.range(maximum(b, kernel, one)), {0})));
  }
  return windows;
}

Value* reduce_windows(Builder& b, std::string_view reduction, Value* x, const Values& windows) {
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const auto axis = static_cast<std::int64_t>(i) + 2;
    x = b.reduce(reduction, b.take(x, windows[i], axis), Dims{axis + 1}, false);
  }
  return x;
}

}  // namespace tonnx::lower
