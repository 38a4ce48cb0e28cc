#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "program/edit.h"

namespace tonnx::program {

// Base of passes that replace values by several others, their parts, across branches and loops. The walk visits the
// program in order. The pass sets `parts_` of each such value at the node that creates it. Each branch and loop then
// carries the parts beside the value itself, which dead code elimination removes once it is unused.
class CarriedParts {
 public:
  virtual ~CarriedParts() = default;

 protected:
  using Parts = std::vector<ir::Value*>;

  // True if the value is replaced.
  virtual bool is_whole(const ir::Value& value) const = 0;
  // The types of the parts of a replaced value, in order.
  virtual std::vector<ir::Type> part_types(const ir::Value& value) const = 0;
  // Called for each node that is neither a branch nor a loop.
  virtual void rewrite(ir::Node& node) = 0;
  // The parts of a value that becomes `whole`: a result of a branch, or a value that a loop starts with or passes to
  // the next iteration. `insert` inserts nodes at that position.
  virtual Parts parts_of(ir::Value& value, const ir::Value& /*whole*/, Inserter& /*insert*/) {
    return parts_.at(&value);
  }

  void walk(ir::Block& block);
  bool any_whole(std::span<ir::Value* const> values) const;

  std::unordered_map<const ir::Value*, Parts> parts_;

 private:
  void branch(ir::Node& node);
  void loop(ir::Node& node);
  Parts result_parts(ir::Block& block, std::size_t output, const ir::Value& whole);
};

}  // namespace tonnx::program
