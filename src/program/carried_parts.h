#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "program/edit.h"

namespace tonnx::program {

// Values that a pass replaces by several others, their parts, wherever branches and loops hand them on. The walk goes
// through a program in order: whoever makes such a value enters its parts, and every branch and loop carries them
// beside the value itself, which goes as dead once nobody reads it.
class CarriedParts {
 public:
  virtual ~CarriedParts() = default;

 protected:
  using Parts = std::vector<ir::Value*>;

  // Whether the value is replaced.
  virtual bool is_whole(const ir::Value& value) const = 0;
  // The types of the parts of such a value, in their order.
  virtual std::vector<ir::Type> part_types(const ir::Value& value) const = 0;
  // A node that is no branch and no loop.
  virtual void rewrite(ir::Node& node) = 0;
  // The parts of a value that becomes `whole`: that a branch gives, or a loop begins or ends a turn with; `insert`
  // stands there.
  virtual Parts parts_of(ir::Value& value, const ir::Value& /*whole*/, Inserter& /*insert*/) {
    return parts_.at(&value);
  }

  void walk(ir::Block& block);
  bool any_whole(std::span<ir::Value* const> values) const;

  std::unordered_map<const ir::Value*, Parts> parts_;

 private:
  void branch(ir::Node& node);
  void loop(ir::Node& node);
  void hand_on(ir::Block& block, std::size_t output, const ir::Node& node, std::size_t result);
  template <class Make>
  void add_parts(const ir::Value& value, const Make& make);
};

}  // namespace tonnx::program
