#include "export/resize.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <span>
#include <unordered_map>

#include "ir/checked.h"
#include "ir/device_copy.h"
#include "ir/error.h"
#include "ir/quantised_tensor.h"

namespace tonnx::exporting {

using ir::Constant;
using ir::Tensor;

namespace {

// Makes repeated fractions smaller than the originals, so that sorting them has a unique result. Each axis shrinks by
// its own prime, so that two axes together produce distinct factors.
void shrink_fractions(ir::DType dtype, std::span<std::byte> bytes, std::size_t axis, std::size_t repetition) {
  constexpr std::array primes{257.0, 263.0, 269.0, 271.0, 277.0, 281.0};
  const double step = primes[std::min(axis, primes.size() - 1)];
  const double factor = step / (step + static_cast<double>(repetition));
  for (std::size_t at = 0; at < bytes.size(); at += ir::size_of(dtype)) {
    const double value = ir::load_double(dtype, &bytes[at]);
    if (std::isfinite(value) && value != std::trunc(value)) ir::store(dtype, value * factor, &bytes[at]);
  }
}

Constant mapped(const Constant& value, const std::function<Tensor(const Tensor&)>& change) {
  if (const auto* tensor = value.get<Tensor>()) return {change(*tensor)};
  if (const auto* list = value.get<Constant::List>()) {
    Constant::List result;
    for (const Constant& item : list->items) result.items.push_back(mapped(item, change));
    return {std::move(result)};
  }
  if (const auto* tuple = value.get<Constant::Tuple>()) {
    Constant::Tuple result{{}, tuple->names};
    for (const Constant& item : tuple->items) result.items.push_back(mapped(item, change));
    return {std::move(result)};
  }
  if (const auto* dict = value.get<Constant::Dict>()) {
    Constant::Dict result;
    for (const auto& [key, item] : dict->items) result.items.emplace_back(key, mapped(item, change));
    return {std::move(result)};
  }
  return value;
}

ir::Arguments mapped(const ir::Arguments& arguments, const std::function<Tensor(const Tensor&)>& change) {
  ir::Arguments result;
  for (const Constant& value : arguments.positional) result.positional.push_back(mapped(value, change));
  for (const auto& [name, value] : arguments.keywords) result.keywords.emplace_back(name, mapped(value, change));
  return result;
}

}  // namespace

std::vector<std::string> symbols_of(const std::vector<InputAxis>& axes) {
  std::vector<std::string> symbols;
  for (const InputAxis& axis : axes)
    if (!axis.follows && std::find(symbols.begin(), symbols.end(), axis.symbol) == symbols.end())
      symbols.push_back(axis.symbol);
  return symbols;
}

std::vector<std::int64_t> sizes_in(const std::vector<Tensor>& inputs, const std::vector<InputAxis>& axes) {
  std::vector<std::int64_t> sizes;
  for (const std::string& symbol : symbols_of(axes)) {
    const auto is_its = [&](const InputAxis& axis) { return axis.symbol == symbol; };
    const InputAxis& axis = *std::find_if(axes.begin(), axes.end(), is_its);
    sizes.push_back(inputs.at(axis.input).dims.at(axis.axis));
  }
  return sizes;
}

Tensor resized(const Tensor& tensor, std::size_t axis, std::int64_t size) {
  Tensor dense = tensor.contiguous();
  std::vector<std::int64_t> dims = tensor.dims;
  const std::int64_t had = dims.at(axis);
  if (had == size) return dense;
  dims[axis] = size;
  const auto count = ir::checked_count(dims);
  if (!count || !ir::checked_multiply(*count, static_cast<std::int64_t>(ir::size_of(tensor.dtype))))
    throw ir::Error(ir::Code::Argument, "an input is too large: its number of bytes does not fit in 64 bits");
  std::size_t inner = ir::size_of(tensor.dtype), outer = 1;
  for (std::size_t d = 0; d < dims.size(); ++d)
    (d < axis ? outer : inner) *= d == axis ? 1 : static_cast<std::size_t>(dims[d]);
  const auto from = static_cast<std::size_t>(had), to = static_cast<std::size_t>(size);
  std::vector<std::byte> bytes(outer * to * inner);
  if (had > 0 && !bytes.empty())
    for (std::size_t o = 0; o < outer; ++o)
      for (std::size_t i = 0; i < to; ++i)
        std::memcpy(bytes.data() + (o * to + i) * inner, dense.data() + (o * from + i % from) * inner, inner);
  for (std::size_t o = 0; o < outer && had > 0 && ir::is_floating(tensor.dtype); ++o)
    for (std::size_t i = from; i < to; ++i)
      shrink_fractions(tensor.dtype, {bytes.data() + (o * to + i) * inner, inner}, axis, i / from);
  return Tensor::from_bytes(tensor.dtype, std::move(dims), bytes.data(), bytes.size());
}

std::vector<Tensor> resized(std::vector<Tensor> inputs, const std::vector<InputAxis>& axes,
                            const std::vector<std::int64_t>& sizes) {
  const std::vector<std::string> symbols = symbols_of(axes);
  for (const InputAxis& axis : axes) {
    const auto size = axis.size().value(symbols, sizes);
    if (!size || *size < (axis.follows ? 1 : 0))
      throw ir::Error(ir::Code::Argument,
                      "dynamic axis " + axis.symbol + " would have size 0 at " + sizes_text(symbols, sizes));
    Tensor& input = inputs.at(axis.input);
    input = ir::copied_from(ir::device_of(input), resized(input, axis.axis, *size));
  }
  return inputs;
}

std::string sizes_text(const std::vector<std::string>& symbols, const std::vector<std::int64_t>& sizes) {
  std::string text;
  for (std::size_t k = 0; k < symbols.size(); ++k)
    text += (k ? ", " : "") + symbols[k] + " = " + std::to_string(sizes[k]);
  return text;
}

ir::Arguments with_own_storages(const ir::Arguments& arguments) {
  return mapped(arguments, [](const Tensor& tensor) {
    Tensor own = tensor;
    if (tensor.storage)
      own.storage = ir::Storage::borrow(tensor.storage->data(), tensor.storage->size(), tensor.storage);
    return ir::copied_from(ir::device_of(tensor), ir::quantised_like(tensor, std::move(own)));
  });
}

ir::Arguments copied(const ir::Arguments& arguments) {
  return mapped(arguments, [](const Tensor& tensor) {
    Tensor own = tensor;
    if (tensor.storage) {
      std::int64_t last = 0;  // offset of the last element from the first one
      for (std::size_t axis = 0; axis < tensor.dims.size(); ++axis)
        last += (tensor.dims[axis] - 1) * tensor.strides[axis];
      const std::size_t size = tensor.numel() == 0 ? 0 : static_cast<std::size_t>(last + 1) * size_of(tensor.dtype);
      own.storage = ir::Storage::copy(size == 0 ? nullptr : tensor.data(), size);
      own.offset = 0;
    }
    return ir::copied_from(ir::device_of(tensor), ir::quantised_like(tensor, std::move(own)));
  });
}

ir::Arguments replaced(const ir::Arguments& arguments, const std::vector<Tensor>& inputs,
                       const std::vector<Tensor>& others) {
  std::unordered_map<const ir::Storage*, const Tensor*> by_storage;
  for (std::size_t i = 0; i < inputs.size(); ++i) by_storage[inputs[i].storage.get()] = &others[i];
  return mapped(arguments, [&](const Tensor& tensor) {
    const auto found = by_storage.find(tensor.storage.get());
    return found == by_storage.end() ? tensor : ir::quantised_like(tensor, *found->second);
  });
}

}  // namespace tonnx::exporting
