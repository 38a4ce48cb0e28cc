#include "aten/training_flags.h"

#include <algorithm>
#include <set>

#include "ir/constant_facts.h"
#include "ir/text.h"

namespace tonnx::aten {

bool is_training_flag(std::string_view argument) { return argument == "train" || argument == "training"; }

bool is_statistics_flag(std::string_view argument) {
  return is_training_flag(argument) || argument == "use_input_stats";
}

namespace {

const ir::Value* find_argument(const ir::Node& node, bool (*is_wanted)(std::string_view)) {
  const std::size_t count = node.schema() ? std::min(node.input_count(), node.schema()->arguments.size()) : 0;
  for (std::size_t i = 0; i < count; ++i)
    if (is_wanted(node.schema()->arguments[i].name)) return node.input(i);
  return nullptr;
}

}  // namespace

const ir::Value* training_flag(const ir::Node& node) { return find_argument(node, is_training_flag); }

bool takes_own_statistics(const ir::Node& node) {
  if (!find_argument(node, is_statistic)) return false;
  return ir::constant_truth(find_argument(node, is_statistics_flag)).value_or(false);
}

bool is_statistic(std::string_view argument) { return argument == "running_mean" || argument == "running_var"; }

namespace {

// The name that the user knows: a captured program contains the operator that it decomposes into.
std::string written_name(const std::string& kind) {
  constexpr std::string_view kForms[] = {"aten::_batch_norm_with_update", "aten::_batch_norm_with_update_functional",
                                         "aten::_native_batch_norm_legit", "aten::_native_batch_norm_legit_functional",
                                         "aten::native_batch_norm"};
  return std::ranges::find(kForms, kind) == std::end(kForms) ? kind : "aten::batch_norm";
}

// True if the node drops elements with probability 0, which is the same in both modes.
bool drops_nothing(const ir::Node& node) {
  const ir::Value* rate =
      find_argument(node, [](std::string_view argument) { return argument == "dropout" || argument == "p"; });
  const double* number = rate && rate->facts().constant ? rate->facts().constant->get<double>() : nullptr;
  return number && *number == 0;
}

}  // namespace

std::string kept_mode(const ir::Graph& graph, bool training) {
  std::size_t count = 0;
  std::set<std::string> kinds;
  ir::for_each_node(graph.block(), [&](const ir::Node* node) {
    if (ir::constant_truth(training_flag(*node)) != training || drops_nothing(*node)) return;
    ++count;
    kinds.insert(written_name(node->kind()));
  });
  if (count == 0) return {};
  return std::to_string(count) + (count == 1 ? " operator keeps " : " operators keep ") +
         (training ? "training" : "evaluation") + " mode, which is fixed in the program (" + ir::comma_list(kinds) +
         ")";
}

}  // namespace tonnx::aten
