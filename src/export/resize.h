#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ir/constant.h"
#include "program/facts/symbols.h"

namespace tonnx::exporting {

using program::InputAxis;

// The free symbols of the axes, without duplicates, in order.
std::vector<std::string> symbols_of(const std::vector<InputAxis>& axes);

// The sizes of the symbols in these inputs.
std::vector<std::int64_t> sizes_in(const std::vector<ir::Tensor>& inputs, const std::vector<InputAxis>& axes);

// Returns the tensor with `size` slices on the axis: its slices from the first on, repeated, with fractions a little
// smaller in each repetition; zeros if it has none.
ir::Tensor resized(const ir::Tensor& tensor, std::size_t axis, std::int64_t size);

// Same for all axes; `sizes` in the order of symbols_of(). Throws Error(Code::Argument) if an axis derived from them
// would have size 0.
std::vector<ir::Tensor> resized(std::vector<ir::Tensor> inputs, const std::vector<InputAxis>& axes,
                                const std::vector<std::int64_t>& sizes);

// "n = 4, m = 7"
std::string sizes_text(const std::vector<std::string>& symbols, const std::vector<std::int64_t>& sizes);

// Returns the arguments with separate storages over the same bytes, so that each tensor identifies one argument even if
// the caller passed a tensor twice.
ir::Arguments with_own_storages(const ir::Arguments& arguments);

// Same, over copies of the elements: the caller may write to its tensors afterwards.
ir::Arguments copied(const ir::Arguments& arguments);

// Returns the arguments (from with_own_storages() or copied()) with each tensor of `inputs` replaced by the one of
// `others` at the same index.
ir::Arguments replaced(const ir::Arguments& arguments, const std::vector<ir::Tensor>& inputs,
                       const std::vector<ir::Tensor>& others);

}  // namespace tonnx::exporting
