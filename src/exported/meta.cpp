#include "exported/meta.h"

#include <utility>
#include <vector>

#include "aten/conjugation.h"
#include "aten/training_flags.h"
#include "aten/traits.h"
#include "exported/enums.h"
#include "exported/expression.h"
#include "exported/view_cases.h"
#include "ir/constant_facts.h"

namespace tonnx::exported {

using ir::Constant;
using ir::DType;
using ir::Facts;
using ir::Polynomial;
using ir::Type;

Polynomial Meta::expression(std::string_view text) const {
  const Polynomial parsed = parse_expression(text, names_);
  return sizes_.empty() || !parsed.is_valid() ? parsed : parsed.with(sizes_);
}

namespace {

// Splits "f(a, g(b))" into its name and its arguments; nullopt for other text.
std::pair<std::string_view, std::vector<std::string_view>> call_in(std::string_view text) {
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos || !text.ends_with(')')) return {};
  std::vector<std::string_view> arguments;
  std::size_t begin = open + 1;
  int depth = 0;
  for (std::size_t at = begin; at < text.size(); ++at) {
    if (text[at] == '(') ++depth;
    const bool closes = text[at] == ')' && depth-- == 0;
    if (closes && at + 1 != text.size()) return {};
    if (closes || (text[at] == ',' && depth == 0)) {
      while (begin < at && text[begin] == ' ') ++begin;
      arguments.push_back(text.substr(begin, at - begin));
      begin = at + 1;
    }
  }
  return {text.substr(0, open), std::move(arguments)};
}

}  // namespace

std::optional<bool> Meta::truth(std::string_view condition) const {
  const auto [name, arguments] = call_in(condition);
  if (name == "Not" && arguments.size() == 1) {
    const auto other = truth(arguments[0]);
    return other ? std::optional(!*other) : std::nullopt;
  }
  if (name == "And" || name == "Or") {
    bool all_known = true;
    for (const std::string_view argument : arguments) {
      const auto one = truth(argument);
      if (one && *one == (name == "Or")) return one;
      all_known &= one.has_value();
    }
    return all_known ? std::optional(name == "And") : std::nullopt;
  }
  if (arguments.size() != 2) return std::nullopt;
  const Polynomial left = expression(arguments[0]), right = expression(arguments[1]);
  if (!left.is_valid() || !right.is_valid() || !left.constant() || !right.constant()) return std::nullopt;
  const std::int64_t a = *left.constant(), b = *right.constant();
  if (name == "Equality" || name == "Eq") return a == b;
  if (name == "Unequality" || name == "Ne") return a != b;
  if (name == "GreaterThan" || name == "Ge") return a >= b;
  if (name == "LessThan" || name == "Le") return a <= b;
  if (name == "StrictGreaterThan" || name == "Gt") return a > b;
  if (name == "StrictLessThan" || name == "Lt") return a < b;
  return std::nullopt;
}

Polynomial Meta::size_of(const Json& size) const {
  const Tagged t = tagged(size);
  if (t.is("as_int")) return t.value->get<std::int64_t>();
  if (t.is("as_expr")) return expression(t.value->at("expr_str").string());
  return Polynomial::invalid();
}

Facts Meta::facts(const Json& tensor) const {
  Facts facts;
  facts.dtype = dtype_of(tensor.at("dtype").get<std::int64_t>());
  facts.dims.emplace();
  for (const Json& size : tensor.at("sizes")) facts.dims->emplace_back(size_of(size));
  return facts;
}

Facts Meta::facts(const Json& number, Type::Kind type) const {
  const Tagged t = tagged(number);
  if (t.is("as_int")) return ir::facts_of({t.value->get<std::int64_t>()});
  if (t.is("as_float")) return ir::facts_of({t.value->get<double>()});
  if (t.is("as_bool")) return ir::facts_of({t.value->get<bool>()});
  if (t.is("as_expr") && type == Type::Kind::Int) {
    const ir::Dim size = size_of(number);
    if (size.is_fixed()) return ir::facts_of({size.size()});
  }
  if (t.is("as_expr") && type == Type::Kind::Bool && has_sizes())
    if (const auto known = truth(t.value->at("expr_str").string())) return ir::facts_of({*known});
  Facts facts;
  facts.dtype = type == Type::Kind::Bool ? DType::Bool : type == Type::Kind::Float ? DType::Float64 : DType::Int64;
  facts.dims.emplace();
  return facts;
}

bool Meta::is_contiguous(const Json& tensor) const {
  const Json& sizes = tensor.at("sizes");
  const Json& strides = tensor.at("strides");
  if (sizes.size() != strides.size()) return false;
  Polynomial expected = 1;
  for (std::size_t d = sizes.size(); d-- > 0;) {
    const Polynomial size = size_of(sizes[d]);
    const Polynomial stride = size_of(strides[d]);
    if (!size.is_valid() || !stride.is_valid()) return false;
    const bool single = size == 1;
    if (!single && stride != expected) return false;
    expected = expected * size;
  }
  return true;
}

bool Meta::same_strides(const Json& a, const Json& b) const {
  for (const char* part : {"sizes", "strides"}) {
    const Json& x = a.at(part);
    const Json& y = b.at(part);
    if (x.size() != y.size()) return false;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Polynomial p = size_of(x[i]), q = size_of(y[i]);
      if (!p.is_valid() || !q.is_valid() || p != q) return false;
    }
  }
  return true;
}

bool Meta::same_elements(const Json& a, const Json& b) const {
  const auto same = [&](const Json& x, const Json& y) {
    const Polynomial p = size_of(x), q = size_of(y);
    return p.is_valid() && q.is_valid() && p == q;
  };
  const Json& sizes = a.at("sizes");
  if (sizes.size() != b.at("sizes").size() || a.at("dtype") != b.at("dtype") ||
      !same(a.at("storage_offset"), b.at("storage_offset")))
    return false;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (!same(sizes[d], b.at("sizes")[d])) return false;
    const bool single = size_of(sizes[d]) == 1;
    if (!single && !same(a.at("strides").at(d), b.at("strides").at(d))) return false;
  }
  return true;
}

Sizes Meta::sizes(const Json& all) const {
  Sizes all_sizes;
  for (const Json& size : all) all_sizes.push_back(size_of(size));
  return all_sizes;
}

std::optional<std::int64_t> Meta::offset(const Json& tensor) const {
  const ir::Dim begin = size_of(tensor.at("storage_offset"));
  return begin.is_fixed() ? std::optional(begin.size()) : std::nullopt;
}

namespace {

// True if the tensor is, or is a view of, a tensor that is a view only at some dynamic sizes: the document has its
// strides at the other sizes.
bool has_other_strides(const ir::Value* value) {
  for (const ir::Node* node = value->node(); node && node->schema() && node->input_count() > 0;
       node = node->input()->node()) {
    if (node->attribute("view_cases")) return true;
    const auto& returns = node->schema()->returns;
    const bool may_be_view =
        !returns.empty() && (!returns[0].alias_set.empty() || aten::may_alias(aten::traits_of(*node)));
    if (!may_be_view) return false;
  }
  return false;
}

}  // namespace

void note_memory(ir::Node& node, const Meta& meta, const Json& argument, const Json& result) {
  const aten::Traits& traits = aten::traits_of(node);
  if (!traits.reads_memory && !aten::may_alias(traits)) return;
  const bool has_own_strides = !has_other_strides(node.input());
  if (traits.reads_memory) {
    const auto begin = meta.offset(argument);
    node.set_attribute("memory_offset",
                       begin && has_own_strides && meta.is_contiguous(argument) ? *begin : std::int64_t{-1});
  }
  const auto note = [&](bool shares) { node.set_attribute("shares_memory", static_cast<std::int64_t>(shares)); };
  const auto note_cases = [&](const std::optional<ViewCases>& cases) {
    if (!cases) return;
    if (cases->is_always() || cases->is_never()) return note(cases->is_always());
    node.set_attribute("view_symbols", cases->symbols);
    node.set_attribute("view_cases", cases->cases);
  };
  const auto sizes = [&] { return meta.sizes(argument.at("sizes")); };
  const auto strides = [&] { return meta.sizes(argument.at("strides")); };
  const auto is_true = [&](const char* name) { return ir::constant_truth(node.input(name)).value_or(false); };
  if (traits.alias == aten::Alias::SometimesSame) {
    const auto gives_itself = aten::gives_itself(node);
    if (gives_itself == false) note(false);
    if (gives_itself != true || (traits.layout_only && !has_own_strides) || aten::training_flag(node) ||
        is_true("copy") || argument.at("dtype") != result.at("dtype") || argument.at("device") != result.at("device") ||
        argument.at("layout") != result.at("layout"))
      return;
    if (meta.same_strides(argument, result)) return note(true);
    if (!traits.layout_only) return;
    note_cases(meta.is_contiguous(result) ? contiguous_cases(sizes(), strides())
                                          : strided_cases(sizes(), strides(), meta.sizes(result.at("strides"))));
  } else if (traits.alias == aten::Alias::SometimesView && has_own_strides) {
    if (meta.is_contiguous(argument)) return note(true);
    note_cases(view_cases(sizes(), strides(), meta.sizes(result.at("sizes"))));
  }
}

}  // namespace tonnx::exported
