#include "program/simplify.h"

#include "aten/remove_dead.h"
#include "program/fold_copies.h"

namespace tonnx::program {

namespace {

constexpr int kRounds = 20;  // each round resolves one more level of nesting

}  // namespace

bool simplify(ir::Graph& graph, Raising raising) {
  bool control = false;
  drop_effects(graph);
  aten::remove_dead(graph);
  for (int round = 0; round < kRounds; ++round) {
    bool changed = fold_numbers(graph);
    if (fold_control_flow(graph, raising)) control = changed = true;
    if (fold_handed_on(graph)) control = changed = true;
    if (carry_identities(graph)) control = changed = true;
    if (split_optionals(graph)) control = changed = true;
    if (split_chosen(graph)) control = changed = true;
    if (split_dicts(graph)) changed = true;
    if (open_dicts(graph)) control = changed = true;
    if (tuple_chosen_dicts(graph)) control = changed = true;
    if (tuple_dicts(graph)) changed = true;
    if (split_tuple_lists(graph)) changed = true;
    if (split_tuples(graph)) changed = true;
    if (split_lists(graph)) control = changed = true;
    if (fold_copies(graph)) changed = true;
    if (fold_containers(graph)) changed = true;
    if (fold_dicts(graph)) changed = true;
    if (aten::remove_dead(graph)) changed = true;
    // What the others leave whole.
    if (changed || split_optional_lists(graph)) continue;
    if (!split_rebuilt(graph)) break;
    control = true;
  }
  return control;
}

}  // namespace tonnx::program
