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

// Functions of whole numbers that are no polynomials of them. Division and remainder round as Python's.
enum class SizeFunction { FloorDivide, CeilDivide, Remainder, Max, Min };

// An integer polynomial of named sizes, "2*batch*rows + rows - 1", and of functions of such polynomials, "((n)//(2)) +
// 1". Two are equal where they have the same terms, in whatever way they were made. Const calls may run concurrently.
class Polynomial {
 public:
  Polynomial(std::int64_t constant);
  static Polynomial symbol(std::string name);
  // Of two arguments; Max and Min of two or more. Not valid where one is not, or where they are numbers that the
  // function has no value for.
  static Polynomial call(SizeFunction function, std::vector<Polynomial> arguments);
  static Polynomial invalid();

  friend Polynomial operator+(const Polynomial& a, const Polynomial& b);
  friend Polynomial operator-(const Polynomial& a, const Polynomial& b);
  friend Polynomial operator*(const Polynomial& a, const Polynomial& b);
  bool operator==(const Polynomial& other) const = default;

  // False of what a coefficient of 64 bits did not hold or a function has no value for, and of all that is made from
  // it.
  bool is_valid() const { return is_valid_; }
  // The number where no symbol stands.
  std::optional<std::int64_t> constant() const;
  // The name where it is one symbol and nothing else; null otherwise.
  const std::string* symbol() const;
  bool mentions(const std::string& symbol) const;
  std::set<std::string> symbols() const;
  // The same with other sizes in place of symbols, all at once.
  Polynomial with(const std::map<std::string, Polynomial>& sizes) const;
  // The value where symbol names[i] is sizes[i]; nothing for a symbol without a name or a value beyond 64 bits.
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
    std::vector<Factor> factors;  // sorted, one as often as it is multiplied; empty: the constant

    bool operator==(const Term& other) const = default;
  };

  Polynomial() = default;
  explicit Polynomial(Factor factor) : terms_{{1, {std::move(factor)}}} {}
  void add(std::int64_t factor, std::vector<Factor> factors);

  std::vector<Term> terms_;  // in the order of text(), none of them 0
  bool is_valid_ = true;
};

}  // namespace tonnx::ir
