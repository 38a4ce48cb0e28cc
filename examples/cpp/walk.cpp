// Walks a program with branches and a loop, and the model that it becomes: prints graphs, nodes and values.
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "tonnx.hpp"

const char* const kSource = R"(def forward(x, steps: int):
    y = x * 0.5
    if bool(y.sum() > 0.25):
        y = torch.relu(y)
    for i in range(steps):
        y = torch.softmax(y + x, 1)
    return y
)";

class Printer {
 public:
  void graph(const tonnx::Graph& graph, int depth = 0) {
    std::cout << std::string(depth * 2, ' ') << (graph.owner() ? graph.name() : "graph") << "("
              << list(graph.inputs(), ", ", [this](const tonnx::Value& v) { return typed(v); }) << ")\n";
    for (const tonnx::Node& inner : graph.nodes()) node(inner, depth + 1);
    std::cout << std::string(depth * 2 + 2, ' ') << "return";
    for (const tonnx::Value& output : graph.outputs()) std::cout << " " << name(output);
    std::cout << "\n";
  }

 private:
  void node(const tonnx::Node& node, int depth) {
    std::cout << std::string(depth * 2, ' ')
              << list(node.outputs(), ", ", [this](const tonnx::Value& v) { return typed(v); }) << " = " << node.op();
    if (!node.overload().empty()) std::cout << "." << node.overload();
    for (const tonnx::Value& attribute : node.attributes())
      std::cout << " " << attribute.name() << "=" << content(attribute);
    std::cout << "(" << list(node.inputs(), ", ", [this](const tonnx::Value& v) { return name(v); }) << ")";
    if (!node.source().empty()) std::cout << " at " << node.source();
    std::cout << "\n";
    for (const tonnx::Graph& block : node.graphs()) graph(block, depth + 1);
  }

  // Values are numbered in the order in which they are printed.
  std::string name(const tonnx::Value& value) {
    if (!value.get()) return "none";
    return "%" + std::to_string(numbers_.try_emplace(value.get(), numbers_.size()).first->second);
  }

  std::string typed(const tonnx::Value& value) {
    std::string text = name(value) + ": " + value.type();
    if (value.kind() == TONNX_KIND_TENSOR && value.has_rank()) {
      text += " " + tonnx::dtype_name(value.dtype()) + "[";
      for (std::size_t axis = 0; axis < value.rank(); ++axis)
        text += (axis ? " " : "") + (value.dim(axis) < 0 ? value.dim_symbol(axis) : std::to_string(value.dim(axis)));
      text += "]";
    } else if (value.is_constant() && !value.is_none()) {
      text += " " + content(value);
    }
    return text + " (used " + std::to_string(value.uses().size()) + ")";
  }

  // The content of an attribute or of a constant.
  static std::string content(const tonnx::Value& value) {
    switch (value.kind()) {
      case TONNX_KIND_INT: return std::to_string(value.to_int());
      case TONNX_KIND_FLOAT: {
        std::string text = std::to_string(value.to_float());
        return text.substr(0, text.find_last_not_of('0') + 1);
      }
      case TONNX_KIND_BOOL: return value.to_bool() ? "true" : "false";
      case TONNX_KIND_STRING: return "'" + value.to_string() + "'";
      case TONNX_KIND_LIST:
        return list(value.to_ints(), " ", [](std::int64_t number) { return std::to_string(number); });
      default: return value.type();
    }
  }

  template <class Item, class Text>
  static std::string list(const std::vector<Item>& items, const std::string& separator, Text text) {
    std::string all;
    for (const Item& item : items) all += (all.empty() ? "" : separator) + text(item);
    return all;
  }

  std::map<const tonnx_value*, std::size_t> numbers_;
};

int main() try {
  const tonnx::Program program = tonnx::Program::compile(kSource, {}, "net.py");
  const std::vector<float> elements = {1, 2, 3, 4, 5, 6};
  tonnx::Args args;
  args.add(tonnx::Tensor(TONNX_DTYPE_FLOAT32, {2, 3}, elements.data(), elements.size() * sizeof(float))).add_int(2);
  tonnx::Options options;
  options.dynamic_axis("x", 0, "batch");
  const tonnx::Contents of_program = program.contents(args, options);
  const tonnx::Contents of_model = tonnx::export_program(program, args, options).contents();
  Printer().graph(of_program.graph());
  Printer().graph(of_model.graph());
  return 0;
} catch (const std::exception& e) {
  std::cerr << "walk: " << e.what() << "\n";
  return 1;
}
