#include "onnx/partial.h"

#include <algorithm>
#include <array>

#include "ir/checked.h"

namespace tonnx::onnx {
namespace {

using Elements = std::optional<std::vector<Element>>;

// A shape has few dims; a long integer vector is data.
constexpr std::int64_t kMaxElements = 64;
// Limit of values visited for one query: shared subexpressions would take exponential time.
constexpr int kMaxLooks = 256;

Elements look(const ir::Value& value, int& budget);

Elements from_constant(const ir::Value& value) {
  const std::optional<ir::Tensor> tensor = constant_tensor(value, kMaxElements);
  if (!tensor || tensor->rank() > 1 || !ir::is_integral(tensor->dtype)) return std::nullopt;
  std::vector<Element> elements;
  for (const std::int64_t v : tensor->to_int64s()) elements.push_back({v, {}});
  return elements;
}

std::optional<std::vector<std::int64_t>> integers(const ir::Node& node, std::size_t input, const char* attribute) {
  if (const auto* values = node.attribute_as<std::vector<std::int64_t>>(attribute)) return *values;
  if (input >= node.input_count() || !node.input(input)) return std::nullopt;
  const std::optional<ir::Tensor> tensor = constant_tensor(*node.input(input), kMaxElements);
  if (!tensor || !ir::is_integral(tensor->dtype)) return std::nullopt;
  return tensor->to_int64s();
}

std::int64_t attribute_or(const ir::Node& node, const char* name, std::int64_t otherwise) {
  const auto* value = node.attribute_as<std::int64_t>(name);
  return value ? *value : otherwise;
}

Elements shape_of(const ir::Node& node) {
  const ir::Facts& facts = node.input()->facts();
  if (!facts.dims) return std::nullopt;
  const std::int64_t rank = facts.rank();
  const auto clamp = [rank](std::int64_t at) { return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank); };
  const std::int64_t begin = clamp(attribute_or(node, "start", 0));
  const std::int64_t end = clamp(attribute_or(node, "end", rank));
  std::vector<Element> elements;
  for (std::int64_t i = begin; i < end; ++i) {
    const ir::Dim& dim = (*facts.dims)[static_cast<std::size_t>(i)];
    elements.push_back(dim.is_fixed() ? Element{dim.size(), {}} : Element{std::nullopt, dim});
  }
  return elements;
}

Elements gather(const ir::Node& node, int& budget) {
  if (attribute_or(node, "axis", 0) != 0) return std::nullopt;
  const Elements data = look(*node.input(0), budget);
  const Elements indices = look(*node.input(1), budget);
  if (!data || !indices) return std::nullopt;
  const auto size = static_cast<std::int64_t>(data->size());
  std::vector<Element> elements;
  for (const Element& index : *indices) {
    if (!index.value || *index.value < -size || *index.value >= size) return std::nullopt;
    elements.push_back((*data)[static_cast<std::size_t>(*index.value < 0 ? *index.value + size : *index.value)]);
  }
  return elements;
}

Elements slice(const ir::Node& node, int& budget) {
  const Elements data = look(*node.input(0), budget);
  const auto starts = integers(node, 1, "starts");
  const auto ends = integers(node, 2, "ends");
  const bool has_steps = node.input_count() > 4 && node.input(4);
  const auto steps = has_steps ? integers(node, 4, "steps") : std::vector<std::int64_t>{1};
  if (!data || !starts || !ends || !steps || starts->size() != 1 || ends->size() != 1 || steps->size() != 1 ||
      (*steps)[0] <= 0) {
    return std::nullopt;
  }
  const auto size = static_cast<std::int64_t>(data->size());
  const auto clamp = [size](std::int64_t at) { return std::clamp<std::int64_t>(at < 0 ? at + size : at, 0, size); };
  std::vector<Element> elements;
  std::optional<std::int64_t> i = clamp((*starts)[0]);
  for (const std::int64_t end = clamp((*ends)[0]); i && *i < end; i = ir::checked_add(*i, (*steps)[0])) {
    elements.push_back((*data)[static_cast<std::size_t>(*i)]);
  }
  return elements;
}

Elements concat(const ir::Node& node, int& budget) {
  std::vector<Element> elements;
  for (const ir::Value* input : node.inputs()) {
    const Elements part = look(*input, budget);
    if (!part) return std::nullopt;
    elements.insert(elements.end(), part->begin(), part->end());
  }
  return elements;
}

Element combine(std::string_view op, const Element& a, const Element& b) {
  const auto is = [](const Element& e, std::int64_t value) { return e.value && *e.value == value; };
  if (a.value && b.value) {
    // Sizes are not negative; for other numbers the rounding of the quotient would matter.
    const auto divide = [](std::int64_t n, std::int64_t d) {
      return n >= 0 && d > 0 ? ir::checked_divide(n, d) : std::nullopt;
    };
    const auto result = op == "Add"   ? ir::checked_add(*a.value, *b.value)
                        : op == "Sub" ? ir::checked_subtract(*a.value, *b.value)
                        : op == "Mul" ? ir::checked_multiply(*a.value, *b.value)
                                      : divide(*a.value, *b.value);
    return {result, {}};
  }
  const bool sum = op == "Add" || op == "Sub";
  if (is(b, sum ? 0 : 1)) return a;
  if (op == "Add" && is(a, 0)) return b;
  if (op == "Mul" && is(a, 1)) return b;
  return {};
}

Elements arithmetic(const ir::Node& node, int& budget) {
  const Elements a = look(*node.input(0), budget);
  const Elements b = look(*node.input(1), budget);
  if (!a || !b) return std::nullopt;
  const std::size_t count = a->size() == 1 ? b->size() : a->size();
  if ((a->size() != 1 && a->size() != count) || (b->size() != 1 && b->size() != count)) return std::nullopt;
  std::vector<Element> elements;
  for (std::size_t i = 0; i < count; ++i) {
    elements.push_back(combine(node.op(), (*a)[a->size() == 1 ? 0 : i], (*b)[b->size() == 1 ? 0 : i]));
  }
  return elements;
}

Elements through(const ir::Node& node, int& budget) {
  const std::string_view op = node.op();
  if (op == "Shape") return shape_of(node);
  if (op == "Gather") return gather(node, budget);
  if (op == "Slice") return slice(node, budget);
  if (op == "Concat") return concat(node, budget);
  if (op == "Add" || op == "Sub" || op == "Mul" || op == "Div") return arithmetic(node, budget);
  if (op == "Identity" || op == "Cast" || op == "Squeeze" || op == "Unsqueeze" || op == "Reshape") {
    return look(*node.input(), budget);
  }
  return std::nullopt;
}

// True if the integer dtype can represent the value; other values wrap at run time.
bool holds(ir::DType dtype, std::int64_t value) {
  std::array<std::byte, sizeof(std::int64_t)> bytes{};
  ir::store(dtype, value, bytes.data());
  return ir::load_int64(dtype, bytes.data()) == value;
}

Elements look(const ir::Value& value, int& budget) {
  if (--budget < 0) return std::nullopt;
  if (Elements known = from_constant(value)) return known;
  const ir::Facts& facts = value.facts();
  if (!ir::is_integral(facts.dtype) || (facts.dims && facts.rank() > 1)) return std::nullopt;
  const ir::Node* node = value.node();
  if (node && node->domain() == "onnx" && value.index() == 0 && node->input_count() > 0 && node->input(0)) {
    Elements found = through(*node, budget);
    for (std::size_t i = 0; found && i < found->size(); ++i)
      if (const auto number = (*found)[i].value; number && !holds(facts.dtype, *number)) (*found)[i] = {};
    if (found && static_cast<std::int64_t>(found->size()) <= kMaxElements) return found;
  }
  if (facts.dims && (facts.rank() == 0 || (*facts.dims)[0].is_fixed())) {
    const std::int64_t count = facts.rank() == 0 ? 1 : (*facts.dims)[0].size();
    if (count <= kMaxElements) return std::vector<Element>(static_cast<std::size_t>(count));
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<Element>> partial_value(const ir::Value& value) {
  int budget = kMaxLooks;
  return look(value, budget);
}

std::optional<ir::Tensor> constant_tensor(const ir::Value& value, std::int64_t max_elements) {
  if (const ir::Tensor* weight = value.weight()) {
    if (weight->numel() > max_elements || ir::size_of(weight->dtype) == 0) return std::nullopt;
    return *weight;
  }
  const ir::Constant* constant = value.constant();
  if (!constant) return std::nullopt;
  if (const auto* tensor = constant->get<ir::Tensor>()) {
    if (!tensor->storage || tensor->numel() > max_elements || ir::size_of(tensor->dtype) == 0) return std::nullopt;
    return *tensor;
  }
  if (const auto* flag = constant->get<bool>()) return ir::Tensor::scalar(ir::DType::Bool, std::int64_t{*flag});
  if (const auto* number = constant->get<std::int64_t>()) return ir::Tensor::scalar(ir::DType::Int64, *number);
  if (const auto* number = constant->get<double>()) return ir::Tensor::scalar(ir::DType::Float64, *number);
  return std::nullopt;
}

}  // namespace tonnx::onnx
