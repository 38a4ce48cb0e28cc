#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/graph.h"

namespace tonnx::program {

constexpr std::size_t kMostLeaves = 128;   // of a choice
constexpr std::size_t kMostContents = 64;  // leaves of the content of one container

// Represents a loop-carried tensor that a number selects (alias_carried.cpp). Placed before the Loop; output 0 is
// storage that the loop carries, output 1 is the number.
constexpr std::string_view kCarried = "tonnx::carried";

// One of several values, which are leaves of a tree. At run time a node decides: an If by its condition (option 0 if it
// is true, else option 1), kCarried by its number, any other node by its input 1, an index into the options or one of
// the keys of a dict.
template <class T>
struct Choice {
  Choice(T leaf = {}) : one(std::move(leaf)) {}
  Choice(const ir::Node& by, std::vector<Choice> all) : decider(&by), options(std::move(all)) {}

  T one{};                            // of a leaf
  const ir::Node* decider = nullptr;  // null: a leaf
  std::vector<Choice> options;
  std::vector<ir::Value*> keys;  // of the options, if a key decides

  friend bool operator==(const Choice&, const Choice&) = default;
};

// The condition, index or number by which the node decides.
inline ir::Value* decision_of(const ir::Node& decider) {
  return decider.is(kCarried) ? decider.output(1) : decider.input(decider.is("prim::If") ? 0 : 1);
}

// Calls `each(leaf, decider)` for each leaf; `decider` is its innermost one.
template <class T, class Each>
void for_each_leaf(const Choice<T>& choice, const Each& each, const ir::Node* decider = nullptr) {
  if (!choice.decider) each(choice.one, decider);
  for (const Choice<T>& option : choice.options) for_each_leaf(option, each, choice.decider);
}

template <class T>
std::size_t count_leaves(const Choice<T>& choice) {
  std::size_t count = 0;
  for_each_leaf(choice, [&](const T&, const ir::Node*) { ++count; });
  return count;
}

template <class T, class Each>
void for_each_decider(const Choice<T>& choice, const Each& each) {
  if (choice.decider) each(*choice.decider);
  for (const Choice<T>& option : choice.options) for_each_decider(option, each);
}

// The deciders of a path through a tree, each with the index of the option that it takes.
using Path = std::vector<std::pair<const ir::Node*, std::size_t>>;

// The option that a decider takes; null if the path does not have the decider.
template <class T>
const Choice<T>* taken_option(const Choice<T>& choice, const Path& path) {
  const auto taken = std::ranges::find(path, choice.decider, &Path::value_type::first);
  return choice.decider && taken != path.end() ? &choice.options[taken->second] : nullptr;
}

// The choice, reduced for the deciders of a path.
template <class T>
Choice<T> assuming(const Choice<T>& choice, const Path& path) {
  if (const Choice<T>* taken = taken_option(choice, path)) return assuming(*taken, path);
  if (!choice.decider) return choice;
  Choice<T> result(*choice.decider, {});
  result.keys = choice.keys;
  for (const Choice<T>& option : choice.options) result.options.push_back(assuming(option, path));
  return result;
}

// The choice, or its option if all of several options are equal.
template <class T>
Choice<T> simplified(Choice<T> choice) {
  const auto is_first = [&](const Choice<T>& option) { return option == choice.options.front(); };
  return choice.options.size() > 1 && std::ranges::all_of(choice.options, is_first) ? choice.options.front() : choice;
}

// The choice with each leaf replaced by the choice that `each(leaf)` returns, reduced for the deciders of its path.
// Empty if one of these is empty, or if the choice would have too many leaves.
template <class R, class T, class Each>
std::optional<Choice<R>> replace_leaves(const Choice<T>& choice, const Each& each, const Path& path = {}) {
  if (const Choice<T>* taken = taken_option(choice, path)) return replace_leaves<R>(*taken, each, path);
  if (!choice.decider) {
    const std::optional<Choice<R>> replaced = each(choice.one);
    return replaced ? std::optional(assuming(*replaced, path)) : std::nullopt;
  }
  Choice<R> result(*choice.decider, {});
  result.keys = choice.keys;
  std::size_t leaves = 0;
  Path inner = path;
  inner.emplace_back(choice.decider, 0);
  for (std::size_t& taken = inner.back().second; taken < choice.options.size(); ++taken) {
    std::optional<Choice<R>> replaced = replace_leaves<R>(choice.options[taken], each, inner);
    if (!replaced) return std::nullopt;
    leaves += count_leaves(*replaced);
    if (leaves > kMostLeaves) return std::nullopt;
    result.options.push_back(std::move(*replaced));
  }
  return simplified(std::move(result));
}

}  // namespace tonnx::program
