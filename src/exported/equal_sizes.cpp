#include "exported/equal_sizes.h"

#include <set>

#include "exported/expression.h"

namespace tonnx::exported {
namespace {

constexpr std::string_view kAttention = "torch.ops.aten.scaled_dot_product_attention.default";

class Names {
 public:
  explicit Names(const Json& graph) : values_(graph.at("tensor_values")) {}

  // Unites the sizes of an axis, counted from the last one, of two arguments.
  void unite(const Json& node, std::string_view one, std::string_view other, std::size_t from_last) {
    const ir::Polynomial difference = size(node, one, from_last) - size(node, other, from_last);
    const std::set<std::string> symbols = difference.symbols();
    if (symbols.size() != 2) return;
    const std::string& first = *symbols.begin();
    const std::string& second = *symbols.rbegin();
    const ir::Polynomial apart = ir::Polynomial::symbol(first) - ir::Polynomial::symbol(second);
    if (difference != apart && ir::Polynomial(0) - difference != apart) return;
    for (auto& [symbol, name] : names_)
      if (name == second) name = first;
    names_[second] = first;
  }

  std::map<std::string, std::string> take() { return std::move(names_); }

 private:
  // Not valid if the size is unknown.
  ir::Polynomial size(const Json& node, std::string_view argument, std::size_t from_last) const {
    for (const Json& input : node.at("inputs")) {
      if (input.at("name").string() != argument) continue;
      const Tagged tensor = tagged(input.at("arg"));
      if (!tensor.is("as_tensor")) break;
      const Json& sizes = values_.at(tensor.value->at("name").string()).at("sizes");
      if (sizes.size() < from_last) break;
      const Tagged size = tagged(sizes[sizes.size() - from_last]);
      if (size.is("as_expr")) return parse_expression(size.value->at("expr_str").string(), names_);
      break;
    }
    return ir::Polynomial::invalid();
  }

  const Json& values_;
  std::map<std::string, std::string> names_;
};

}  // namespace

std::map<std::string, std::string> equal_sizes(const Json& graph) {
  Names names(graph);
  for (const Json& node : graph.at("nodes")) {
    if (node.at("target").string() != kAttention) continue;
    names.unite(node, "key", "value", 2);
    names.unite(node, "query", "key", 1);
  }
  return names.take();
}

}  // namespace tonnx::exported
