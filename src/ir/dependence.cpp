#include "ir/dependence.h"

#include <algorithm>
#include <unordered_set>

#include "ir/refusal.h"

namespace tonnx::ir {
namespace {

// Searches backward for the values that determine a node's lowering: scalars, tensors with incomplete facts, and the
// conditions of branches and loops around the node.
class DependenceSearch {
 public:
  explicit DependenceSearch(Dependence& found) : found_(found) {}

  void of(const Node& node, bool with_operands) {
    if (with_operands) operands(node);
    around(node.home());
    while (!open_.empty()) {
      const Value* value = open_.back();
      open_.pop_back();
      visit(*value);
    }
  }

 private:
  static bool is_known(const Value& value) {
    if (value.constant() || value.weight()) return true;
    if (!value.type().is(Type::Kind::Tensor) || value.facts().dtype == DType::Undefined || !value.facts().dims)
      return false;
    return std::ranges::none_of(*value.facts().dims, [](const Dim& dim) { return dim.is_unknown(); });
  }

  void operands(const Node& node) {
    for (const Value* in : node.inputs()) open(in);
  }
  void around(const Block* block) {
    for (; block && block->owner(); block = block->owner()->home()) operands(*block->owner());
  }
  void open(const Value* value) {
    if (!is_known(*value) && seen_.insert(value).second) open_.push_back(value);
  }

  void visit(const Value& value) {
    const Node& node = *value.node();
    if (const Block* block = node.edge_of()) {
      if (const Node* owner = block->owner()) return operands(*owner);
      if (value.type().is_scalar()) note(found_.numbers, value.name());
      return;
    }
    if (value.type().is(Type::Kind::Tensor) && value.facts().dtype == DType::Undefined)
      note(found_.untyped, describe_site(node));
    operands(node);
    around(node.home());
    for (const Block* inner : node.blocks())
      for (const Value* out : inner->outputs()) open(out);
  }

  static void note(std::vector<std::string>& names, const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }

  Dependence& found_;
  std::unordered_set<const Value*> seen_;
  std::vector<const Value*> open_;
};

}  // namespace

Dependence dependence_of(const Graph& program, const Error& refused) {
  Dependence found;
  DependenceSearch search(found);
  for_each_node(program.block(), [&](const Node* node) {
    const Reason own = reason_of(*node, {});
    for (const Reason& reason : refused.reasons())
      // An operator without a lowering is refused whatever its operands are.
      if (reason.op == own.op && reason.module == own.module && reason.source == own.source)
        search.of(*node, reason.missing == Missing::No);
  });
  return found;
}

}  // namespace tonnx::ir
