#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <stdexcept>
#include <utility>
#include <vector>

#include "ir/graph.h"

// Sets and maps of the values of one graph. Values are numbered, so a look-up hashes nothing.
namespace tonnx::ir {

class ValueSet {
 public:
  // Returns whether the value is new.
  bool insert(const Value& value) {
    const std::size_t id = value.id();
    if (id >= marked_.size()) marked_.resize(std::max(id + 1, 2 * marked_.size()));
    if (marked_[id]) return false;
    return marked_[id] = true;
  }
  bool contains(const Value& value) const { return value.id() < marked_.size() && marked_[value.id()]; }

 private:
  std::vector<bool> marked_;
};

// A map that keeps the order in which values were added, and the addresses of what it holds.
template <class T>
class ValueTable {
 public:
  T& operator[](const Value* value) {
    const std::size_t id = value->id();
    if (id >= places_.size()) places_.resize(std::max(id + 1, 2 * places_.size()));
    if (places_[id] == 0) {
      items_.emplace_back(value, T());
      places_[id] = static_cast<std::uint32_t>(items_.size());
    }
    return items_[places_[id] - 1].second;
  }
  // Null if there is none.
  const T* find(const Value* value) const {
    const std::size_t id = value->id();
    return id < places_.size() && places_[id] != 0 ? &items_[places_[id] - 1].second : nullptr;
  }
  const T& at(const Value* value) const {
    if (const T* found = find(value)) return *found;
    throw std::out_of_range("a value is not in a table");
  }

  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }

 private:
  std::vector<std::uint32_t> places_;  // by the value's number, plus 1; 0: none
  std::deque<std::pair<const Value*, T>> items_;
};

}  // namespace tonnx::ir
