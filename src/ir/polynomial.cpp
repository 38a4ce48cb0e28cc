#include "ir/polynomial.h"

#include <algorithm>
#include <utility>

namespace tonnx::ir {

Polynomial::Polynomial(std::int64_t constant) { add(constant, {}); }

Polynomial Polynomial::symbol(std::string name) {
  Polynomial out;
  out.terms_.push_back({1, {std::move(name)}});
  return out;
}

void Polynomial::add(std::int64_t factor, std::vector<std::string> symbols) {
  const auto comes_before = [](const Term& term, const std::vector<std::string>& other) {
    return term.symbols.size() != other.size() ? term.symbols.size() > other.size() : term.symbols < other;
  };
  const auto at = std::lower_bound(terms_.begin(), terms_.end(), symbols, comes_before);
  if (at == terms_.end() || at->symbols != symbols) {
    if (factor != 0) terms_.insert(at, {factor, std::move(symbols)});
    return;
  }
  if (__builtin_add_overflow(at->factor, factor, &at->factor)) is_valid_ = false;
  if (at->factor == 0) terms_.erase(at);
}

Polynomial operator+(const Polynomial& a, const Polynomial& b) {
  Polynomial out = a;
  out.is_valid_ = a.is_valid_ && b.is_valid_;
  for (const Polynomial::Term& term : b.terms_) out.add(term.factor, term.symbols);
  return out;
}

Polynomial operator-(const Polynomial& a, const Polynomial& b) { return a + b * -1; }

Polynomial operator*(const Polynomial& a, const Polynomial& b) {
  Polynomial out;
  out.is_valid_ = a.is_valid_ && b.is_valid_;
  for (const Polynomial::Term& x : a.terms_)
    for (const Polynomial::Term& y : b.terms_) {
      std::int64_t factor = 0;
      if (__builtin_mul_overflow(x.factor, y.factor, &factor)) out.is_valid_ = false;
      std::vector<std::string> symbols;
      std::merge(x.symbols.begin(), x.symbols.end(), y.symbols.begin(), y.symbols.end(), std::back_inserter(symbols));
      out.add(factor, std::move(symbols));
    }
  return out;
}

std::optional<std::int64_t> Polynomial::constant() const {
  if (terms_.empty()) return 0;
  return terms_.front().symbols.empty() ? std::optional(terms_.front().factor) : std::nullopt;
}

const std::string* Polynomial::symbol() const {
  if (terms_.size() != 1 || terms_[0].factor != 1 || terms_[0].symbols.size() != 1) return nullptr;
  return &terms_[0].symbols[0];
}

bool Polynomial::mentions(const std::string& symbol) const {
  return std::any_of(terms_.begin(), terms_.end(), [&](const Term& term) {
    return std::find(term.symbols.begin(), term.symbols.end(), symbol) != term.symbols.end();
  });
}

Polynomial Polynomial::with(const std::string& symbol, const Polynomial& size) const {
  Polynomial sum;
  sum.is_valid_ = is_valid_;
  for (const Term& term : terms_) {
    Polynomial product(term.factor);
    for (const std::string& own : term.symbols) product = product * (own == symbol ? size : Polynomial::symbol(own));
    sum = sum + product;
  }
  return sum;
}

std::optional<std::int64_t> Polynomial::value(std::span<const std::string> names,
                                              std::span<const std::int64_t> sizes) const {
  std::int64_t sum = 0;
  for (const Term& term : terms_) {
    std::int64_t product = term.factor;
    for (const std::string& symbol : term.symbols) {
      const auto at = std::find(names.begin(), names.end(), symbol);
      if (at == names.end()) return std::nullopt;
      const std::int64_t size = sizes[static_cast<std::size_t>(at - names.begin())];
      if (__builtin_mul_overflow(product, size, &product)) return std::nullopt;
    }
    if (__builtin_add_overflow(sum, product, &sum)) return std::nullopt;
  }
  return sum;
}

std::string Polynomial::text() const {
  std::string out;
  for (const Term& term : terms_) {
    if (out.empty()) {
      if (term.factor < 0) out += '-';
    } else {
      out += term.factor < 0 ? " - " : " + ";
    }
    const std::uint64_t factor = static_cast<std::uint64_t>(term.factor);
    const std::uint64_t magnitude = term.factor < 0 ? -factor : factor;
    if (magnitude != 1 || term.symbols.empty()) out += std::to_string(magnitude);
    for (std::size_t i = 0; i < term.symbols.size(); ++i) {
      if (i > 0 || magnitude != 1) out += '*';
      out += term.symbols[i];
    }
  }
  return out.empty() ? "0" : out;
}

}  // namespace tonnx::ir
