#include "optimize/optimize.h"

#include "optimize/passes.h"

namespace tonnx::optimize {

void optimize(ir::Graph& model, const Options& options) {
  constexpr int kRounds = 4;  // each round depends on the previous one; real models need two
  for (int round = 0; round < kRounds; ++round) {
    bool changed = join_views(model);               // before remove_identities, which removes what becomes an identity
    changed = remove_identities(model) || changed;  // so that fewer nodes are compared
    changed = drop_expansions(model, options.told_sizes) ||
              changed;  // before folding, which would store each copy of a weight
    changed = broadcast_late(model, options.told_sizes) || changed;  // the same
    changed = fuse_gemm_transposes(model) || changed;  // before folding, which would make a view of the weight
    if (options.dequantise_late) changed = dequantise_late(model) || changed;
    changed = transpose_late(model) || changed;
    changed = share_common_subexpressions(model) || changed;  // before folding: one view for each weight
    if (options.fold_constants) changed = fold_constants(model, options.fold_weights) || changed;
    // after folding, which creates constants
    if (options.fold_weights) changed = fold_normalisations(model) || changed;
    changed = remove_dead_code(model) || changed;  // last: removes what folding left unused
#ifndef NDEBUG
    ir::verify(model, "optimize");
#endif
    if (!changed) break;
  }
  if (!options.integer_constants) store_constants(model);  // last: the passes above read Constant nodes
}

}  // namespace tonnx::optimize
