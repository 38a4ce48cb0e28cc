#pragma once

#include <utility>

namespace tonnx::torch {

// Gives a variable another value for as long as it lives.
template <class T>
class Exchange {
 public:
  Exchange(T& variable, T value) : variable_(variable), before_(std::exchange(variable, std::move(value))) {}
  ~Exchange() { variable_ = std::move(before_); }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

 private:
  T& variable_;
  T before_;
};

}  // namespace tonnx::torch
