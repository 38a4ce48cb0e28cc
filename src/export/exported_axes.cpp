#include "export/exported_axes.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "ir/error.h"
#include "ir/observer.h"
#include "program/facts/facts.h"

namespace tonnx::exporting {
namespace {

using ir::Code;
using ir::Dim;
using ir::Error;
using Names = std::map<std::string, ir::Polynomial>;  // new names of the program's symbols

void for_each_value(const ir::Graph& graph, const std::function<void(ir::Value&)>& visit) {
  for (ir::Value* input : graph.inputs()) visit(*input);
  ir::for_each_node(graph.block(), [&](ir::Node* node) {
    for (ir::Value* out : node->outputs()) visit(*out);
    for (const ir::Block* block : node->blocks())
      for (ir::Value* input : block->inputs()) visit(*input);
  });
}

std::string axis_text(const ir::Graph& program, const BoundAxis& axis) {
  return "axis " + std::to_string(axis.axis) + " of '" + program.inputs()[axis.index]->name() + "'";
}

const Dim* dim_of(const ir::Graph& program, const BoundAxis& axis) {
  if (!axis.is_input) return nullptr;
  const auto& dims = program.inputs()[axis.index]->facts().dims;
  return dims ? &dims->at(static_cast<std::size_t>(axis.axis)) : nullptr;
}

Names names_of(const ir::Graph& program, const std::vector<BoundAxis>& axes) {
  Names names;
  std::map<std::string, std::string> owners;  // by new name
  for (const BoundAxis& axis : axes) {
    const Dim* const known = dim_of(program, axis);
    if (!known) continue;
    const Dim& dim = *known;
    if (dim.is_fixed())
      throw Error(Code::Argument, "dynamic " + axis_text(program, axis) +
                                      ": the program was exported with the fixed size " + std::to_string(dim.size()) +
                                      "; export it with dynamic_shapes that make this axis dynamic");
    const std::string* symbol = dim.is_symbolic() ? dim.polynomial()->symbol() : nullptr;
    if (!symbol)
      throw Error(Code::Argument, "dynamic " + axis_text(program, axis) + ": its size is " + text_of(dim, "unknown") +
                                      " in the program, so it cannot have its own symbol");
    const auto [owner, fresh] = owners.try_emplace(axis.symbol, *symbol);
    if (!fresh && owner->second != *symbol)
      throw Error(Code::Argument, "dynamic axis '" + axis.symbol + "' names two sizes of the program, " +
                                      owner->second + " and " + *symbol + ", which may differ");
    const auto [name, first] = names.try_emplace(*symbol, ir::Polynomial::symbol(axis.symbol));
    if (!first && *name->second.symbol() != axis.symbol)
      throw Error(Code::Argument, "dynamic axes '" + *name->second.symbol() + "' and '" + axis.symbol +
                                      "' are the same size in the program, " + *symbol +
                                      "; use the same symbol for both");
  }
  return names;
}

// False for text in PyTorch's file that is not a polynomial, such as "s0//2".
bool is_name(const std::string& symbol) {
  return std::ranges::all_of(symbol, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; });
}

}  // namespace

void drop_fixed_axes(const ir::Graph& program, std::vector<BoundAxis>& axes, std::vector<std::string>& warnings) {
  std::erase_if(axes, [&](const BoundAxis& axis) {
    const Dim* const dim = dim_of(program, axis);
    if (!dim || !dim->is_fixed()) return false;
    const program::InputAxis fixed{axis.index, static_cast<std::size_t>(axis.axis), axis.symbol, dim->size()};
    ir::warn(warnings, ir::Category::Sizes,
             program::fixed_axis_text(fixed, program.inputs()[axis.index]->name(),
                                      "the program was exported with this fixed size"));
    return true;
  });
}

std::vector<InputAxis> sized_axes(const ir::Graph& program) {
  std::vector<InputAxis> axes;
  for (std::size_t i = 0; i < program.inputs().size(); ++i) {
    const auto& dims = program.inputs()[i]->facts().dims;
    for (std::size_t d = 0; dims && d < dims->size(); ++d)
      if (const ir::Polynomial* size = (*dims)[d].polynomial(); size && std::ranges::all_of(size->symbols(), is_name))
        axes.push_back({i, d, (*dims)[d].text(), 0, size->symbol() ? std::nullopt : std::optional(*size)});
  }
  return axes;
}

std::map<std::string, ir::Polynomial> rename_symbols(ir::Graph& program, const std::vector<BoundAxis>& axes) {
  const Names names = names_of(program, axes);
  if (names.empty()) return names;
  std::set<std::string> taken;
  for (const auto& [symbol, name] : names)
    if (*name.symbol() != symbol) taken.insert(*name.symbol());
  for_each_value(program, [&](ir::Value& value) {
    if (!value.facts().dims) return;
    for (Dim& dim : *value.facts().dims) {
      if (!dim.is_symbolic()) continue;
      for (const std::string& symbol : dim.polynomial()->symbols())
        if (!names.contains(symbol) && taken.contains(symbol))
          throw Error(Code::Argument, "dynamic axis '" + symbol + "' is the name of another size of the program");
      dim = dim.polynomial()->with(names);
    }
  });
  return names;
}

}  // namespace tonnx::exporting
