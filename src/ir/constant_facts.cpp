#include "ir/constant_facts.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "ir/graph.h"

namespace tonnx::ir {

Facts facts_of(Constant constant) {
  Facts facts;
  if (const Tensor* tensor = constant.get<Tensor>()) {
    facts.dtype = tensor->dtype;
    facts.dims.emplace(tensor->dims.begin(), tensor->dims.end());
  } else if (constant.is_number()) {
    facts.dtype = constant.get<bool>() ? DType::Bool : constant.get<double>() ? DType::Float64 : DType::Int64;
    facts.dims.emplace();
  }
  facts.constant = std::make_shared<const Constant>(std::move(constant));
  return facts;
}

namespace {

// 0.0 and -0.0 differ; all NaNs are equal.
bool same_number(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

bool same_number(const std::complex<double>& a, const std::complex<double>& b) {
  return same_number(a.real(), b.real()) && same_number(a.imag(), b.imag());
}

}  // namespace

bool same_constant(const Constant& a, const Constant& b) {
  if (a.value.index() != b.value.index()) return false;
  if (const auto* t = a.get<Tensor>()) {
    const auto* u = b.get<Tensor>();
    return t->same_view(*u) || (t->storage && u->storage && t->equals(*u));
  }
  const auto same_all = [](const std::vector<Constant>& x, const std::vector<Constant>& y) {
    return x.size() == y.size() && std::equal(x.begin(), x.end(), y.begin(), same_constant);
  };
  if (const auto* l = a.get<Constant::List>()) return same_all(l->items, b.get<Constant::List>()->items);
  if (const auto* l = a.get<Constant::Tuple>()) {
    const auto* m = b.get<Constant::Tuple>();
    return l->names == m->names && same_all(l->items, m->items);
  }
  if (const auto* d = a.get<Constant::Dict>()) {
    const auto& x = d->items;
    const auto& y = b.get<Constant::Dict>()->items;
    return x.size() == y.size() && std::equal(x.begin(), x.end(), y.begin(), [](const auto& p, const auto& q) {
             return same_constant(p.key, q.key) && same_constant(p.value, q.value);
           });
  }
  if (const auto* d = a.get<Constant::Device>()) return d->name == b.get<Constant::Device>()->name;
  if (const auto* v = a.get<bool>()) return *v == *b.get<bool>();
  if (const auto* v = a.get<std::int64_t>()) return *v == *b.get<std::int64_t>();
  if (const auto* v = a.get<double>()) return same_number(*v, *b.get<double>());
  if (const auto* v = a.get<std::complex<double>>()) return same_number(*v, *b.get<std::complex<double>>());
  if (const auto* v = a.get<std::string>()) return *v == *b.get<std::string>();
  return true;  // None
}

bool same_key(const Constant& a, const Constant& b) {
  const auto *x = a.get<double>(), *y = b.get<double>();
  return x && y ? *x == *y : same_constant(a, b);
}

std::optional<std::int64_t> constant_integer(const Value* value) {
  const Constant* constant = value ? value->constant() : nullptr;
  const auto* integer = constant ? constant->get<std::int64_t>() : nullptr;
  return integer ? std::optional(*integer) : std::nullopt;
}

const std::string* constant_text(const Value* value) {
  const Constant* constant = value ? value->constant() : nullptr;
  return constant ? constant->get<std::string>() : nullptr;
}

std::optional<bool> constant_truth(const Value* value) {
  const Constant* constant = value ? value->constant() : nullptr;
  const bool* truth = constant ? constant->get<bool>() : nullptr;
  return truth ? std::optional(*truth) : std::nullopt;
}

bool is_none(const Value* value) {
  return !value || value->type().is(Type::Kind::None) || (value->constant() && value->constant()->is_none());
}

std::optional<std::size_t> item_at(std::int64_t index, std::size_t count) {
  const auto size = static_cast<std::int64_t>(count);
  if (index < 0) index += size;
  return index < 0 || index >= size ? std::nullopt : std::optional(static_cast<std::size_t>(index));
}

}  // namespace tonnx::ir
