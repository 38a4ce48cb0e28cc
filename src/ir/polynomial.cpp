#include "ir/polynomial.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <iterator>
#include <utility>

#include "ir/checked.h"
#include "ir/text.h"

namespace tonnx::ir {

struct Polynomial::Call {
  SizeFunction function;
  std::vector<Polynomial> arguments;
};

namespace {

// Products of sums with more pairs of terms are not valid: (a + b + c + d + e + f + g + h)**8 is short, but has 6435
// terms.
constexpr std::size_t kMostTerms = 4096;

std::optional<std::int64_t> compute(SizeFunction function, const std::vector<std::int64_t>& x) {
  if (function == SizeFunction::Max) return *std::ranges::max_element(x);
  if (function == SizeFunction::Min) return *std::ranges::min_element(x);
  if (function == SizeFunction::Remainder) return checked_floor_remainder(x[0], x[1]);
  return function == SizeFunction::FloorDivide ? checked_floor_divide(x[0], x[1]) : checked_ceil_divide(x[0], x[1]);
}

// True if a symbol with this name would be read as an expression.
bool reads_as_expression(const std::string& name) {
  return name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) ||
         name.find_first_of(" ,()*/%+-\"") != std::string::npos;
}

std::string quoted(const std::string& name) {
  std::string out = "\"";
  for (const char c : name) out += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return out + '"';
}

}  // namespace

std::string Polynomial::text_of(SizeFunction function, const std::vector<Polynomial>& arguments) {
  const auto quotient = [&](const char* sign) {
    return "((" + arguments[0].text(true) + ")" + sign + "(" + arguments[1].text(true) + "))";
  };
  switch (function) {
    case SizeFunction::FloorDivide: return quotient("//");
    case SizeFunction::CeilDivide: return "ceil" + quotient("/");
    case SizeFunction::Remainder: return quotient("%");
    case SizeFunction::Max:
    case SizeFunction::Min: break;
  }
  return (function == SizeFunction::Max ? "max(" : "min(") +
         comma_list(arguments, [](const Polynomial& argument) { return argument.text(true); }) + ")";
}

Polynomial::Polynomial(std::int64_t constant) { add(constant, {}); }

Polynomial Polynomial::symbol(std::string name) { return Polynomial(Factor{std::move(name), nullptr}); }

Polynomial Polynomial::invalid() {
  Polynomial out;
  out.is_valid_ = false;
  return out;
}

Polynomial Polynomial::call(SizeFunction function, std::vector<Polynomial> arguments) {
  std::vector<std::int64_t> constants;
  for (const Polynomial& argument : arguments) {
    if (!argument.is_valid_) return invalid();
    if (const auto constant = argument.constant()) constants.push_back(*constant);
  }
  if (constants.size() == arguments.size()) {
    const auto value = compute(function, constants);
    return value ? Polynomial(*value) : invalid();
  }
  if (function == SizeFunction::Max || function == SizeFunction::Min)
    std::ranges::sort(arguments, [](const Polynomial& a, const Polynomial& b) {
      const auto by_text = a.text() <=> b.text();
      return by_text != 0 ? by_text < 0 : a.terms_ < b.terms_;
    });
  std::string text = text_of(function, arguments);
  return Polynomial(Factor{std::move(text), std::make_shared<const Call>(function, std::move(arguments))});
}

void Polynomial::add(std::int64_t factor, std::vector<Factor> factors) {
  const auto comes_before = [](const Term& term, const std::vector<Factor>& other) {
    return term.factors.size() != other.size() ? term.factors.size() > other.size() : term.factors < other;
  };
  const auto at = std::lower_bound(terms_.begin(), terms_.end(), factors, comes_before);
  if (at == terms_.end() || at->factors != factors) {
    if (factor != 0) terms_.insert(at, {factor, std::move(factors)});
    return;
  }
  const auto sum = checked_add(at->factor, factor);
  if (!sum) is_valid_ = false;
  at->factor = sum.value_or(at->factor);
  if (at->factor == 0) terms_.erase(at);
}

Polynomial operator+(const Polynomial& a, const Polynomial& b) {
  Polynomial out = a;
  out.is_valid_ = a.is_valid_ && b.is_valid_;
  for (const Polynomial::Term& term : b.terms_) out.add(term.factor, term.factors);
  return out;
}

Polynomial operator-(const Polynomial& a, const Polynomial& b) { return a + b * -1; }

Polynomial operator*(const Polynomial& a, const Polynomial& b) {
  const auto [few, many] = std::minmax({a.terms_.size(), b.terms_.size()});
  if (few > 1 && many > kMostTerms / few) return Polynomial::invalid();
  Polynomial out;
  out.is_valid_ = a.is_valid_ && b.is_valid_;
  for (const Polynomial::Term& x : a.terms_)
    for (const Polynomial::Term& y : b.terms_) {
      const auto factor = checked_multiply(x.factor, y.factor);
      if (!factor) out.is_valid_ = false;
      std::vector<Polynomial::Factor> factors;
      std::ranges::merge(x.factors, y.factors, std::back_inserter(factors), std::less<>());
      out.add(factor.value_or(0), std::move(factors));
    }
  return out;
}

std::optional<std::int64_t> Polynomial::constant() const {
  if (!is_valid_) return std::nullopt;
  if (terms_.empty()) return 0;
  return terms_.front().factors.empty() ? std::optional(terms_.front().factor) : std::nullopt;
}

const std::string* Polynomial::symbol() const {
  if (terms_.size() != 1 || terms_[0].factor != 1 || terms_[0].factors.size() != 1) return nullptr;
  const Factor& factor = terms_[0].factors[0];
  return factor.call ? nullptr : &factor.text;
}

std::strong_ordering Polynomial::Factor::operator<=>(const Factor& other) const {
  if (const auto order = text <=> other.text; order != 0) return order;
  if (!call || !other.call || call == other.call) return static_cast<bool>(call) <=> static_cast<bool>(other.call);
  if (const auto order = call->function <=> other.call->function; order != 0) return order;
  const auto &a = call->arguments, &b = other.call->arguments;
  return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end(),
                                                [](const auto& x, const auto& y) { return x.terms_ <=> y.terms_; });
}

bool Polynomial::Factor::mentions(const std::string& symbol) const {
  if (!call) return text == symbol;
  return std::ranges::any_of(call->arguments, [&](const Polynomial& p) { return p.mentions(symbol); });
}

bool Polynomial::mentions(const std::string& symbol) const {
  return std::ranges::any_of(terms_, [&](const Term& term) {
    return std::ranges::any_of(term.factors, [&](const Factor& factor) { return factor.mentions(symbol); });
  });
}

bool Polynomial::has_negative_term() const {
  return std::ranges::any_of(terms_, [](const Term& term) { return term.factor < 0; });
}

bool Polynomial::has_function() const {
  return std::ranges::any_of(terms_, [](const Term& term) {
    return std::ranges::any_of(term.factors, [](const Factor& factor) { return factor.call != nullptr; });
  });
}

std::set<std::string> Polynomial::symbols() const {
  std::set<std::string> out;
  for (const Term& term : terms_)
    for (const Factor& factor : term.factors) {
      if (!factor.call) {
        out.insert(factor.text);
        continue;
      }
      for (const Polynomial& argument : factor.call->arguments) out.merge(argument.symbols());
    }
  return out;
}

Polynomial Polynomial::with(const std::map<std::string, Polynomial>& sizes) const {
  const auto replaced = [&](const Factor& factor) {
    if (!factor.call) {
      const auto found = sizes.find(factor.text);
      return found == sizes.end() ? Polynomial(factor) : found->second;
    }
    std::vector<Polynomial> arguments;
    for (const Polynomial& argument : factor.call->arguments) arguments.push_back(argument.with(sizes));
    return call(factor.call->function, std::move(arguments));
  };
  Polynomial sum;
  sum.is_valid_ = is_valid_;
  for (const Term& term : terms_) {
    Polynomial product(term.factor);
    for (const Factor& factor : term.factors) product = product * replaced(factor);
    sum = sum + product;
  }
  return sum;
}

std::optional<std::int64_t> Polynomial::value(std::span<const std::string> names,
                                              std::span<const std::int64_t> sizes) const {
  const auto value_of = [&](const Factor& factor) -> std::optional<std::int64_t> {
    if (!factor.call) {
      const auto at = std::ranges::find(names, factor.text);
      return at == names.end() ? std::nullopt : std::optional(sizes[static_cast<std::size_t>(at - names.begin())]);
    }
    std::vector<std::int64_t> arguments;
    for (const Polynomial& argument : factor.call->arguments) {
      const auto value = argument.value(names, sizes);
      if (!value) return std::nullopt;
      arguments.push_back(*value);
    }
    return compute(factor.call->function, arguments);
  };
  std::optional<std::int64_t> sum = 0;
  for (const Term& term : terms_) {
    std::optional<std::int64_t> product = term.factor;
    for (const Factor& factor : term.factors) {
      const auto value = value_of(factor);
      product = value ? checked_multiply(*product, *value) : std::nullopt;
      if (!product) return std::nullopt;
    }
    sum = checked_add(*sum, *product);
    if (!sum) return std::nullopt;
  }
  return sum;
}

std::string Polynomial::text() const { return text(symbol() == nullptr); }

std::string Polynomial::text(bool quote) const {
  std::string out;
  for (const Term& term : terms_) {
    if (out.empty()) {
      if (term.factor < 0) out += '-';
    } else {
      out += term.factor < 0 ? " - " : " + ";
    }
    const auto unsigned_factor = static_cast<std::uint64_t>(term.factor);
    const std::uint64_t magnitude = term.factor < 0 ? -unsigned_factor : unsigned_factor;
    if (magnitude != 1 || term.factors.empty()) out += std::to_string(magnitude);
    for (std::size_t i = 0; i < term.factors.size(); ++i) {
      if (i > 0 || magnitude != 1) out += '*';
      const Factor& factor = term.factors[i];
      out += quote && !factor.call && reads_as_expression(factor.text) ? quoted(factor.text) : factor.text;
    }
  }
  return out.empty() ? "0" : out;
}

}  // namespace tonnx::ir
