#include "lower/emptiness.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "ir/emptied_axes.h"
#include "ir/onnx_traits.h"
#include "lower/known.h"

namespace tonnx::lower {
namespace {

using Dims = std::vector<std::int64_t>;

bool is_entry(const Value& v) { return !v.node() || v.node()->is("prim::Param"); }

bool asks_for_sizes(const ir::Node& node) { return ir::onnx_traits_of(node).integers == ir::Integers::Sizes; }

// Backward search: true if a value that these values depend on satisfies `found`. Does not search the inputs of nodes
// that satisfy `ends`.
template <typename Found, typename Ends>
bool reaches(std::vector<const Value*> open, const Found& found, const Ends& ends) {
  std::set<const Value*> seen;
  while (!open.empty()) {
    const Value* v = open.back();
    open.pop_back();
    if (!v || v->weight() || known_tensor(v) || !seen.insert(v).second) continue;
    if (found(*v)) return true;
    const ir::Node* node = v->node();
    if (node && !ends(*node)) open.insert(open.end(), node->inputs().begin(), node->inputs().end());
  }
  return false;
}

// True if the number depends on elements of model inputs, not only on their sizes.
bool is_of_elements(const Value* number) { return reaches({number}, is_entry, asks_for_sizes); }

struct Axis {
  const Value* value;
  std::int64_t axis;
  auto operator<=>(const Axis&) const = default;
};

std::optional<Dims> axes_of(const ir::Node& node) {
  if (const Dims* axes = node.attribute_as<Dims>("axes")) return *axes;
  return node.input_count() > 1 && node.input(1) ? known_integers(node.input(1)) : std::nullopt;
}

// The input axis of Unsqueeze (`adds`) or Squeeze that becomes this output axis.
std::optional<std::int64_t> input_axis(const ir::Node& node, std::int64_t axis, bool adds) {
  const auto axes = axes_of(node);
  const Value *wide = adds ? node.output() : node.input(0), *narrow = adds ? node.input(0) : node.output();
  if (!axes || !wide->facts().has_rank() || !narrow->facts().has_rank()) return std::nullopt;
  const std::int64_t rank = wide->facts().rank();
  Dims kept;
  for (std::int64_t i = 0; i < rank; ++i)
    if (std::none_of(axes->begin(), axes->end(), [&](std::int64_t a) { return (a < 0 ? a + rank : a) == i; }))
      kept.push_back(i);
  if (!adds)
    return axis < static_cast<std::int64_t>(kept.size()) ? std::optional(kept[static_cast<std::size_t>(axis)])
                                                         : std::nullopt;
  const auto at = std::find(kept.begin(), kept.end(), axis);
  return at == kept.end() ? std::nullopt : std::optional<std::int64_t>(at - kept.begin());
}

// The input axes of Reshape that make up this output axis, and maybe others.
std::vector<Axis> input_axes_of_reshape(const ir::Node& node, std::int64_t axis) {
  const auto &from = node.input(0)->facts().dims, &to = node.output()->facts().dims;
  if (!from || !to) return {};
  const auto count_from = static_cast<std::int64_t>(from->size()), count_to = static_cast<std::int64_t>(to->size());
  const auto same = [&](std::int64_t i, std::int64_t k) {
    return (*from)[static_cast<std::size_t>(i)].same((*to)[static_cast<std::size_t>(k)]);
  };
  std::int64_t front = 0, back = 0;
  while (front < std::min(count_from, count_to) && same(front, front)) ++front;
  if (axis < front) return {{node.input(0), axis}};
  while (back < std::min(count_from, count_to) - front && same(count_from - 1 - back, count_to - 1 - back)) ++back;
  if (axis >= count_to - back) return {{node.input(0), axis - count_to + count_from}};
  std::vector<Axis> between;
  for (std::int64_t i = front; i < count_from - back; ++i) between.push_back({node.input(0), i});
  return between;
}

std::vector<Axis> input_axes_of_gather(const ir::Node& node, std::int64_t axis) {
  const Value *x = node.input(0), *indices = node.input(1);
  if (!x->facts().has_rank() || !indices->facts().has_rank()) return {};
  const auto* given = node.attribute_as<std::int64_t>("axis");
  const std::int64_t along = given && *given < 0 ? *given + x->facts().rank() : given ? *given : 0;
  const std::int64_t count = indices->facts().rank();
  if (axis < along) return {{x, axis}};
  if (axis < along + count) return {{indices, axis - along}};
  return {{x, axis - count + 1}};
}

std::vector<Axis> input_axes_of_product(const ir::Node& node, std::int64_t axis) {
  const Value *x = node.input(0), *y = node.input(1);
  if (!x->facts().has_rank() || !y->facts().has_rank() || x->facts().rank() < 2 || y->facts().rank() < 2) return {};
  const std::int64_t rank = node.output()->facts().rank();
  const auto at = [&](const Value* v) { return Axis{v, axis - rank + v->facts().rank()}; };
  std::vector<Axis> all;
  if (axis != rank - 1 && at(x).axis >= 0) all.push_back(at(x));
  if (axis != rank - 2 && at(y).axis >= 0) all.push_back(at(y));
  return all;
}

// The axis whose size is this element of a list of sizes; none if no rule applies.
std::optional<Axis> axis_of_size(const Value* sizes, std::int64_t i) {
  for (const ir::Node* node; sizes && (node = sizes->node());) {
    if (node->is("onnx::Shape")) {
      const auto* start = node->attribute_as<std::int64_t>("start");
      const std::int64_t rank = node->input(0)->facts().has_rank() ? node->input(0)->facts().rank() : 0;
      const std::int64_t at = i + (start ? std::max<std::int64_t>(*start < 0 ? *start + rank : *start, 0) : 0);
      return at < rank ? std::optional(Axis{node->input(0), at}) : std::nullopt;
    }
    if (node->is("onnx::Concat")) {
      std::size_t part = 0;
      for (; part < node->input_count(); ++part) {
        const auto dims = node->input(part)->facts().fixed_dims();
        if (!dims || dims->size() != 1) return std::nullopt;
        if (i < dims->front()) break;
        i -= dims->front();
      }
      sizes = part < node->input_count() ? node->input(part) : nullptr;
    } else if (node->is("onnx::Gather")) {
      const auto indices = known_integers(node->input(1));
      if (!indices || i >= static_cast<std::int64_t>(indices->size())) return std::nullopt;
      i = (*indices)[static_cast<std::size_t>(i)];
      const auto dims = node->input(0)->facts().fixed_dims();
      if (i < 0) i += dims && dims->size() == 1 ? dims->front() : 0;
      sizes = i < 0 ? nullptr : node->input(0);
    } else if (node->is("onnx::Unsqueeze") || node->is("onnx::Reshape") || node->is("onnx::Squeeze")) {
      sizes = node->input(0);  // of the same elements
    } else {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

std::vector<Axis> input_axes_of_expand(const ir::Node& node, std::int64_t axis) {
  const auto size = axis_of_size(node.inputs().back(), axis);
  if (!size) return {};
  std::vector<Axis> all{*size};
  if (node.is("onnx::ConstantOfShape")) return all;
  const Value* x = node.input(0);
  if (!x->facts().has_rank()) return {};
  if (const std::int64_t at = axis - node.output()->facts().rank() + x->facts().rank(); at >= 0) all.push_back({x, at});
  return all;
}

// Along its own axis TopK has as many elements as its second input says, or fails.
std::vector<Axis> input_axes_of_top(const ir::Node& node, std::int64_t axis) {
  const auto* given = node.attribute_as<std::int64_t>("axis");
  const std::int64_t rank = node.output()->facts().rank(), along = given ? *given : -1;
  const Value* count = node.input_count() > 1 ? node.input(1) : nullptr;
  if ((along < 0 ? along + rank : along) != axis || !count) return {{node.input(0), axis}};
  if (const auto known = known_integers(count))
    return known->at(0) > 0 ? std::vector<Axis>{{node.input(0), axis}} : std::vector<Axis>{};
  const auto size = axis_of_size(count, 0);
  return size ? std::vector<Axis>{*size} : std::vector<Axis>{};
}

// The input axes that all must be non-empty for this axis of the node's result to be non-empty. Empty if no rule
// applies to the node.
std::vector<Axis> input_axes(const ir::Node& node, std::int64_t axis) {
  const auto first = [&](std::int64_t at) { return std::vector<Axis>{{node.input(0), at}}; };
  const ir::OnnxTraits& traits = ir::onnx_traits_of(node);
  if (traits.keeps_axes || traits.makes_maps) return first(axis);
  if (node.is("onnx::Reshape")) return input_axes_of_reshape(node, axis);
  if (node.is("onnx::Unsqueeze") || node.is("onnx::Squeeze")) {
    const auto at = input_axis(node, axis, node.is("onnx::Unsqueeze"));
    return at ? first(*at) : std::vector<Axis>();
  }
  if (node.is("onnx::Transpose")) {
    const Dims* perm = node.attribute_as<Dims>("perm");
    return perm ? first((*perm)[static_cast<std::size_t>(axis)]) : std::vector<Axis>();
  }
  if (node.is("onnx::TopK")) return input_axes_of_top(node, axis);
  if (node.is("onnx::ScatterElements") || node.is("onnx::ScatterND")) return first(axis);
  if (node.is("onnx::GatherElements")) return {{node.input(1), axis}};
  if (node.is("onnx::Expand") || node.is("onnx::ConstantOfShape")) return input_axes_of_expand(node, axis);
  if (node.is("onnx::Gather")) return input_axes_of_gather(node, axis);
  if (node.is("onnx::MatMul")) return input_axes_of_product(node, axis);
  if (node.is("onnx::Gemm")) {
    const auto* transposed = node.attribute_as<std::int64_t>(axis == 0 ? "transA" : "transB");
    return {{node.input(static_cast<std::size_t>(axis)), transposed && *transposed != 0 ? 1 - axis : axis}};
  }
  if (node.is("onnx::Tile")) {
    const auto counts = known_integers(node.input(1));
    return counts && (*counts)[static_cast<std::size_t>(axis)] > 0 ? first(axis) : std::vector<Axis>();
  }
  std::vector<Axis> all;
  const bool joins = node.is("onnx::Concat");
  if (!joins && !traits.broadcasts) return all;
  const std::int64_t rank = node.output()->facts().rank();
  for (const Value* input : node.inputs()) {
    if (!input || !input->facts().has_rank()) return {};
    const std::int64_t at = axis - (rank - input->facts().rank());
    if (at >= 0) all.push_back({input, at});
  }
  return all;
}

const ir::Dim* dim_at(const Axis& at) {
  const auto& dims = at.value->facts().dims;
  return dims && at.axis < static_cast<std::int64_t>(dims->size()) ? &(*dims)[static_cast<std::size_t>(at.axis)]
                                                                   : nullptr;
}

// True if the Slice selects the same number of elements of this axis for this size or more; also if it does not cut it.
bool is_inside(const ir::Node& slice, std::int64_t axis, std::int64_t size) {
  const auto list = [&](std::string_view attribute, std::size_t input) -> std::optional<Dims> {
    if (const Dims* given = slice.attribute_as<Dims>(attribute)) return *given;
    return input < slice.input_count() && slice.input(input) ? known_integers(slice.input(input)) : std::nullopt;
  };
  const auto starts = list("starts", 1), ends = list("ends", 2), axes = list("axes", 3);
  if (!starts || !ends || (!axes && starts->size() != 1)) return false;
  for (std::size_t i = 0; i < starts->size(); ++i)
    if ((axes ? (*axes)[i] : 0) == axis)
      return (*starts)[i] < 0 ? -(*starts)[i] <= size : (*starts)[i] < (*ends)[i] && (*ends)[i] <= size;
  return true;
}

// True if this axis, of a size that ONNX does not know, comes from a Slice that may select fewer elements.
bool comes_from_short_slice(const Value* x, std::int64_t axis, const LeastSize& least_size) {
  std::vector<Axis> open{{x, axis}};
  std::set<Axis> seen;
  while (!open.empty()) {
    const Axis at = open.back();
    open.pop_back();
    const ir::Dim* dim = dim_at(at);
    if (!dim || dim->is_fixed() || is_entry(*at.value) || !seen.insert(at).second) continue;
    const ir::Node& node = *at.value->node();
    if (node.is("onnx::Slice")) {
      const Axis from{node.input(0), at.axis};
      const ir::Dim* size = dim_at(from);
      if (!size || !is_inside(node, at.axis, least_size(*size))) return true;
      open.push_back(from);
    } else if (node.is("onnx::If")) {
      const auto outputs = node.outputs();
      const auto i = std::find(outputs.begin(), outputs.end(), at.value) - outputs.begin();
      for (const ir::Block* block : node.blocks())
        open.push_back({block->outputs()[static_cast<std::size_t>(i)], at.axis});
    } else {
      const std::vector<Axis> sources = input_axes(node, at.axis);
      open.insert(open.end(), sources.begin(), sources.end());
    }
  }
  return false;
}

}  // namespace

void open_empty_slices(ir::Facts& facts, const Value& x, const LeastSize& least_size) {
  if (!facts.dims) return;
  for (std::int64_t axis = 0; axis < facts.rank(); ++axis) {
    ir::Dim& dim = (*facts.dims)[static_cast<std::size_t>(axis)];
    const bool is_positive = dim.is_fixed() || least_size(dim) > 0;
    if (is_positive && comes_from_short_slice(&x, axis, least_size)) dim = ir::Dim();
  }
}

void open_emptied_axes(ir::Facts& facts, const Value& value) {
  if (!facts.dims) return;
  for (const std::size_t axis : ir::emptied_axes(value))
    if (axis < facts.dims->size() && (*facts.dims)[axis].is_fixed()) (*facts.dims)[axis] = ir::Dim();
}

bool may_be_emptied(const Value* x, std::int64_t axis) {
  std::vector<Axis> open{{x, axis}};
  std::set<Axis> seen;
  while (!open.empty()) {
    const Axis at = open.back();
    open.pop_back();
    if (!seen.insert(at).second) continue;
    if (!at.value->facts().has_rank()) return true;
    const ir::Dim& dim = (*at.value->facts().dims)[static_cast<std::size_t>(at.axis)];
    if (dim.is_fixed() && dim.size() > 0) continue;
    if (dim.is_fixed() || is_entry(*at.value)) return true;
    const ir::Node& node = *at.value->node();
    if (ir::onnx_traits_of(node).makes_maps && at.axis >= 2) continue;
    const std::vector<Axis> sources = input_axes(node, at.axis);
    if (sources.empty()) return true;
    open.insert(open.end(), sources.begin(), sources.end());
  }
  return false;
}

bool may_be_emptied(const Value* x) {
  const auto is_emptied = [](const Value& v) {
    const ir::Node* node = v.node();
    if (is_entry(v)) return !v.facts().fixed_dims();
    const ir::OnnxTraits& traits = ir::onnx_traits_of(*node);
    if (traits.sized_by_data || !node->blocks().empty()) return true;
    if (traits.sizes_from < 0) return false;
    const auto numbers = node->inputs().subspan(static_cast<std::size_t>(traits.sizes_from));
    return std::any_of(numbers.begin(), numbers.end(), is_of_elements);
  };
  const auto ends = [](const ir::Node& node) { return ir::onnx_traits_of(node).makes_maps || asks_for_sizes(node); };
  return reaches({x}, is_emptied, ends);
}

bool is_attention_along(const Value* x, std::int64_t axis) {
  for (int steps = 0; x->node() && x->facts().has_rank() && steps < 12; ++steps) {
    const ir::Node& node = *x->node();
    if (node.is("onnx::Softmax")) {
      const auto* along = node.attribute_as<std::int64_t>("axis");
      const std::int64_t rank = x->facts().rank(), at = along ? *along : rank - 1;
      return (at < 0 ? at + rank : at) == axis;
    }
    // Of two operands that broadcast, the first one is the weights; the second is a mask or scale of Dropout.
    const bool picks = node.is("onnx::Where");
    const std::size_t which = !picks ? 0 : known_tensor(node.input(2)) ? 1 : 2;
    std::optional<std::int64_t> at;
    if (node.is("onnx::Reshape") && node.input(0)->facts().has_rank() && axis == x->facts().rank() - 1) {
      at = node.input(0)->facts().rank() - 1;
    } else if (picks || node.is("onnx::Mul")) {
      const Value* input = node.input(which);
      if (input->facts().has_rank() && input->facts().rank() == x->facts().rank()) at = axis;
    } else if (const auto sources = input_axes(node, axis); sources.size() == 1) {
      at = sources.front().axis;
    }
    if (!at) return false;
    x = node.input(which);
    axis = *at;
  }
  return false;
}

}  // namespace tonnx::lower
