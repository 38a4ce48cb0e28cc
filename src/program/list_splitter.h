#pragma once

#include <unordered_map>
#include <vector>

#include "ir/graph.h"
#include "program/carried_parts.h"

namespace tonnx::program {

// Makes several lists of one, one for each part of its items, where branches or loops change it or a run picks from it.
//
// Needs programs in which such lists are only built, changed, read by position and handed on; all of them are taken
// apart, or none. What is left of the old lists is dead.
class ListSplitter : public CarriedParts {
 public:
  // Whether anything was to be taken apart. `takes_outputs`: lists that the program gives are as well.
  bool run(ir::Graph& graph, bool takes_outputs = false);

  // Whether the value is a list of such items.
  virtual bool is_list(const ir::Value& value) const = 0;

 protected:
  // Whether the type is that of such items.
  virtual bool is_item(const ir::Type& type) const = 0;
  // Whether the operand is put into such a list, or taken out of it.
  virtual bool is_item(const ir::Node& node, std::size_t operand) const = 0;
  // The types of the parts of an item, in their order.
  virtual std::vector<ir::Type> types_of(const ir::Type& item) const = 0;
  // The parts of an item, which is of `type` in the list. They are made where `insert` stands.
  virtual Parts taken_apart(ir::Value& item, const ir::Type& type, Inserter& insert) = 0;
  // The item that has these parts.
  virtual ir::Value* put_together(const Parts& parts, const ir::Type& type, Inserter& insert) = 0;
  // A part that is new, and has the facts of the whole.
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
  bool needed_ = false;  // a branch, a loop or a number of the run has to do with such a list
  std::vector<ir::Node*> gone_;
};

}  // namespace tonnx::program
