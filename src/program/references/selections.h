#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/graph.h"
#include "program/edit.h"

namespace tonnx::program {

// Tensors that have numbers, and branches that choose among them by a number. A tensor of which it is found later that
// a number chooses it, too, gives its place to those that it is chosen from, so that no branch chooses of what another
// one has.
class Selections {
 public:
  using Which = std::int64_t;
  using Tensors = std::vector<std::pair<Which, ir::Value*>>;  // in the order of their numbers

  explicit Selections(ir::Graph& graph) : graph_(graph) {}

  Which new_number() { return next_++; }
  void give_number(const ir::Value* tensor, Which number) { numbers_[tensor] = number; }
  Which number_of(const ir::Value* tensor);
  // The number as a value of the program, there wherever the tensor is.
  ir::Value* number_value(ir::Value* tensor);

  // What a value is chosen from that select() gave, and by what; else null.
  const Tensors* tensors_of(const ir::Value* value) const;

  // One of the tensors, with the type and facts of `like`.
  ir::Value* select(Inserter& insert, const ir::Value& like, ir::Value* number, Tensors tensors);
  // Says that `number` chooses `value` from the tensors: it is none of those that others are chosen from any more, and
  // has no number of its own. Other readers keep it.
  void expand(ir::Value* value, ir::Value* number, const Tensors& tensors);

 private:
  struct Selection {
    ir::Value* result;
    ir::Value* number;
    Tensors tensors;
  };

  const Selection* find(const ir::Value* value) const;
  ir::Value* choose(Inserter& insert, const ir::Value& like, ir::Value* number, const Tensors& tensors, std::size_t at);

  ir::Graph& graph_;
  Which next_ = 0;
  std::unordered_map<const ir::Value*, Which> numbers_;
  std::unordered_map<const ir::Value*, ir::Value*> constants_;
  std::vector<Selection> selections_;
};

}  // namespace tonnx::program
