#include "program/strings/possible_strings.h"

#include <algorithm>
#include <unordered_set>

#include "aten/containers.h"
#include "ir/constant_facts.h"
#include "ir/control_flow.h"
#include "program/edit.h"

namespace tonnx::program {

using aten::Container;
using ir::Constant;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

class Search {
 public:
  explicit Search(std::size_t most) : most_(most) {}

  bool collect(const Value* value) {
    if (value->constant()) return collect(*value->constant());
    if (is_never(value) || !seen_.insert(value).second) return true;
    const Node* node = value->node();
    if (!node) return false;
    if (const std::vector<Value*> origins = handed_from(*value); !origins.empty())
      return std::ranges::all_of(origins, [&](const Value* origin) { return collect(origin); });
    if (!aten::acts_as(*node, Container::Item) || !node->input()->type().is(Type::Kind::List)) return false;
    if (const Constant* list = node->input()->constant()) {
      const auto* items = list->get<Constant::List>();
      return items && std::ranges::all_of(items->items, [&](const Constant& item) { return collect(item); });
    }
    const Node* producer = node->input()->node();
    return producer && aten::acts_as(*producer, Container::List) && node->input()->uses().size() == 1 &&
           std::ranges::all_of(producer->inputs(), [&](const Value* item) { return collect(item); });
  }

  std::vector<std::string> found;

 private:
  bool collect(const Constant& constant) {
    const auto* string = constant.get<std::string>();
    if (!string) return false;
    if (std::ranges::find(found, *string) == found.end()) found.push_back(*string);
    return found.size() <= most_;
  }

  const std::size_t most_;
  std::unordered_set<const Value*> seen_;
};

}  // namespace

std::optional<std::vector<std::string>> possible_strings(const Value& value, std::size_t most) {
  Search search(most);
  if (!search.collect(&value)) return std::nullopt;
  return search.found;
}

}  // namespace tonnx::program
