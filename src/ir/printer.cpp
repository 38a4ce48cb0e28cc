#include "ir/printer.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "ir/control_flow.h"
#include "ir/text.h"

namespace tonnx::ir {
namespace {

constexpr std::int64_t kElements = 16;  // longest tensor printed in full

bool is_torch_dialect(const Node& node) { return node.domain() == "aten" || node.domain() == "prim"; }

std::string tensor_type(DType dtype, const std::optional<std::vector<Dim>>& dims) {
  const std::string name(jit_name(dtype));
  return dims ? name + '(' + comma_list(*dims, [](const Dim& dim) { return text_of(dim, "*"); }) + ')' : name;
}

// The text of an attribute. ONNX stores float attributes in binary32, so they are printed in the shortest form of a
// float.
class AttributeText {
 public:
  explicit AttributeText(bool binary64) : binary64_(binary64) {}

  std::string operator()(std::int64_t v) const { return std::to_string(v); }
  std::string operator()(double v) const { return binary64_ ? format_float(v) : format_float(static_cast<float>(v)); }
  std::string operator()(const std::string& v) const { return quote(v); }
  std::string operator()(const Tensor& v) const { return format_elements(v, kElements); }
  std::string operator()(const TypeAttribute& v) const {
    std::optional<std::vector<Dim>> dims;
    if (v.has_rank) dims.emplace(v.dims.begin(), v.dims.end());
    return tensor_type(v.dtype, dims) + (v.is_sequence ? "[]" : "");
  }
  template <class T>
  std::string operator()(const std::vector<T>& items) const {
    return '[' + comma_list(items, *this) + ']';
  }

 private:
  bool binary64_;
};

// "value=2" for a constant of a program; empty for other nodes, and for None.
std::string constant_text(const Node& node) {
  if (!node.is("prim::Constant") || node.output_count() != 1) return {};
  const Constant* constant = node.output()->constant();
  if (!constant || constant->is_none()) return {};
  const Tensor* tensor = constant->get<Tensor>();
  return "value=" + (tensor ? format_elements(*tensor, kElements) : to_string(*constant));
}

// Printed names: the chosen name, made unique, or a number in order of appearance that is not a chosen name.
class Names {
 public:
  explicit Names(const Graph& graph) {
    each_value(graph, [this](const Value* value) { chosen_.insert(value->name()); });
    each_value(graph, [this](const Value* value) { of(value); });
  }

  const std::string& of(const Value* value) {
    const auto [entry, fresh] = names_.try_emplace(value);
    if (fresh) entry->second = value->name().empty() ? next_number() : unique(value->name());
    return entry->second;
  }

 private:
  template <class Visit>
  static void each_value(const Graph& graph, const Visit& visit) {
    for (const Value* value : graph.inputs()) visit(value);
    for (const Value* value : graph.weights()) visit(value);
    for_each_node(graph.block(), [&](const Node* node) {
      for (const Value* value : node->outputs()) visit(value);
      for (const Block* block : node->blocks())
        for (const Value* value : block->inputs()) visit(value);
    });
  }

  std::string next_number() {
    std::string name;
    do {
      name = std::to_string(next_++);
    } while (chosen_.contains(name));
    return name;
  }

  std::string unique(const std::string& name) {
    if (taken_.insert(name).second) return name;
    for (std::int64_t i = 1;; ++i) {
      std::string other = name + "." + std::to_string(i);
      if (!chosen_.contains(other) && taken_.insert(other).second) return other;
    }
  }

  std::unordered_map<const Value*, std::string> names_;
  std::unordered_set<std::string> chosen_;
  std::unordered_set<std::string> taken_;
  std::int64_t next_ = 0;
};

class Printer {
 public:
  Printer(const Graph& graph, const PrintOptions& options) : names_(graph), options_(options) {}

  void graph(const Graph& graph) {
    out_ += "graph(";
    bool first = true;
    const auto parameter = [&](const Value* value) {
      if (!first) out_ += ",\n      ";
      first = false;
      typed(value);
    };
    for (const Value* value : graph.inputs()) parameter(value);
    for (const Value* value : graph.weights()) parameter(value);
    out_ += "):\n";
    for (const Node* n : graph.block().nodes()) node(*n, 1);
    indent(1);
    out_ += "return (";
    list(graph.outputs());
    out_ += ")\n";
  }

  void node(const Node& node, int depth) {
    indent(depth);
    bool first = true;
    for (const Value* value : node.outputs()) {
      if (!first) out_ += ", ";
      first = false;
      typed(value);
    }
    if (!first) out_ += " = ";
    out_ += node.kind();
    if (const std::string text = print_attributes(node); !text.empty()) out_ += '[' + text + ']';
    out_ += '(';
    list(node.inputs());
    out_ += ')';
    if (options_.node_names && !node.name().empty()) out_ += ' ' + node.name();
    const Location& location = node.location();
    if (options_.scopes && location.scope) out_ += ", scope: " + location.scope->text();
    if (const std::string source = options_.sources ? location.source() : ""; !source.empty()) out_ += " # " + source;
    out_ += '\n';
    for (std::size_t i = 0; i < node.blocks().size(); ++i) block(*node.block(i), i, depth + 1);
  }

  std::string take() { return std::move(out_); }

 private:
  void indent(int depth) { out_.append(static_cast<std::size_t>(depth) * 2, ' '); }

  void typed(const Value* value) { out_ += '%' + names_.of(value) + " : " + print_type(*value); }

  void list(std::span<Value* const> values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i) out_ += ", ";
      out_ += values[i] ? '%' + names_.of(values[i]) : "none";
    }
  }

  void block(const Block& block, std::size_t index, int depth) {
    indent(depth);
    out_ += "block" + std::to_string(index) + '(';
    for (std::size_t i = 0; i < block.inputs().size(); ++i) {
      if (i) out_ += ", ";
      typed(block.inputs()[i]);
    }
    out_ += "):\n";
    for (const Node* n : block.nodes()) node(*n, depth + 1);
    indent(depth + 1);
    out_ += "-> (";
    list(block.outputs());
    out_ += ")\n";
  }

  Names names_;
  const PrintOptions& options_;
  std::string out_;
};

}  // namespace

std::string print(const Graph& graph, const PrintOptions& options) {
  Printer printer(graph, options);
  printer.graph(graph);
  return printer.take();
}

std::string print(const Node& node, const PrintOptions& options) {
  Printer printer(node.graph(), options);
  printer.node(node, 0);
  std::string text = printer.take();
  text.pop_back();
  return text;
}

std::string print_attributes(const Node& node) {
  std::vector<const NamedAttribute*> sorted;
  for (const NamedAttribute& attribute : node.attributes())
    if (attribute.name != kBlockNames) sorted.push_back(&attribute);
  std::ranges::sort(sorted, {}, &NamedAttribute::name);
  const AttributeText value(is_torch_dialect(node));
  const std::string text = comma_list(sorted, [&value](const NamedAttribute* attribute) {
    return attribute->name + '=' + std::visit(value, attribute->value);
  });
  return text.empty() ? constant_text(node) : text;
}

std::string print_type(const Value& value) {
  if (!value.type().is(Type::Kind::Tensor)) return to_string(value.type());
  return tensor_type(value.facts().dtype, value.facts().dims);
}

}  // namespace tonnx::ir
