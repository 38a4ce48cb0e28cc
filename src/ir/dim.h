#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "ir/polynomial.h"

namespace tonnx::ir {

// One dimension: fixed, a polynomial of symbols ("batch", "2*batch + 1"), or unknown. A fixed dim allocates nothing;
// copies of a symbolic dim share their polynomial.
class Dim {
 public:
  Dim() = default;                         // unknown
  Dim(std::int64_t size) : size_(size) {}  // negative: unknown
  Dim(Polynomial size);                    // fixed if there is no symbol, unknown if not valid
  static Dim symbol(std::string name) { return Dim(Polynomial::symbol(std::move(name))); }

  bool is_fixed() const { return size_ >= 0; }
  bool is_symbolic() const { return named_ != nullptr; }
  bool is_unknown() const { return !is_fixed() && !is_symbolic(); }
  std::int64_t size() const { return size_; }  // -1 unless fixed
  // Null unless symbolic.
  const Polynomial* polynomial() const { return named_ ? &named_->size : nullptr; }
  // The expression of a symbolic dim, "2*batch + 1"; empty for others.
  const std::string& text() const;

  // True if both are known to be the same size; unknown equals nothing, not even itself.
  bool same(const Dim& other) const;
  bool is_symbol(const std::string& name) const;
  bool mentions(const std::string& symbol) const { return named_ && named_->size.mentions(symbol); }

 private:
  struct Named {
    Polynomial size;
    std::string text;
  };

  std::int64_t size_ = -1;
  std::shared_ptr<const Named> named_;
};

// "4", "2*batch + 1", or `unknown`.
std::string text_of(const Dim& dim, const char* unknown = "?");

}  // namespace tonnx::ir
