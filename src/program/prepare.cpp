#include "program/prepare.h"

#include "program/baked.h"
#include "program/clean.h"
#include "program/contract.h"
#include "program/functionalise.h"
#include "program/place.h"

namespace tonnx::program {

namespace {

constexpr int kRounds = 4;  // a folded branch may decide the next; deeper chains stay as branches

void verify_after([[maybe_unused]] const ir::Graph& graph, [[maybe_unused]] const char* pass) {
#ifndef NDEBUG
  verify(graph, pass);
#endif
}

bool has_control_flow(const ir::Graph& graph) {
  bool any = false;
  for_each_node(graph.block(), [&](const ir::Node* node) { any = any || !node->blocks().empty(); });
  return any;
}

bool has_writes(const ir::Graph& graph) {
  bool any = false;
  for_each_node(graph.block(), [&](const ir::Node* node) { any = any || writes(*node); });
  return any;
}

std::vector<std::string> output_names(const ir::Graph& graph) {
  std::vector<std::string> names;
  for (const ir::Value* out : graph.outputs()) names.push_back(out->name());
  return names;
}

void restore_names(ir::Graph& graph, const std::vector<std::string>& names) {
  if (graph.outputs().size() != names.size()) return;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (graph.outputs()[i]->name().empty()) graph.outputs()[i]->set_name(names[i]);
}

}  // namespace

void prepare(ir::Graph& graph, ir::Evaluator& evaluator, std::vector<DynamicAxis> dynamic,
             std::span<const ir::Constant> examples, std::vector<std::string>& warnings) {
  const std::vector<std::string> names = output_names(graph);
  resolve_sizes(graph, dynamic);  // the facts of inputs become symbols

  // Dead code, exceptions and tuples first: all that follows is the cheaper.
  clean(graph);
  verify_after(graph, "clean");
  // Branches and loops that constants decide, before the aliases in them are asked for. Programs without control flow
  // and writes need no facts yet.
  for (int round = 0; round < kRounds && has_control_flow(graph); ++round) {
    infer_facts(graph, evaluator, dynamic, examples);
    if (!clean(graph)) break;
    verify_after(graph, "clean");
  }
  // Functionalising asks for dtypes and for what shares memory.
  if (has_writes(graph)) {
    infer_facts(graph, evaluator, dynamic, examples);
    functionalise(graph);
    verify_after(graph, "functionalise");
    // Without writes lists are what they were built from, and more is dead.
    clean(graph);
    verify_after(graph, "clean");
  }
  // The facts lowering reads: of every value, functional nodes included.
  infer_facts(graph, evaluator, dynamic, examples);
  // What these facts make constant.
  while (clean(graph)) infer_facts(graph, evaluator, dynamic, examples);
  verify_after(graph, "clean");
  check_contract(graph, "clean");
  for (std::string& line : find_baked(graph, dynamic)) warnings.push_back(std::move(line));
  restore_names(graph, names);
}

}  // namespace tonnx::program
