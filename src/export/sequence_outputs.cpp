#include "export/sequence_outputs.h"

#include <algorithm>

#include "program/containers/outputs.h"

namespace tonnx::exporting {

void join_output_lists(ir::RawProgram& program) {
  ir::Graph& graph = *program.graph;
  std::vector<ir::Value*> outputs(graph.outputs().begin(), graph.outputs().end());
  for (auto list = program.output_lists.rbegin(); list != program.output_lists.rend(); ++list) {
    const auto first = static_cast<std::ptrdiff_t>(list->first);
    const auto end = first + static_cast<std::ptrdiff_t>(list->count);
    const std::vector<ir::Value*> items(outputs.begin() + first, outputs.begin() + end);
    ir::Node* whole = graph.create("prim::ListConstruct", items, 1);
    whole->output()->set_type(ir::Type::list(ir::Type::of(ir::Type::Kind::Tensor)));
    graph.block().append(whole);
    outputs.erase(outputs.begin() + first, outputs.begin() + end);
    outputs.insert(outputs.begin() + first, whole->output());
    std::vector<std::string>& names = program.output_names;
    names.erase(names.begin() + first, names.begin() + end);
    names.insert(names.begin() + first, list->name);
  }
  graph.block().return_node()->remove_inputs();
  for (ir::Value* output : outputs) graph.block().add_output(output);
  program::keep_output_lists(graph);
}

void warn_of_empty_lists(ir::RawProgram& program) {
  if (std::ranges::none_of(program.output_lists, [](const ir::TensorList& list) { return list.count == 0; })) return;
  program.warnings.push_back(program::empty_list_text());
}

}  // namespace tonnx::exporting
