#include "lower/size_numbers.h"

#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "lower/sizes.h"

namespace tonnx::lower {
namespace {

bool is_shape(const ir::Node* node) {
  return node && aten::traits_of(*node).gives_sizes && node->input_count() == 1 && node->input()->facts().has_rank();
}

SizeNumber size_of(const ir::Value* tensor, std::int64_t axis, const ir::Value* number) {
  const std::int64_t rank = tensor->facts().rank(), place = axis < 0 ? axis + rank : axis;
  if (place < 0 || place >= rank) return {number};
  return {number, tensor, static_cast<std::size_t>(place)};
}

// True for conversions of a scalar to a tensor and back, which preserve its value.
bool converts(const ir::Node* node) {
  return node && node->input_count() == 1 &&
         (node->is("prim::NumToTensor") || aten::traits_of(*node).number != aten::Number::None);
}

}  // namespace

SizeNumber number_of(const ir::Value* value) {
  const ir::Node* node = value->node();
  while (converts(node)) node = node->input()->node();
  if (!node || node->input_count() != 2) return {value};
  const auto place = ir::constant_integer(node->input(1));
  const aten::Traits& traits = aten::traits_of(*node);
  if (place && traits.gives_sizes && node->input()->facts().has_rank()) return size_of(node->input(), *place, value);
  if (place && traits.container == aten::Container::Item && is_shape(node->input()->node()))
    return size_of(node->input()->node()->input(), *place, value);
  return {value};
}

std::vector<SizeNumber> numbers_of(const Op& op, std::string_view argument, std::size_t axes) {
  const ir::Value* source = op.source(argument);
  const ir::Node* node = source->node();
  std::vector<SizeNumber> items;
  if (source->type().is_scalar()) {
    items.push_back(number_of(source));
  } else if (node && aten::traits_of(*node).container == aten::Container::List) {
    for (const ir::Value* item : node->inputs()) items.push_back(number_of(item));
  } else if (node && aten::traits_of(*node).container == aten::Container::Part && is_shape(node->input()->node())) {
    const ir::Value* tensor = node->input()->node()->input();
    const std::int64_t rank = tensor->facts().rank();
    const auto bound = [&](std::string_view name, std::int64_t otherwise) {
      const ir::Value* given = node->input(name);
      return !given || ir::is_none(given) ? std::optional(otherwise) : ir::constant_integer(given);
    };
    const auto start = bound("start", 0), end = bound("end", rank), step = bound("step", 1);
    if (!start || !end || step != 1) return {};
    for (std::int64_t i = clamped_bound(*start, rank); i < clamped_bound(*end, rank); ++i)
      items.push_back(size_of(tensor, i, nullptr));
  }
  if (items.size() == 1) items.assign(axes, items.front());
  return items.size() == axes ? items : std::vector<SizeNumber>{};
}

}  // namespace tonnx::lower
