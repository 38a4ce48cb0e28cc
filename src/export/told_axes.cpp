#include "export/told_axes.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "ir/error.h"

namespace tonnx::exporting {
namespace {

using ir::Code;
using ir::Dim;
using ir::Error;
using Names = std::map<std::string, std::string>;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Calls `visit` for every word of an expression that may name a symbol, and puts its answers together.
std::string with_words(const std::string& expression, const std::function<std::string(const std::string&)>& visit) {
  std::string out;
  for (std::size_t at = 0; at < expression.size();) {
    if (!is_word(expression[at])) {
      out += expression[at++];
      continue;
    }
    const std::size_t begin = at;
    while (at < expression.size() && is_word(expression[at])) ++at;
    out += visit(expression.substr(begin, at - begin));
  }
  return out;
}

bool is_symbol(const Dim& dim) {
  const std::string& text = dim.expression();
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0]))) return false;
  return std::all_of(text.begin(), text.end(), is_word);
}

void for_each_value(const ir::Graph& graph, const std::function<void(ir::Value&)>& visit) {
  for (ir::Value* input : graph.inputs()) visit(*input);
  ir::for_each_node(graph.block(), [&](ir::Node* node) {
    for (ir::Value* out : node->outputs()) visit(*out);
    for (const ir::Block* block : node->blocks())
      for (ir::Value* input : block->inputs()) visit(*input);
  });
}

std::string place(const ir::Graph& program, const BoundAxis& axis) {
  return "axis " + std::to_string(axis.axis) + " of '" + program.inputs()[axis.index]->name() + "'";
}

Names names_of(const ir::Graph& program, const std::vector<BoundAxis>& axes) {
  Names names;
  std::map<std::string, std::string> owners;  // of the new names
  for (const BoundAxis& axis : axes) {
    if (!axis.is_input) continue;
    const auto& dims = program.inputs()[axis.index]->facts().dims;
    if (!dims) continue;
    const Dim& dim = dims->at(static_cast<std::size_t>(axis.axis));
    if (dim.is_fixed())
      throw Error(Code::Argument, "dynamic " + place(program, axis) + ": the program was exported with the fixed size " +
                                      std::to_string(dim.size()) + " of it; export it with dynamic_shapes that leave it open");
    if (!is_symbol(dim))
      throw Error(Code::Argument, "dynamic " + place(program, axis) + ": its size is " +
                                      (dim.is_unknown() ? "not told" : dim.expression()) +
                                      " in the program, so that it can have no name of its own");
    const auto [owner, fresh] = owners.try_emplace(axis.symbol, dim.expression());
    if (!fresh && owner->second != dim.expression())
      throw Error(Code::Argument, "dynamic axis '" + axis.symbol + "' names two sizes of the program, " + owner->second +
                                      " and " + dim.expression() + ", which may differ");
    const auto [name, first] = names.try_emplace(dim.expression(), axis.symbol);
    if (!first && name->second != axis.symbol)
      throw Error(Code::Argument, "dynamic axes '" + name->second + "' and '" + axis.symbol +
                                      "' are one size in the program, " + dim.expression() + "; give both one name");
  }
  return names;
}

}  // namespace

void name_open_sizes(ir::Graph& program, const std::vector<BoundAxis>& axes) {
  const Names names = names_of(program, axes);
  if (names.empty()) return;
  std::set<std::string> taken;
  for (const auto& [symbol, name] : names)
    if (symbol != name) taken.insert(name);
  for_each_value(program, [&](ir::Value& value) {
    if (!value.facts().dims) return;
    for (Dim& dim : *value.facts().dims) {
      if (!dim.is_symbolic()) continue;
      dim = Dim::symbolic(with_words(dim.expression(), [&](const std::string& word) {
        const auto found = names.find(word);
        if (found != names.end()) return found->second;
        if (taken.contains(word))
          throw Error(Code::Argument, "dynamic axis '" + word + "' has the name of another size of the program");
        return word;
      }));
    }
  });
}

}  // namespace tonnx::exporting
