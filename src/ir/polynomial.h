#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tonnx::ir {

// An integer polynomial of named sizes, "2*batch*rows + rows - 1". Two are equal where they have the same terms, in
// whatever way they were made. Const calls may run concurrently.
class Polynomial {
 public:
  Polynomial(std::int64_t constant);
  static Polynomial symbol(std::string name);

  friend Polynomial operator+(const Polynomial& a, const Polynomial& b);
  friend Polynomial operator-(const Polynomial& a, const Polynomial& b);
  friend Polynomial operator*(const Polynomial& a, const Polynomial& b);
  bool operator==(const Polynomial& other) const = default;

  // False of what a coefficient of 64 bits did not hold, and of all that is made from it.
  bool is_valid() const { return is_valid_; }
  // The number where no symbol stands.
  std::optional<std::int64_t> constant() const;
  // The name where it is one symbol and nothing else; null otherwise.
  const std::string* symbol() const;
  bool mentions(const std::string& symbol) const;
  // The same with another size in place of a symbol.
  Polynomial with(const std::string& symbol, const Polynomial& size) const;
  // The value where symbol names[i] is sizes[i]; nothing for a symbol without a name or a value beyond 64 bits.
  std::optional<std::int64_t> value(std::span<const std::string> names, std::span<const std::int64_t> sizes) const;
  // Products first, the constant last, symbols in alphabetical order.
  std::string text() const;

 private:
  struct Term {
    std::int64_t factor;
    std::vector<std::string> symbols;  // sorted, one as often as it is multiplied; empty: the constant

    bool operator==(const Term& other) const = default;
  };

  Polynomial() = default;
  void add(std::int64_t factor, std::vector<std::string> symbols);

  std::vector<Term> terms_;  // in the order of text(), none of them 0
  bool is_valid_ = true;
};

}  // namespace tonnx::ir
