#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/graph.h"

namespace tonnx::program {

// The texts that a value may be, whatever a run decides. Looks at the graph as it stands; valid as long as no node goes.
class PossibleTexts {
 public:
  explicit PossibleTexts(const ir::Graph& graph);

  // In the order in which they are found; nothing where they are not known, or are more than `most`.
  std::optional<std::vector<std::string>> of(const ir::Value* text, std::size_t most) const;

 private:
  class Search;

  std::unordered_map<const ir::Node*, const ir::Node*> loops_;  // by what makes the values that they carry
};

}  // namespace tonnx::program
