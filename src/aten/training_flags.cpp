#include "aten/training_flags.h"

#include <set>

namespace tonnx::aten {

std::string kept_training(const ir::Graph& graph) {
  std::size_t count = 0;
  std::set<std::string> kinds;
  ir::for_each_node(graph.block(), [&](const ir::Node* node) {
    for (const char* name : {"train", "training"}) {
      const ir::Value* flag = node->input(name);
      const bool* known = flag && flag->constant() ? flag->constant()->get<bool>() : nullptr;
      if (!known || !*known) continue;
      ++count;
      kinds.insert(node->kind());
    }
  });
  if (count == 0) return {};
  std::string list;
  for (const std::string& kind : kinds) list += (list.empty() ? "" : ", ") + kind;
  return std::to_string(count) + (count == 1 ? " operator keeps" : " operators keep") +
         " training mode, which the program fixes (" + list + ")";
}

}  // namespace tonnx::aten
