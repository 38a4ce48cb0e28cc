#include "optimize/optimize.h"

#include <string>

#include "ir/observer.h"
#include "optimize/passes.h"

namespace tonnx::optimize {

namespace {

// Runs a pass and returns whether it changed the model.
template <class Pass, class... Settings>
bool run(const char* name, const Pass& pass, ir::Graph& model, Settings... settings) {
  ir::checkpoint();
  const bool changed = pass(model, settings...);
  if (changed) ir::log(ir::Level::Debug, [&] { return std::string("pass ") + name + " changed the model"; });
  return changed;
}

}  // namespace

void optimize(ir::Graph& model, const Options& options) {
  const auto has = [&](ir::Defect defect) { return options.target.has(defect, options.opset); };
  constexpr int kRounds = 4;  // each round depends on the previous one; real models need two
  for (int round = 0; round < kRounds; ++round) {
    bool changed =
        run("join_views", join_views, model);  // before remove_identities, which removes what becomes an identity
    changed = run("remove_identities", remove_identities, model) || changed;  // so that fewer nodes are compared
    changed = run("drop_expansions", drop_expansions, model, options.declared_sizes, !has(ir::Defect::EmptyMatMul)) ||
              changed;  // before folding, which would store each copy of a weight
    changed = run("broadcast_late", broadcast_late, model, options.declared_sizes, !has(ir::Defect::ShortBroadcast)) ||
              changed;  // the same
    changed = run("fuse_gemm_transposes", fuse_gemm_transposes, model) ||
              changed;  // before folding, which would make a view of the weight
    if (has(ir::Defect::DequantiseMove)) changed = run("dequantise_late", dequantise_late, model) || changed;
    if (has(ir::Defect::TransposeFusion)) changed = run("transpose_late", transpose_late, model) || changed;
    changed = run("share_common_subexpressions", share_common_subexpressions, model) ||
              changed;  // before folding: one view for each weight
    if (options.fold_constants)
      changed = run("fold_constants", fold_constants, model, options.fold_weights, options.opset) || changed;
    // after folding, which creates constants
    if (options.fold_weights && options.fold_normalisations)
      changed = run("fold_normalisations", fold_normalisations, model) || changed;
    changed = run("remove_dead_code", remove_dead_code, model) || changed;  // last: removes what folding left unused
#ifndef NDEBUG
    ir::verify(model, "optimize");
#endif
    if (!changed) break;
  }
  if (options.merge_equal_weights) merge_equal_weights(model);  // after folding, which decides what is stored
  if (!options.integer_constants) store_constants(model);       // last: the passes above read Constant nodes
}

}  // namespace tonnx::optimize
