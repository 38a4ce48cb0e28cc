#pragma once

#include <string>

#include "ir/graph.h"

namespace tonnx::program {

// A property of a program that only some passes treat (Pass::treats). The values are bits of a Features set.
enum class Feature : unsigned {
  ControlFlow = 1 << 0,  // a node with blocks
  Writes = 1 << 1,       // an operator that writes to an argument
  Identities = 1 << 2,   // `is` or `is not`
  Containers = 1 << 3,   // a value whose type is or contains a list, tuple or dict
  Tuples = 1 << 4,       // ... a tuple
  Dicts = 1 << 5,        // ... a dict
  Nested = 1 << 6,       // ... a container of containers
  Strings = 1 << 7,      // strings that are more than the name of an operator's variant
  Statistics = 1 << 8,   // running statistics that a normalisation writes to although its schema does not say so
};

// A set of features.
class Features {
 public:
  constexpr Features() = default;
  constexpr Features(Feature feature) : bits_(static_cast<unsigned>(feature)) {}

  constexpr bool empty() const { return bits_ == 0; }
  constexpr bool has_any(Features of) const { return (bits_ & of.bits_) != 0; }
  friend constexpr Features operator|(Features a, Features b) {
    a.bits_ |= b.bits_;
    return a;
  }
  constexpr Features& operator|=(Features other) { return *this = *this | other; }
  friend constexpr bool operator==(Features, Features) = default;

  // "control flow, writes"; empty if there is no feature.
  std::string text() const;

 private:
  unsigned bits_ = 0;
};

constexpr Features operator|(Feature a, Feature b) { return Features(a) | Features(b); }

// The features of a program, found in one walk. The walk ends early if it finds one of `any`, and `is_complete` is then
// false.
struct FoundFeatures {
  Features features = {};
  bool is_complete = true;
};
FoundFeatures find_any_feature(const ir::Graph& graph, Features any);
Features find_features(const ir::Graph& graph);

}  // namespace tonnx::program
