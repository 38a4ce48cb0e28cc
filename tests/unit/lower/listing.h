#pragma once

#include <string>
#include <unordered_map>

#include "ir/graph.h"
#include "ir/text.h"

namespace tonnx::lower::test {

// An ONNX graph in a short form: one line for each node, "%1 = Squeeze[axes=[0]](%x)", blocks in braces, constants
// inline: [1, 2] for int64, 1.5 for float32, double 1.5 for other dtypes. The last line lists the results.
class Listing {
 public:
  static std::string of(const ir::Graph& graph) {
    Listing listing;
    for (const ir::Value* in : graph.inputs()) listing.names_[in] = "%" + in->name();
    for (const ir::Value* in : graph.weights()) listing.names_[in] = "%" + in->name();
    listing.add(graph.block(), "");
    return listing.text_;
  }

 private:
  std::string name(const ir::Value* value) {
    if (const auto found = names_.find(value); found != names_.end()) return found->second;
    if (value->node() && value->node()->is("onnx::Constant") && value->constant())
      return number(*value->constant()->get<ir::Tensor>());
    return names_[value] = "%" + std::to_string(++count_);
  }

  static std::string number(const ir::Tensor& t) {
    const bool plain = t.dtype == ir::DType::Int64 || t.dtype == ir::DType::Float32;
    return (plain ? "" : std::string(ir::name_of(t.dtype)) + " ") + ir::format_elements(t, 16);
  }

  template <class Values>
  std::string names(const Values& values) {
    std::string out;
    for (const ir::Value* v : values) out += (out.empty() ? "" : ", ") + (v ? name(v) : "-");
    return out;
  }

  static std::string attribute(std::int64_t v) { return std::to_string(v); }
  static std::string attribute(double v) { return ir::format_float(v); }
  static std::string attribute(const std::string& v) { return v; }
  static std::string attribute(const ir::Tensor& v) { return number(v); }
  template <class T>
  static std::string attribute(const std::vector<T>& items) {
    std::string out;
    for (const T& item : items) out += (out.empty() ? "" : ", ") + attribute(item);
    return "[" + out + "]";
  }
  template <class T>
  static std::string attribute(const T&) {
    return "...";
  }

  void add(const ir::Block& block, const std::string& indent) {
    for (const ir::Node* node : block.nodes()) {
      if (node->is("onnx::Constant")) continue;
      std::string attributes;
      for (const ir::NamedAttribute& a : node->attributes())
        attributes += (attributes.empty() ? "" : ", ") + a.name + "=" +
                      std::visit([](const auto& v) { return attribute(v); }, a.value);
      const std::string inputs = names(node->inputs());
      std::string blocks;
      for (std::size_t i = 0; i < node->blocks().size(); ++i) {
        const std::string before = std::move(text_);
        text_.clear();
        const std::string params = names(node->block(i)->inputs());
        add(*node->block(i), indent + "  ");
        blocks += " {" + params + "\n" + text_ + indent + "}";
        text_ = before;
      }
      text_ += indent + names(node->outputs()) + " = " +
               (node->domain() == "onnx" ? std::string(node->op()) : node->kind()) +
               (attributes.empty() ? "" : "[" + attributes + "]") + "(" + inputs + ")" + blocks + "\n";
    }
    text_ += indent + "-> " + names(block.outputs()) + "\n";
  }

  std::unordered_map<const ir::Value*, std::string> names_;
  int count_ = 0;
  std::string text_;
};

}  // namespace tonnx::lower::test
