// Compares the constants and weights of the runs: records numbers that differ, refuses other differences.
#include <algorithm>
#include <cmath>

#include "ir/constant_facts.h"
#include "ir/text.h"
#include "program/traces/trace_walk.h"
#include "program/traces/unify_traces.h"

namespace tonnx::program {

using ir::Constant;
using ir::Tensor;

namespace {

constexpr std::int64_t kSmallTensor = 64;

template <class Items>
bool all_equal(const Items& items) {
  return std::all_of(items.begin(), items.end(), [&](const auto& item) { return item == items[0]; });
}

// One value per run; empty if one has another type.
template <class T>
std::vector<T> all_of_type(const std::vector<const Constant*>& constants) {
  std::vector<T> out;
  for (const Constant* constant : constants)
    if (const T* value = constant->get<T>()) out.push_back(*value);
  return out.size() == constants.size() ? out : std::vector<T>();
}

std::string describe(const Tensor& tensor) {
  const std::string dims = ir::format_dims(tensor.dims);
  return std::string(ir::name_of(tensor.dtype)) + (dims.empty() ? "" : " " + dims);
}

}  // namespace

bool is_captured_numbers(const ir::Value& weight) {
  return weight.weight()->numel() <= kSmallTensor && weight.has_made_up_name();
}

void TraceWalk::compare_constants(DifferingOperand& found, const std::vector<const Constant*>& constants) const {
  if (const auto integers = all_of_type<std::int64_t>(constants); !integers.empty()) {
    if (!all_equal(integers)) found.numbers.push_back({integers, 0});
    return;
  }
  if (const auto reals = all_of_type<double>(constants); !reals.empty()) {
    const auto is_same = [&](double v) { return v == reals[0] || (std::isnan(v) && std::isnan(reals[0])); };
    if (!std::all_of(reals.begin(), reals.end(), is_same)) found.numbers.push_back({reals, 0});
    return;
  }
  const auto is_first = [&](const Constant* constant) { return same_constant(*constant, *constants[0]); };
  if (std::all_of(constants.begin(), constants.end(), is_first)) return;
  std::vector<std::string> descriptions;
  for (const Constant* constant : constants) descriptions.push_back(ir::to_string(*constant));
  const std::string differs = at_sizes(descriptions) + ": only numbers can follow a size; leave the axis fixed";
  const auto lists = all_of_type<Constant::List>(constants);
  const auto has_same_count = [&](const Constant::List& list) { return list.items.size() == lists[0].items.size(); };
  if (lists.empty() || !std::all_of(lists.begin(), lists.end(), has_same_count))
    refuse(*found.node, found.input, differs);
  for (std::size_t i = 0; i < lists[0].items.size(); ++i) {
    std::vector<const Constant*> items;
    for (const Constant::List& list : lists) items.push_back(&list.items[i]);
    const auto values = all_of_type<std::int64_t>(items);
    if (values.empty()) refuse(*found.node, found.input, differs);
    if (!all_equal(values)) found.numbers.push_back({values, i});
  }
}

void TraceWalk::compare_tensors(DifferingOperand& found, const std::vector<const Tensor*>& tensors) {
  const Tensor& first = *tensors[0];
  if (std::all_of(tensors.begin(), tensors.end(), [&](const Tensor* t) { return t->equals(first); })) return;
  const ir::Value* value = found.node->input(found.input);
  std::string what = value->weight() && !value->name().empty() ? "weight " + value->name() : "a captured tensor";
  if (!std::all_of(tensors.begin(), tensors.end(),
                   [&](const Tensor* t) { return t->dtype == first.dtype && t->dims == first.dims; })) {
    std::vector<std::string> descriptions;
    for (const Tensor* tensor : tensors) descriptions.push_back(describe(*tensor));
    refuse(
        *found.node, found.input,
        what + " is " + at_sizes(descriptions) +
            ": its elements were computed outside the recording; compute it with tensor operators (torch::arange of a "
            "size, a mask from comparisons), or leave the axis fixed");
  }
  const bool reals =
      ir::is_floating(first.dtype) && (first.rank() == 0 || !value->weight() || is_captured_numbers(*value));
  const bool integers = ir::is_integral(first.dtype) && first.dtype != ir::DType::Bool;
  if ((!reals && !integers) || first.numel() > kSmallTensor)
    refuse(*found.node, found.input,
           what + ", " + describe(first) + ", holds other elements in another run at " + sizes_of(1) +
               ": the code wrote to it, or computed it outside the recording; compute it with tensor operators, "
               "restore it before each run, or leave the axis fixed");
  for (std::int64_t i = 0; i < first.numel(); ++i) {
    if (reals) {
      std::vector<double> values;
      for (const Tensor* tensor : tensors) values.push_back(tensor->as_double(i));
      if (!all_equal(values)) found.numbers.push_back({std::move(values), static_cast<std::size_t>(i)});
      continue;
    }
    std::vector<std::int64_t> values;
    for (const Tensor* tensor : tensors) values.push_back(tensor->as_int64(i));
    if (!all_equal(values)) found.numbers.push_back({std::move(values), static_cast<std::size_t>(i)});
  }
}

}  // namespace tonnx::program
