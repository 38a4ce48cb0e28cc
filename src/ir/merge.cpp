#include "ir/merge.h"

#include <algorithm>

#include "ir/constant_facts.h"
#include "ir/error.h"
#include "ir/text.h"

namespace tonnx::ir {

bool same_dims(const std::vector<Dim>& a, const std::vector<Dim>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Dim& x, const Dim& y) { return x.same(y); });
}

std::string to_string(const std::vector<Dim>& dims) {
  return "(" + comma_list(dims, [](const Dim& dim) { return text_of(dim); }) + ")";
}

namespace {

std::optional<std::string> conflict(const Facts& a, const Facts& b) {
  if (a.dtype != DType::Undefined && b.dtype != DType::Undefined && a.dtype != b.dtype)
    return "dtype " + std::string(name_of(a.dtype)) + " and dtype " + std::string(name_of(b.dtype));
  if (a.constant && b.constant && a.constant != b.constant && !same_constant(*a.constant, *b.constant))
    return std::string("one constant and another");
  if (!a.dims || !b.dims) return std::nullopt;
  if (a.rank() != b.rank()) return "shape " + to_string(*a.dims) + " and shape " + to_string(*b.dims);
  for (std::size_t i = 0; i < a.dims->size(); ++i) {
    const Dim& x = (*a.dims)[i];
    const Dim& y = (*b.dims)[i];
    if (x.is_fixed() && y.is_fixed() && x.size() != y.size())
      return "size " + std::to_string(x.size()) + " and size " + std::to_string(y.size()) + " of axis " +
             std::to_string(i);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> merge(Facts& facts, const Facts& other) {
  if (auto text = conflict(facts, other)) return text;
  if (facts.dtype == DType::Undefined) facts.dtype = other.dtype;
  if (!facts.constant) facts.constant = other.constant;
  if (!other.dims) return std::nullopt;
  if (!facts.dims) {
    facts.dims = other.dims;
    return std::nullopt;
  }
  for (std::size_t i = 0; i < facts.dims->size(); ++i) {
    Dim& dim = (*facts.dims)[i];
    const Dim& found = (*other.dims)[i];
    if (!dim.is_fixed() && (found.is_fixed() || dim.is_unknown())) dim = found;
  }
  return std::nullopt;
}

void merge_agreeing(Facts& facts, const Facts& other) {
  if (const auto text = merge(facts, other))
    throw Error(Code::Internal, "facts of one value contradict each other: " + *text);
}

Facts join(const Facts& a, const Facts& b) {
  Facts out;
  if (a.dtype == b.dtype) out.dtype = a.dtype;
  if (a.dims && b.dims && a.dims->size() == b.dims->size()) {
    out.dims.emplace();
    for (std::size_t i = 0; i < a.dims->size(); ++i)
      out.dims->push_back((*a.dims)[i].same((*b.dims)[i]) ? (*a.dims)[i] : Dim());
  }
  if (a.constant && b.constant && (a.constant == b.constant || same_constant(*a.constant, *b.constant)))
    out.constant = a.constant;
  return out;
}

}  // namespace tonnx::ir
