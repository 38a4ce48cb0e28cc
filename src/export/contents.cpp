#include "export/contents.h"

#include <utility>

namespace tonnx::exporting {

void count_operators(const ir::Graph& graph, std::map<std::string, std::int64_t>& counts) {
  ir::for_each_node(graph.block(), [&](ir::Node* node) {
    if (!node->is("prim::Constant")) ++counts[node->domain() == "onnx" ? std::string(node->op()) : node->full_name()];
  });
}

Contents contents_of(const std::shared_ptr<const Model>& model) {
  Contents contents;
  count_operators(*model->graph, contents.operators);
  contents.graph = {model, model->graph.get()};
  return contents;
}

Contents contents_of(std::shared_ptr<const ir::Graph> program) {
  Contents contents;
  count_operators(*program, contents.operators);
  contents.graph = std::move(program);
  return contents;
}

Contents contents_of(std::shared_ptr<ir::Graph> program, const std::vector<std::string>& output_names) {
  for (std::size_t i = 0; i < output_names.size() && i < program->outputs().size(); ++i) {
    ir::Value* output = program->outputs()[i];
    if (output->name().empty()) output->set_name(output_names[i]);
  }
  return contents_of(std::shared_ptr<const ir::Graph>(std::move(program)));
}

Contents contents_of(const LoadedProgram& source, const ir::Arguments& args, const Options& options) {
  ir::RawProgram program = raw_program(source, args, options);
  return contents_of(std::move(program.graph), program.output_names);
}

}  // namespace tonnx::exporting
