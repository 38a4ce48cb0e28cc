#include "program/possible_texts.h"

#include <algorithm>
#include <unordered_set>

#include "aten/containers.h"
#include "ir/constant_facts.h"
#include "program/edit.h"

namespace tonnx::program {

using aten::Container;
using ir::Constant;
using ir::Node;
using ir::Type;
using ir::Value;

class PossibleTexts::Search {
 public:
  Search(const PossibleTexts& places, std::size_t most) : places_(places), most_(most) {}

  bool adds(const Value* value) {
    if (value->constant()) return adds(*value->constant());
    if (is_never(value) || !seen_.insert(value).second) return true;
    const Node* node = value->node();
    if (!node) return false;
    if (node->is("prim::If")) return adds(node->block(0)->outputs()[value->index()]) && adds(node->block(1)->outputs()[value->index()]);
    if (node->is("prim::Loop")) return adds(node->input(value->index() + 2)) && adds(node->block(0)->outputs()[value->index() + 1]);
    if (const auto loop = places_.loops_.find(node); loop != places_.loops_.end() && value->index() > 0)
      return adds(loop->second->input(value->index() + 1)) && adds(loop->second->block(0)->outputs()[value->index()]);
    if (!aten::acts_as(*node, Container::Item) || !node->input()->type().is(Type::Kind::List)) return false;
    if (const Constant* list = node->input()->constant()) {
      const auto* items = list->get<Constant::List>();
      return items && std::ranges::all_of(items->items, [&](const Constant& item) { return adds(item); });
    }
    const Node* maker = node->input()->node();
    return maker && aten::acts_as(*maker, Container::List) && node->input()->uses().size() == 1 &&
           std::ranges::all_of(maker->inputs(), [&](const Value* item) { return adds(item); });
  }

  std::vector<std::string> found;

 private:
  bool adds(const Constant& constant) {
    const auto* text = constant.get<std::string>();
    if (!text) return false;
    if (std::ranges::find(found, *text) == found.end()) found.push_back(*text);
    return found.size() <= most_;
  }

  const PossibleTexts& places_;
  const std::size_t most_;
  std::unordered_set<const Value*> seen_;
};

PossibleTexts::PossibleTexts(const ir::Graph& graph) {
  for_each_node(graph.block(), [&](const Node* node) {
    if (node->is("prim::Loop")) loops_[node->block(0)->params()] = node;
  });
}

std::optional<std::vector<std::string>> PossibleTexts::of(const Value* text, std::size_t most) const {
  Search search(*this, most);
  if (!search.adds(text)) return std::nullopt;
  return search.found;
}

}  // namespace tonnx::program
