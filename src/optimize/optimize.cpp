#include "optimize/optimize.h"

#include "optimize/passes.h"

namespace tonnx::optimize {

void optimize(ir::Graph& model, const Options& options) {
  constexpr int kRounds = 4;  // each round needs the one before; real models settle in two
  for (int round = 0; round < kRounds; ++round) {
    bool changed = join_views(model);               // before what finds that nothing is left to do
    changed = remove_identities(model) || changed;  // fewer nodes to compare
    changed = drop_expansions(model, options.told_sizes) ||
              changed;  // before folding, which would store each copy of a weight
    changed = broadcast_late(model, options.told_sizes) || changed;  // the same
    changed = fuse_gemm_transposes(model) || changed;  // before folding, which would make a view of the weight
    if (options.dequantise_late) changed = dequantise_late(model) || changed;
    changed = transpose_late(model) || changed;
    changed = share_common_subexpressions(model) || changed;  // before folding: one view a weight
    if (options.fold_constants) changed = fold_constants(model, options.fold_weights) || changed;
    if (options.fold_weights) changed = fold_normalisations(model) || changed;  // after folding, which makes constants
    changed = remove_dead_code(model) || changed;                               // last: what folding left behind
#ifndef NDEBUG
    ir::verify(model, "optimize");
#endif
    if (!changed) break;
  }
  if (!options.integer_constants) store_constants(model);  // last: the passes above read constants where they stand
}

}  // namespace tonnx::optimize
