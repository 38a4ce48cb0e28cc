#pragma once

#include <utility>

namespace tonnx::torch {

// Gives a variable another value for as long as it lives.
template <class T>
class Scoped {
 public:
  Scoped(T& variable, T value) : variable_(variable), before_(std::exchange(variable, std::move(value))) {}
  ~Scoped() { variable_ = std::move(before_); }
  Scoped(const Scoped&) = delete;
  Scoped& operator=(const Scoped&) = delete;

 private:
  T& variable_;
  T before_;
};

}  // namespace tonnx::torch
