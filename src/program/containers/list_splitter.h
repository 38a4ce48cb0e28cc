#pragma once

#include <unordered_map>
#include <vector>

#include "aten/traits.h"
#include "ir/graph.h"
#include "program/containers/carried_parts.h"

namespace tonnx::program {

// True if the operation builds, reads or changes a list by position only, and never compares items.
bool is_by_position(aten::Container operation);

// Base of passes that split a list into several, one for each part of its items, if branches or loops change it or it
// is read at a dynamic index.
//
// Needs a program in which such lists are only built, changed, read by index and passed through branches and loops.
// Splits all of them, or none. The old lists are left as dead code.
class ListSplitter : public CarriedParts {
 public:
  // Returns true if any list was split. `takes_outputs`: also split lists that the program returns.
  bool run(ir::Graph& graph, bool takes_outputs = false);

  // True if the value is a list to split.
  virtual bool is_list(const ir::Value& value) const = 0;

 protected:
  // True if the type is that of the items of such a list.
  virtual bool is_item(const ir::Type& type) const = 0;
  // True if the node stores the operand in such a list.
  virtual bool is_item(const ir::Node& node, std::size_t operand) const = 0;
  // The types of the parts of an item, in order.
  virtual std::vector<ir::Type> types_of(const ir::Type& item) const = 0;
  // Inserts and returns the parts of an item. `type` is the item type of the list.
  virtual Parts split_item(ir::Value& item, const ir::Type& type, Inserter& insert) = 0;
  // Inserts and returns the item of these parts.
  virtual ir::Value* join_item(const Parts& parts, const ir::Type& type, Inserter& insert) = 0;
  // Adjusts the facts of a part, which are copied from the whole.
  virtual void adjust_facts(ir::Value& /*part*/) {}

 private:
  bool is_whole(const ir::Value& value) const final { return is_list(value); }
  std::vector<ir::Type> part_types(const ir::Value& list) const final;
  void rewrite(ir::Node& node) final;

  bool has_list(std::span<ir::Value* const> values) const;
  const ir::Type& item_type(const ir::Node& node) const;
  bool is_by_position(const ir::Node& node) const;
  bool all_known(const ir::Block& block, int depth);
  void replace_output(ir::Node& node, std::size_t index, const std::vector<ir::Node*>& copies);

  bool takes_outputs_ = false;
  bool needed_ = false;              // a branch, a loop or a dynamic index uses such a list
  std::vector<ir::Node*> replaced_;  // nodes to erase
};

}  // namespace tonnx::program
