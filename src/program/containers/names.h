#pragma once

#include <unordered_set>
#include <vector>

#include "ir/graph.h"

namespace tonnx::program {

// Containers that may become one another, in the order in which they are found.
class Names {
 public:
  void add(ir::Value* name) {
    if (is_known_.insert(name).second) all_.push_back(name);
  }
  // Returns false, and adds some of the values, if one has another type than `like`.
  bool add_all(const std::vector<ir::Value*>& values, const ir::Value& like) {
    for (ir::Value* value : values) {
      if (value->type() != like.type()) return false;
      add(value);
    }
    return true;
  }

  // Calls `visit(name)` for each name, also for those that it adds. Stops, and returns false, if it returns false.
  template <class Visit>
  bool visit_all(const Visit& visit) {
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (!visit(*all_[i])) return false;
    return true;
  }

  bool contains(const ir::Value* value) const { return is_known_.contains(value); }
  const std::vector<ir::Value*>& all() const { return all_; }

 private:
  std::vector<ir::Value*> all_;
  std::unordered_set<const ir::Value*> is_known_;
};

}  // namespace tonnx::program
