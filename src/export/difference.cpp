#include "export/difference.h"

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <vector>

#include "ir/error.h"
#include "ir/printer.h"
#include "ir/text.h"

namespace tonnx::exporting {
namespace {

using ir::Attribute;
using ir::Block;
using ir::Code;
using ir::Error;
using ir::Node;
using ir::Tensor;
using ir::Value;

constexpr std::int64_t kElements = 8;  // longest tensor that is printed

bool same(const Tensor& a, const Tensor& b) { return a.equals(b); }
bool same(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }
bool same(std::int64_t a, std::int64_t b) { return a == b; }
bool same(const std::string& a, const std::string& b) { return a == b; }
bool same(const ir::TypeAttribute& a, const ir::TypeAttribute& b) {
  return a.dtype == b.dtype && a.has_rank == b.has_rank && a.dims.size() == b.dims.size() &&
         a.is_sequence == b.is_sequence;
}
template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return std::ranges::equal(a, b, [](const T& mine, const T& theirs) { return same(mine, theirs); });
}

bool same(const Attribute& a, const Attribute& b) {
  if (a.index() != b.index()) return false;
  return std::visit([&]<class T>(const T& mine) { return same(mine, std::get<T>(b)); }, a);
}

std::string text_of(const Tensor& tensor) {
  return ir::format_type(tensor.dtype, tensor.dims) + ' ' + ir::format_elements(tensor, kElements);
}

bool is_constant(const Node& node) { return node.is("onnx::Constant"); }

// The elements of a weight or a constant; null for other values.
const Tensor* content(const Value* value) {
  if (value->weight()) return value->weight();
  return is_constant(*value->node()) ? value->node()->attribute_as<Tensor>("value") : nullptr;
}

bool has_own_name(const Value* value) { return value->weight() && !value->has_made_up_name(); }

std::string text_of(const Value* value) {
  if (!value) return "nothing";
  if (const Tensor* tensor = content(value)) return (has_own_name(value) ? value->name() + " " : "") + text_of(*tensor);
  const std::string of =
      value->node()->kind() + (value->index() ? " (its result " + std::to_string(value->index()) + ")" : "");
  return value->name().empty() ? "the result of " + of : value->name();
}

std::string type_of(const Value& input) {
  const ir::Facts& facts = input.facts();
  return std::string(ir::name_of(facts.dtype)) + (facts.dims ? " of rank " + std::to_string(facts.dims->size()) : "");
}

std::string contrast(const std::string& what, const std::string& first, const std::string& second) {
  return what + ": " + first + " in the first, " + second + " in the second";
}

// Compares two graphs node by node; each step returns the first difference, or "".
class Walk {
 public:
  std::string run(const ir::Graph& first, const ir::Graph& second) {
    ir::for_each_node(first.block(), [&](const Node* node) { count_ += !is_constant(*node); });
    return block(first.block(), second.block());
  }

 private:
  std::string block(const Block& first, const Block& second) {
    if (std::string why = inputs(first.inputs(), second.inputs()); !why.empty()) return why;
    const Node *mine = operation(first.first()), *theirs = operation(second.first());
    for (; mine && theirs; mine = operation(mine->next()), theirs = operation(theirs->next()))
      if (std::string why = node(*mine, *theirs); !why.empty()) return why;
    if (mine || theirs) {
      const bool is_graph = !first.owner();
      return report(mine, theirs,
                    std::string(mine ? "the second" : "the first") + (is_graph ? "" : "'s branch or body") +
                        " has no more nodes");
    }
    const std::string why =
        reads(first.outputs(), second.outputs(), first.owner() ? "result of a branch or body" : "output");
    return why.empty() ? why : "the models differ: " + why + '\n';
  }

  // Skips constants; they are compared by the nodes that read them.
  static const Node* operation(const Node* node) {
    while (node && is_constant(*node)) node = node->next();
    return node;
  }

  std::string inputs(std::span<Value* const> first, std::span<Value* const> second) {
    if (first.size() != second.size())
      return "the models differ: " + contrast("inputs", std::to_string(first.size()), std::to_string(second.size())) +
             '\n';
    for (std::size_t i = 0; i < first.size(); ++i) {
      known_[first[i]] = second[i];
      if (type_of(*first[i]) != type_of(*second[i]))
        return "the models differ: " + contrast("input " + first[i]->name(), type_of(*first[i]), type_of(*second[i])) +
               '\n';
    }
    return {};
  }

  std::string node(const Node& first, const Node& second) {
    ++index_;
    if (first.kind() != second.kind()) return report(&first, &second, "different operators");
    if (std::string why = attributes(first, second); !why.empty()) return report(&first, &second, why);
    if (std::string why = reads(first.inputs(), second.inputs(), "input"); !why.empty())
      return report(&first, &second, why);
    if (first.output_count() != second.output_count() || first.blocks().size() != second.blocks().size())
      return report(&first, &second, "different number of results or branches");
    for (std::size_t i = 0; i < first.output_count(); ++i) known_[first.output(i)] = second.output(i);
    for (std::size_t i = 0; i < first.blocks().size(); ++i)
      if (std::string why = block(*first.block(i), *second.block(i)); !why.empty()) return why;
    return {};
  }

  static std::string attributes(const Node& first, const Node& second) {
    for (const auto& [name, value] : first.attributes()) {
      const Attribute* other = second.attribute(name);
      if (!other || !same(value, *other)) return "attribute " + name;
    }
    for (const auto& [name, value] : second.attributes())
      if (!first.attribute(name)) return "attribute " + name;
    return {};
  }

  std::string reads(std::span<Value* const> first, std::span<Value* const> second, const std::string& what) {
    for (std::size_t i = 0; i < std::max(first.size(), second.size()); ++i) {
      const Value* mine = i < first.size() ? first[i] : nullptr;
      const Value* theirs = i < second.size() ? second[i] : nullptr;
      if (!agree(mine, theirs)) return contrast(what + ' ' + std::to_string(i), text_of(mine), text_of(theirs));
    }
    return {};
  }

  bool agree(const Value* first, const Value* second) {
    if (!first || !second) return first == second;
    const auto known = known_.find(first);
    if (known != known_.end()) return known->second == second;
    if (is_constant(*first->node()) && is_constant(*second->node()))
      return attributes(*first->node(), *second->node()).empty();
    const Tensor *mine = content(first), *theirs = content(second);
    if (!mine || !theirs || !same(*mine, *theirs)) return false;
    if (has_own_name(first) && has_own_name(second) && first->name() != second->name()) return false;
    known_[first] = second;
    return true;
  }

  std::string report(const Node* first, const Node* second, const std::string& why) const {
    const auto line = [](const char* which, const Node* node) {
      const std::string text = node ? ir::print(*node, {.sources = true}) : "nothing";
      return which + ir::first_line(text) + '\n';  // without branches
    };
    return "the models differ first at node " + std::to_string(index_ + (first && second ? 0 : 1)) + " of " +
           std::to_string(count_) + ": " + why + '\n' + line("  first:  ", first) + line("  second: ", second);
  }

  std::unordered_map<const Value*, const Value*>
      known_;  // values of the first graph, and the corresponding values of the second
  std::size_t index_ = 0, count_ = 0;
};

}  // namespace

std::string difference(const Model& first, const Model& second) {
  if (first.info.opset != second.info.opset)
    return "the models differ: " +
           contrast("opset", std::to_string(first.info.opset), std::to_string(second.info.opset)) + '\n';
  return Walk().run(*first.graph, *second.graph);
}

std::string export_difference(const LoadedProgram& source, std::span<const ir::Arguments* const> groups,
                              const Options& options, const lower::Registry& registry) {
  if (groups.size() < 2)
    throw Error(Code::Argument, "at least two groups of example inputs are needed for a comparison");
  if (source.traced())
    throw Error(Code::Argument,
                "a trace has its own inputs; trace the code with each group of inputs, and compare the models");
  const auto exported = [&](std::size_t i) {
    try {
      return export_program(source, *groups[i], options, registry);
    } catch (const Error& error) {
      if (i == 0 || error.code() == Code::Callback) throw;
      throw Error(error.code(), "for group " + std::to_string(i + 1) + " of the example inputs: " + error.what(),
                  error.reasons());
    }
  };
  const auto first = exported(0);
  for (std::size_t i = 1; i < groups.size(); ++i)
    if (const std::string text = difference(*first, *exported(i)); !text.empty())
      return "group " + std::to_string(i + 1) + " (the second) compared with group 1 (the first): " + text;
  return {};
}

}  // namespace tonnx::exporting
