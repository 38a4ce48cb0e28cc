#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/graph.h"
#include "program/edit.h"

namespace tonnx::program {

// Numbers tensors, and selects one of several tensors by its number, with nested Ifs. Selections stay flat: if a
// candidate turns out to be selected by a number itself, its own candidates replace it.
class Selections {
 public:
  using Which = std::int64_t;
  using Tensors = std::vector<std::pair<Which, ir::Value*>>;  // in the order of their numbers

  explicit Selections(ir::Graph& graph) : graph_(graph) {}

  Which new_number() { return next_++; }
  void give_number(const ir::Value* tensor, Which number) { numbers_[tensor] = number; }
  Which number_of(const ir::Value* tensor);
  // The number of the tensor as an integer of the program, which dominates all uses of the tensor.
  ir::Value* number_value(ir::Value* tensor);

  // The candidates of a value that select() returned; null for other values.
  const Tensors* tensors_of(const ir::Value* value) const;

  // Inserts the selection of one of `tensors` by `number`. The result has the type and facts of `like`.
  ir::Value* select(Inserter& insert, const ir::Value& like, ir::Value* number, Tensors tensors);
  // Declares that `value` is one of `tensors`, selected by `number`. Replaces it by them in all selections, and its own
  // number by `number`. Other uses of `value` are not changed.
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
