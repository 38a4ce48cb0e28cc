#pragma once

#include <unordered_map>

#include "ir/graph.h"

namespace tonnx::ir {

// Values in groups: each is alone until it is joined with another one.
class ValueGroups {
 public:
  // The same value for all of a group, which one of them is.
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
