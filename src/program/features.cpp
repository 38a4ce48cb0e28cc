#include "program/features.h"

#include <algorithm>
#include <array>
#include <utility>

#include "aten/identity.h"
#include "ir/writes.h"
#include "program/writes/state_writes.h"

namespace tonnx::program {

using ir::Node;
using ir::Type;
using ir::Value;

namespace {

constexpr std::array<std::pair<Feature, const char*>, 9> kNames = {{{Feature::ControlFlow, "control flow"},
                                                                    {Feature::Writes, "writes"},
                                                                    {Feature::Identities, "identity tests"},
                                                                    {Feature::Containers, "containers"},
                                                                    {Feature::Tuples, "tuples"},
                                                                    {Feature::Dicts, "dicts"},
                                                                    {Feature::Nested, "nested containers"},
                                                                    {Feature::Strings, "strings"},
                                                                    {Feature::Statistics, "running statistics"}}};

bool is_container(const Type& type) {
  return type.is(Type::Kind::List) || type.is(Type::Kind::Tuple) || type.is(Type::Kind::Dict);
}

bool has_container(const Type& type) { return is_container(type) || std::ranges::any_of(type.elements, has_container); }

bool has_string(const Type& type) {
  return type.is(Type::Kind::String) || std::ranges::any_of(type.elements, has_string);
}

class Scan {
 public:
  Scan(const ir::Graph& graph, Features any) {
    for (const Value* input : graph.inputs()) note(input->type());
    is_complete_ = !ir::any_node(graph.block(), [&](const Node& node) {
      visit(node);
      return found_.has_any(any);
    });
  }

  FoundFeatures found() const { return {found_, is_complete_}; }

 private:
  void visit(const Node& node) {
    const bool is_constant = node.is("prim::Constant");
    for (const Value* out : node.outputs()) note(out->type(), is_constant);
    if (is_constant) return;
    if (!node.blocks().empty()) found_ |= Feature::ControlFlow;
    for (const ir::Block* block : node.blocks())
      for (const Value* input : block->inputs()) note(input->type());
    if (writes(node)) found_ |= Feature::Writes;
    if (aten::identity_of(node.kind()) != aten::Identity::None) found_ |= Feature::Identities;
    if (writes_unmarked_statistics(node)) found_ |= Feature::Statistics;
    if (!found_.has_any(Feature::Strings) && reads_strings(node)) found_ |= Feature::Strings;
  }

  // True for an operator that computes with strings. For one that returns tensors they only select a variant.
  static bool reads_strings(const Node& node) {
    const auto is_tensor = [](const Value* out) { return out->type().is(Type::Kind::Tensor); };
    return std::ranges::any_of(node.inputs(), [](const Value* in) { return has_string(in->type()); }) &&
           std::ranges::none_of(node.outputs(), is_tensor);
  }

  void note(const Type& type, bool is_constant = false) {
    if (type.is(Type::Kind::Tensor)) return;
    if (!is_constant && has_string(type)) found_ |= Feature::Strings;
    note_containers(type);
  }

  void note_containers(const Type& type) {
    if (is_container(type)) {
      found_ |= Feature::Containers;
      if (std::ranges::any_of(type.elements, has_container)) found_ |= Feature::Nested;
    }
    if (type.is(Type::Kind::Tuple)) found_ |= Feature::Tuples;
    if (type.is(Type::Kind::Dict)) found_ |= Feature::Dicts;
    for (const Type& element : type.elements) note_containers(element);
  }

  Features found_;
  bool is_complete_ = true;
};

}  // namespace

std::string Features::text() const {
  std::string text;
  for (const auto& [feature, name] : kNames)
    if (has_any(feature)) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

FoundFeatures find_any_feature(const ir::Graph& graph, Features any) { return Scan(graph, any).found(); }

Features find_features(const ir::Graph& graph) { return find_any_feature(graph, {}).features; }

}  // namespace tonnx::program
