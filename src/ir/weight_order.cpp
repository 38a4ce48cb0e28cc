#include "ir/weight_order.h"

#include <cstddef>
#include <map>
#include <unordered_set>

namespace tonnx::ir {

std::vector<Value*> weights_in_order(const Graph& model) {
  std::map<std::size_t, std::vector<Value*>> of_origin;
  for (Value* w : model.weights()) {
    if (!w->origin()) continue;
    std::vector<Value*>& made = of_origin[w->origin()->weight];
    if (made.empty() || made.front()->origin()->is_changed == w->origin()->is_changed) {
      made.push_back(w);
    } else if (!w->origin()->is_changed) {
      made = {w};
    }
  }
  std::vector<Value*> ordered;
  for (const auto& [place, made] : of_origin) ordered.insert(ordered.end(), made.begin(), made.end());
  return ordered;
}

std::vector<Value*> weights_as_inputs(const Graph& model) {
  std::vector<Value*> all = weights_in_order(model);
  const std::unordered_set<const Value*> ordered(all.begin(), all.end());
  for (Value* weight : model.weights())
    if (!ordered.contains(weight)) all.push_back(weight);
  return all;
}

}  // namespace tonnx::ir
