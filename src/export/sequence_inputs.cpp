#include "export/sequence_inputs.h"

#include <algorithm>
#include <string>

#include "aten/containers.h"
#include "ir/error.h"
#include "ir/quantised_parts.h"

namespace tonnx::exporting {
namespace {

using ir::Code;
using ir::Dim;
using ir::Error;
using ir::Value;

[[noreturn]] void refuse(const ir::TensorList& list, const std::string& why) {
  throw Error(Code::Argument, "the list '" + list.name + "' cannot be a sequence input: " + why);
}

ir::Facts facts_of_items(const ir::TensorList& list, const std::vector<ir::Tensor>& examples) {
  const ir::Tensor& first = examples.at(list.first);
  ir::Facts facts;
  facts.dtype = first.dtype;
  facts.dims.emplace(first.dims.begin(), first.dims.end());
  for (std::size_t i = 1; i < list.count; ++i) {
    const ir::Tensor& item = examples.at(list.first + i);
    if (item.dtype != first.dtype) refuse(list, "its items in the example have different dtypes");
    if (item.dims.size() != first.dims.size()) refuse(list, "its items in the example have different ranks");
    for (std::size_t d = 0; d < item.dims.size(); ++d)
      if (item.dims[d] != first.dims[d]) (*facts.dims)[d] = Dim();
  }
  return facts;
}

// Importers split a list that is returned unchanged into its items; joins them again.
void join_outputs(ir::RawProgram& program, const ir::TensorList& list) {
  ir::Node& end = *program.graph->block().return_node();
  const auto items = program.graph->inputs().subspan(list.first, list.count);
  for (std::size_t i = 0; i + list.count <= end.input_count(); ++i) {
    if (!std::equal(items.begin(), items.end(), end.inputs().begin() + static_cast<std::ptrdiff_t>(i))) continue;
    ir::Node* whole = program.graph->create("prim::ListConstruct", items, 1);
    whole->output()->set_type(ir::Type::list(ir::Type::of(ir::Type::Kind::Tensor)));
    program.graph->block().prepend(whole);
    end.set_input(i, whole->output());
    for (std::size_t k = list.count; --k > 0;) {
      end.remove_input(i + k);
      program.output_names.erase(program.output_names.begin() + static_cast<std::ptrdiff_t>(i + k));
    }
    std::string& name = program.output_names.at(i);
    name.resize(std::min(name.size(), name.rfind('.')));
  }
}

void join(ir::Graph& graph, const ir::TensorList& list, ir::Facts facts) {
  Value* joined = graph.inputs()[list.first];
  std::vector<ir::Node*> made;  // empty if the list is not read
  for (const ir::Use& use : joined->uses()) made.push_back(use.node);
  const auto is_list = [&](const ir::Node* node) {
    return aten::acts_as(*node, aten::Container::List) && node->input_count() == list.count;
  };
  if (!std::all_of(made.begin(), made.end(), is_list))
    throw Error(Code::Internal, "the list '" + list.name + "' is not built from its items");
  for (ir::Node* node : made) {
    Value* whole = node->output();
    node->remove_inputs();
    whole->replace_uses(joined);
    node->erase();
  }
  for (std::size_t i = list.count; --i > 0;) ir::remove_input(graph, list.first + i);
  joined->set_type(ir::Type::list(ir::Type::of(ir::Type::Kind::Tensor)));
  joined->set_name(list.name);
  joined->set_facts(std::move(facts));
}

}  // namespace

void join_lists(ir::RawProgram& program) {
  for (const ir::TensorList& list : program.lists)
    if (list.count == 0) refuse(list, "it is empty in the example, so its dtype is unknown");
  for (auto list = program.lists.rbegin(); list != program.lists.rend(); ++list) {
    join_outputs(program, *list);
    join(*program.graph, *list, facts_of_items(*list, program.inputs));
  }
}

std::vector<std::size_t> item_counts(const std::vector<ir::TensorList>& lists, std::size_t tensors) {
  std::vector<std::size_t> counts;
  auto list = lists.begin();
  for (std::size_t at = 0; at < tensors || list != lists.end(); at += counts.back()) {
    const bool is_list = list != lists.end() && list->first == at;
    counts.push_back(is_list ? (list++)->count : 1);
  }
  return counts;
}

std::vector<ir::Constant> example_constants(const ir::RawProgram& program) {
  if (program.graph->inputs().size() == program.inputs.size() && program.lists.empty())
    return {program.inputs.begin(), program.inputs.end()};
  std::vector<ir::Constant> examples;
  std::size_t at = 0;
  for (const Value* input : program.graph->inputs()) {
    if (!input->type().is(ir::Type::Kind::List)) {
      examples.emplace_back(program.inputs.at(at++));
      continue;
    }
    const auto list =
        std::find_if(program.lists.begin(), program.lists.end(), [&](const auto& l) { return l.first == at; });
    ir::Constant::List items;
    for (std::size_t i = 0; i < list->count; ++i) items.items.emplace_back(program.inputs.at(at++));
    examples.push_back({std::move(items)});
  }
  return examples;
}

std::vector<program::InputAxis> axes_of_items(const std::vector<program::InputAxis>& axes,
                                              const std::vector<std::size_t>& counts) {
  std::vector<std::size_t> starts{0};
  for (const std::size_t count : counts) starts.push_back(starts.back() + count);
  std::vector<program::InputAxis> flat;
  for (const program::InputAxis& axis : axes)
    for (std::size_t i = 0; i < counts.at(axis.input); ++i) {
      flat.push_back(axis);
      flat.back().input = starts[axis.input] + i;
    }
  return flat;
}

}  // namespace tonnx::exporting
