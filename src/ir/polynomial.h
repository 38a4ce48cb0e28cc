#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace tonnx::ir {

// Integer functions that are not polynomials. Division and remainder round as in Python.
enum class SizeFunction { FloorDivide, CeilDivide, Remainder, Max, Min };

// An integer polynomial of symbols, "2*batch*rows + rows - 1", and of functions of such polynomials, "((n)//(2)) + 1".
// Two polynomials are equal if they have the same terms, however they were built. Const calls may run concurrently.
class Polynomial {
 public:
  Polynomial(std::int64_t constant);
  static Polynomial symbol(std::string name);
  // A function of two arguments; of two or more for Max and Min. Not valid if an argument is not valid, or if the
  // function is not defined for constant arguments.
  static Polynomial call(SizeFunction function, std::vector<Polynomial> arguments);
  static Polynomial invalid();

  friend Polynomial operator+(const Polynomial& a, const Polynomial& b);
  friend Polynomial operator-(const Polynomial& a, const Polynomial& b);
  friend Polynomial operator*(const Polynomial& a, const Polynomial& b);
  bool operator==(const Polynomial& other) const = default;

  // False if a coefficient does not fit in 64 bits or a function is not defined, and for everything computed from it.
  bool is_valid() const { return is_valid_; }
  // The value if there is no symbol.
  std::optional<std::int64_t> constant() const;
  // The name if the polynomial is a single symbol; else null.
  const std::string* symbol() const;
  bool mentions(const std::string& symbol) const;
  std::set<std::string> symbols() const;
  // True if a term, the constant included, has a coefficient below 0. Arguments of functions are not searched.
  bool has_negative_term() const;
  // True if a factor is a function of sizes, so that the value need not grow with them.
  bool has_function() const;
  // Substitutes polynomials for symbols, all at once.
  Polynomial with(const std::map<std::string, Polynomial>& sizes) const;
  // The value for symbol names[i] = sizes[i]; nullopt if a symbol has no size or the value does not fit in 64 bits.
  std::optional<std::int64_t> value(std::span<const std::string> names, std::span<const std::int64_t> sizes) const;
  // Products first, the constant last, symbols in alphabetical order. A symbol that is not the whole text is quoted if
  // it could be read as an expression: max("a, b", c).
  std::string text() const;

 private:
  struct Call;

  struct Factor {
    std::string text;                  // a symbol's name, or how the call is printed
    std::shared_ptr<const Call> call;  // null: a symbol

    // By text first, then symbols before calls, then by function and arguments.
    std::strong_ordering operator<=>(const Factor& other) const;
    bool operator==(const Factor& other) const { return (*this <=> other) == 0; }
    bool mentions(const std::string& symbol) const;
  };

  struct Term {
    std::int64_t factor;
    std::vector<Factor> factors;  // sorted, repeated for powers; empty: the constant

    auto operator<=>(const Term& other) const = default;
  };

  Polynomial() = default;
  explicit Polynomial(Factor factor) : terms_{{1, {std::move(factor)}}} {}
  void add(std::int64_t factor, std::vector<Factor> factors);
  std::string text(bool quote) const;
  static std::string text_of(SizeFunction function, const std::vector<Polynomial>& arguments);

  std::vector<Term> terms_;  // in the order of text(); no coefficient is 0
  bool is_valid_ = true;
};

}  // namespace tonnx::ir
