// Makes a dynamic string that a loop carries or a list contains an If with a branch for each possible string, where its
// readers need more than its number. sink_readers() moves them into the branches.
//
// Needs a program without writes and a few possible strings (possible_strings()). Comparisons are left to
// number_strings(), also the conditions inserted here:
//
//   %s = aten::add(%t, %b)                  %q = aten::eq(%t, %x)
//                                           %u = prim::If(%q)
//                                             block0: -> (%x)
//                                             block1: -> (%y)
//                                           %s = aten::add(%u, %b)
#include <algorithm>
#include <string>
#include <vector>

#include "aten/containers.h"
#include "ir/constant_facts.h"
#include "ir/control_flow.h"
#include "ir/writes.h"
#include "program/edit.h"
#include "program/strings/passes.h"
#include "program/strings/possible_strings.h"
#include "program/strings/spelling.h"

namespace tonnx::program {

using aten::Container;
using ir::Node;
using ir::Type;
using ir::Use;
using ir::Value;

namespace {

constexpr std::size_t kMostStrings = 16;

// True if number_strings() or branch_lookups() handles the reader, or numbers what it builds.
bool takes_number(const Node& reader) {
  if (reader.is("aten::eq") || reader.is("aten::ne")) return true;
  if (is_string(reader.input())) return false;
  switch (aten::traits_of(reader).container) {
    case Container::Contains: return true;
    case Container::Length:
    case Container::Item: return reader.input()->type().is(Type::Kind::List);
    default: return false;
  }
}

bool lists_strings(const Node& node) {
  switch (aten::traits_of(node).container) {
    case Container::List:
    case Container::Concat:
    case Container::Part:
    case Container::Copy: return true;
    default: return false;
  }
}

// True if the use of a string, or of a list of strings, needs the strings themselves.
bool reads_string(const Use& use) {
  const Node& reader = *use.node;
  if (reader.edge_of() || !ir::handed_to(use).empty()) return false;
  if (lists_strings(reader)) return std::ranges::any_of(reader.output()->uses(), reads_string);
  return !takes_number(reader);
}

// A constant for each string; conditions compare the value.
Value* choose(Inserter& insert, Value* value, const std::vector<std::string>& strings, std::size_t index) {
  Value* string = insert.constant({strings[index]});
  if (index + 1 == strings.size()) return string;
  return insert.branch(
      insert.call("aten::eq.str", {value, string}), value->type(), [&](Inserter&) { return string; },
      [&](Inserter& otherwise) { return choose(otherwise, value, strings, index + 1); });
}

bool branch_string(Value& value) {
  if (!is_string(&value) || value.constant() || is_never(&value) || value.node()->is("prim::If")) return false;
  std::vector<Use> readers;
  std::ranges::copy_if(value.uses(), std::back_inserter(readers), reads_string);
  const auto strings = readers.empty() ? std::nullopt : possible_strings(value, kMostStrings);
  if (!strings || strings->empty()) return false;
  Node& maker = *value.node();
  Inserter insert = maker.edge_of() ? Inserter::at_start(*maker.edge_of(), maker.edge_of()->owner()->location())
                                    : Inserter::after(maker);
  Value* chosen = choose(insert, &value, *strings, 0);
  for (const Use& use : readers) use.node->set_input(use.index, chosen);
  return true;
}

bool branch_strings(const ir::Block& block) {
  bool changed = false;
  for (Node* node : block.nodes()) {
    for (Value* out : node->outputs()) changed = branch_string(*out) || changed;
    for (const ir::Block* inner : node->blocks()) {
      for (Value* in : inner->inputs()) changed = branch_string(*in) || changed;
      changed = branch_strings(*inner) || changed;
    }
  }
  return changed;
}

}  // namespace

bool branch_strings(ir::Graph& graph) { return !has_writes(graph) && branch_strings(graph.block()); }

}  // namespace tonnx::program
