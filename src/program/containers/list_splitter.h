#pragma once

#include <unordered_map>
#include <vector>

#include "aten/traits.h"
#include "ir/graph.h"
#include "program/containers/carried_parts.h"

namespace tonnx::program {

// True if the form builds, reads or changes a list by position alone: it never compares items.
bool is_by_position(aten::Container form);

// Splits a list into several, one for each part of its items, if branches or loops change it or it is read at a dynamic
// index.
//
// Needs programs in which such lists are only built, changed, read by index and passed through branches and loops. All
// of them are split, or none. What remains of the old lists is dead.
class ListSplitter : public CarriedParts {
 public:
  // Returns true if any list was split. `takes_outputs`: also splits lists that the program returns.
  bool run(ir::Graph& graph, bool takes_outputs = false);

  // True if the value is a list of such items.
  virtual bool is_list(const ir::Value& value) const = 0;

 protected:
  // True if the type is that of such items.
  virtual bool is_item(const ir::Type& type) const = 0;
  // True if the operand is put into such a list, or taken out of it.
  virtual bool is_item(const ir::Node& node, std::size_t operand) const = 0;
  // The types of the parts of an item, in their order.
  virtual std::vector<ir::Type> types_of(const ir::Type& item) const = 0;
  // The parts of an item, which is of `type` in the list. `insert` inserts the nodes that create them.
  virtual Parts taken_apart(ir::Value& item, const ir::Type& type, Inserter& insert) = 0;
  // The item that has these parts.
  virtual ir::Value* put_together(const Parts& parts, const ir::Type& type, Inserter& insert) = 0;
  // A new part, with the facts of the whole.
  virtual void settle(ir::Value& /*part*/) {}

 private:
  bool is_whole(const ir::Value& value) const final { return is_list(value); }
  std::vector<ir::Type> part_types(const ir::Value& list) const final;
  void rewrite(ir::Node& node) final;

  bool has_list(std::span<ir::Value* const> values) const;
  const ir::Type& item_type(const ir::Node& node) const;
  bool is_by_position(const ir::Node& node) const;
  bool all_known(const ir::Block& block, int depth);
  void receive(ir::Node& node, std::size_t index, const std::vector<ir::Node*>& copies);

  bool takes_outputs_ = false;
  bool needed_ = false;  // a branch, a loop or a dynamic index uses such a list
  std::vector<ir::Node*> gone_;
};

}  // namespace tonnx::program
