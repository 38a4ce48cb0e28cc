#include "ir/other_names.h"

#include <utility>

namespace tonnx::ir {

namespace {

std::string key_of(const std::string& name) { return "other_names:" + name; }

}  // namespace

std::vector<std::string> other_names(const Graph& graph, const std::string& name) {
  const auto* names = graph.block().return_node()->attribute_as<std::vector<std::string>>(key_of(name));
  return names ? *names : std::vector<std::string>();
}

void add_other_name(Graph& graph, const std::string& name, std::string other) {
  std::vector<std::string> names = other_names(graph, name);
  names.push_back(std::move(other));
  graph.block().return_node()->set_attribute(key_of(name), std::move(names));
}

}  // namespace tonnx::ir
