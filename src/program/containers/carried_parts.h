#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "program/edit.h"

namespace tonnx::program {

// Replaces values by several others, their parts, across branches and loops. The walk visits a program in order. A pass
// enters the parts of each such value at the node that creates it. Every branch and loop then carries the parts beside
// the value itself, which is removed as dead code once it is unused.
class CarriedParts {
 public:
  virtual ~CarriedParts() = default;

 protected:
  using Parts = std::vector<ir::Value*>;

  // True if the value is replaced.
  virtual bool is_whole(const ir::Value& value) const = 0;
  // The types of the parts of such a value, in their order.
  virtual std::vector<ir::Type> part_types(const ir::Value& value) const = 0;
  // Called for each node that is neither a branch nor a loop.
  virtual void rewrite(ir::Node& node) = 0;
  // The parts of a value that becomes `whole`: one that a branch yields, or that a loop iteration begins or ends with.
  // `insert` inserts nodes at that position.
  virtual Parts parts_of(ir::Value& value, const ir::Value& /*whole*/, Inserter& /*insert*/) {
    return parts_.at(&value);
  }

  void walk(ir::Block& block);
  bool any_whole(std::span<ir::Value* const> values) const;

  std::unordered_map<const ir::Value*, Parts> parts_;

 private:
  void branch(ir::Node& node);
  void loop(ir::Node& node);
  Parts ends_of(ir::Block& block, std::size_t output, const ir::Value& whole);
};

}  // namespace tonnx::program
