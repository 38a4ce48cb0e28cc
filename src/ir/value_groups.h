#pragma once

#include <unordered_map>

#include "ir/graph.h"

namespace tonnx::ir {

// Disjoint sets of values (union-find); each value starts as its own set.
class ValueGroups {
 public:
  // The representative of the value's set.
  const Value* root(const Value* value) const {
    for (auto up = up_.find(value); up != up_.end(); up = up_.find(value)) value = up->second;
    return value;
  }

  void join(const Value* a, const Value* b) {
    const Value *from = root(a), *to = root(b);
    if (from != to) up_[from] = to;
  }

 private:
  std::unordered_map<const Value*, const Value*> up_;
};

}  // namespace tonnx::ir
