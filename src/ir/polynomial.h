#pragma once

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
  // Substitutes polynomials for symbols, all at once.
  Polynomial with(const std::map<std::string, Polynomial>& sizes) const;
  // The value for symbol names[i] = sizes[i]; nullopt if a symbol has no size or the value does not fit in 64 bits.
  std::optional<std::int64_t> value(std::span<const std::string> names, std::span<const std::int64_t> sizes) const;
  // Products first, the constant last, symbols in alphabetical order.
  std::string text() const;

 private:
  struct Call;

  struct Factor {
    std::string text;                  // a symbol's name
    std::shared_ptr<const Call> call;  // null: a symbol

    bool is_symbol(const std::string& name) const { return !call && text == name; }
    bool operator==(const Factor& other) const { return text == other.text && !call == !other.call; }
    bool operator<(const Factor& other) const { return text != other.text ? text < other.text : !call && other.call; }
    bool mentions(const std::string& symbol) const;
  };

  struct Term {
    std::int64_t factor;
    std::vector<Factor> factors;  // sorted, repeated for powers; empty: the constant

    bool operator==(const Term& other) const = default;
  };

  Polynomial() = default;
  explicit Polynomial(Factor factor) : terms_{{1, {std::move(factor)}}} {}
  void add(std::int64_t factor, std::vector<Factor> factors);

  std::vector<Term> terms_;  // in the order of text(); no coefficient is 0
  bool is_valid_ = true;
};

}  // namespace tonnx::ir
