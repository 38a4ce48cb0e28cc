#include <algorithm>
#include <memory>

#include "ir/function_region.h"
#include "torch/convert.h"
#include "torch/graph_import.h"
#include "torch/trace_functions.h"

namespace tonnx::torch {

namespace {

// A name for a tensor that no argument has.
std::string free_name(const std::string& name, std::size_t index, std::size_t count,
                      const std::vector<std::string>& arguments) {
  std::string free = count == 1 ? name : name + "_" + std::to_string(index);
  while (std::ranges::find(arguments, free) != arguments.end()) free += '_';
  return free;
}

}  // namespace

// Imports the beginning or the end of a function that the host named in its recording.
void GraphImport::convert_function_mark(const JitNode& node) {
  const ir::Location where = location(node);
  const bool ends = ends_function(node);
  std::vector<ir::Value*> inputs;
  for (const JitValue* input : node.inputs()) {
    const Imported& known = get(input);
    inputs.push_back(known.value() ? known.value() : materialise(known, where));
  }
  ir::Node* made = emit(ends ? ir::kFunctionEnd : ir::kFunctionBegin, inputs, node.outputs().size(), where);
  const std::vector<std::string> names = ends ? node.ss(c10::Symbol::attr("arguments")) : std::vector<std::string>();
  const std::size_t outputs = ends ? node.outputs().size() : 0, tensors = inputs.size() - outputs - names.size();
  auto schema = std::make_shared<ir::Schema>();
  schema->name = made->kind();
  schema->overload = node.s(c10::attr::name);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    ir::Argument& argument = schema->arguments.emplace_back();
    argument.type = inputs[i]->type();
    if (i < outputs)
      argument.name = free_name("output", i, outputs, names);
    else if (i < outputs + tensors)
      argument.name = free_name("input", i - outputs, tensors, names);
    else
      argument.name = names[i - outputs - tensors];
  }
  schema->returns.resize(node.outputs().size());
  made->set_schema(std::move(schema));
  for (const char* flags : {ir::kRequiresGrad, ir::kSharedOutputs})
    if (const c10::Symbol name = c10::Symbol::attr(flags); node.hasAttribute(name))
      made->set_attribute(flags, std::vector<std::int64_t>(node.is(name)));
  set_results(node, *made);
}

}  // namespace tonnx::torch
