#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ir/constant.h"
#include "program/symbols.h"

namespace tonnx::exporting {

using program::InputAxis;

// The free symbols of the axes, each once, in their order.
std::vector<std::string> symbols_of(const std::vector<InputAxis>& axes);

// The symbols' sizes in these inputs.
std::vector<std::int64_t> sizes_in(const std::vector<ir::Tensor>& inputs, const std::vector<InputAxis>& axes);

// The tensor with `size` slices on the axis: those it has, from the first, over again, with fractions a little smaller
// each time; zeros if it has none.
ir::Tensor resized(const ir::Tensor& tensor, std::size_t axis, std::int64_t size);

// The same for all axes, `sizes` by symbol in the order of symbols_of(). Throws Error(Code::Argument) where an axis
// that follows from them would have no element.
std::vector<ir::Tensor> resized(std::vector<ir::Tensor> inputs, const std::vector<InputAxis>& axes,
                                const std::vector<std::int64_t>& sizes);

// "n = 4, m = 7"
std::string sizes_text(const std::vector<std::string>& symbols, const std::vector<std::int64_t>& sizes);

// The arguments with storages of their own, over the same bytes: one that an input of the program shows is one place in
// them, whatever the caller has given twice.
ir::Arguments told_apart(const ir::Arguments& arguments);

// The arguments (told apart) with each tensor that `inputs` has replaced by that of `others` at its place.
ir::Arguments replaced(const ir::Arguments& arguments, const std::vector<ir::Tensor>& inputs,
                       const std::vector<ir::Tensor>& others);

}  // namespace tonnx::exporting
