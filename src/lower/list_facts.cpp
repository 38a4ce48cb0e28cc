#include "lower/list_facts.h"

#include <unordered_map>
#include <unordered_set>

#include "aten/containers.h"
#include "ir/constant_facts.h"
#include "ir/merge.h"

namespace tonnx::lower {
namespace {

using ir::Facts;
using Items = std::optional<std::vector<Facts>>;

Facts facts_of_item(const ir::Value* item) {
  Facts facts = item->facts();
  facts.constant = nullptr;
  if (item->type().is_scalar()) {
    facts.dtype = number_dtype(item->type(), facts);
    facts.dims.emplace();
  }
  return facts;
}

std::vector<Facts> facts_of_constants(const ir::Constant::List& list) {
  std::vector<Facts> items;
  for (const ir::Constant& item : list.items) {
    items.push_back(ir::facts_of(item));
    items.back().constant = nullptr;
  }
  return items;
}

// Maps the block inputs of loops, of the node under lowering and nested in it, to their loops.
class CarryingLoops {
 public:
  explicit CarryingLoops(const ir::Node& node) {
    add(node);
    for (const ir::Block* block : node.blocks()) for_each_node(*block, [&](const ir::Node* inner) { add(*inner); });
  }
  // Null if the value is not loop-carried.
  const ir::Node* of(const ir::Value* param) const {
    const auto found = loops_.find(param);
    return found == loops_.end() ? nullptr : found->second;
  }

 private:
  void add(const ir::Node& node) {
    if (!node.is("prim::Loop")) return;
    for (const ir::Value* param : node.block(0)->inputs().subspan(1)) loops_.emplace(param, &node);
  }
  std::unordered_map<const ir::Value*, const ir::Node*> loops_;
};

bool same_facts(const Facts& a, const Facts& b) {
  if (a.dtype != b.dtype || a.dims.has_value() != b.dims.has_value()) return false;
  if (!a.dims) return true;
  if (a.dims->size() != b.dims->size()) return false;
  for (std::size_t i = 0; i < a.dims->size(); ++i)
    if (!(*a.dims)[i].same((*b.dims)[i]) && !((*a.dims)[i].is_unknown() && (*b.dims)[i].is_unknown())) return false;
  return true;
}

class StaticItems {
 public:
  explicit StaticItems(const Op& op) : op_(op), loops_(op.node()) {}

  Items of(const ir::Value* list) {
    if (const auto it = assumed_.find(list); it != assumed_.end()) return it->second;
    if (const Lowered* known = op_.lowered(list)) {
      if (known->kind != Lowered::Kind::List) return std::nullopt;
      const ir::Node* made = list->node();
      const bool is_made = made && aten::acts_as(*made, aten::Container::List);
      std::vector<Facts> items;
      for (const Value* item : known->list) {
        if (!item) return std::nullopt;
        // The program's sizes: the model leaves that of a slice of an empty axis open.
        items.push_back(is_made ? facts_of_item(made->input(items.size())) : Facts());
        if (ir::merge(items.back(), item->facts())) items.back() = item->facts();
        items.back().constant = nullptr;
      }
      return items;
    }
    if (const ir::Constant* c = list->constant()) {
      const auto* items = c->get<ir::Constant::List>();
      return items ? Items(facts_of_constants(*items)) : std::nullopt;
    }
    const ir::Node* node = list->node();
    if (const ir::Node* loop = loops_.of(list)) return carried(*loop, list->index() - 1);
    if (!node) return std::nullopt;
    if (aten::acts_as(*node, aten::Container::List)) {
      std::vector<Facts> items;
      for (const ir::Value* item : node->inputs()) items.push_back(facts_of_item(item));
      return items;
    }
    if (aten::acts_as(*node, aten::Container::Copy)) return of(node->input(0));
    if (node->is("prim::If"))
      return joined(of(node->block(0)->outputs()[list->index()]), of(node->block(1)->outputs()[list->index()]));
    if (node->is("prim::Loop")) return carried(*node, list->index());
    return std::nullopt;
  }

 private:
  static Items joined(const Items& a, const Items& b) {
    if (!a || !b || a->size() != b->size()) return std::nullopt;
    std::vector<Facts> items;
    for (std::size_t i = 0; i < a->size(); ++i) items.push_back(ir::join((*a)[i], (*b)[i]));
    return items;
  }

  // Fixpoint: facts only get weaker in each round, so this terminates.
  Items carried(const ir::Node& loop, std::size_t k) {
    const ir::Value* param = loop.block(0)->inputs()[k + 1];
    Items now = of(loop.input(k + 2));
    for (;;) {
      if (!now) return now;
      assumed_[param] = now;
      const Items next = joined(now, of(loop.block(0)->outputs()[k + 1]));
      assumed_.erase(param);
      bool stable = next.has_value();
      for (std::size_t i = 0; stable && i < next->size(); ++i) stable = same_facts((*next)[i], (*now)[i]);
      if (stable || !next) return next;
      now = next;
    }
  }

  const Op& op_;
  CarryingLoops loops_;
  std::unordered_map<const ir::Value*, Items> assumed_;
};

// Joins the facts of all items that the operators building the list insert.
class AnyItem {
 public:
  explicit AnyItem(const Op& op) : op_(op), loops_(op.node()) {}

  std::optional<Facts> of(std::span<const ir::Value* const> lists) {
    std::optional<Facts> items;
    for (const ir::Value* list : lists) {
      items = either(items, of(list));
      seen_.clear();
    }
    return items;
  }

  std::optional<Facts> of(const ir::Value* list) {
    if (!seen_.insert(list).second) return std::nullopt;
    if (const Lowered* known = op_.lowered(list)) return of_lowered(*known);
    if (const ir::Constant* c = list->constant()) {
      const auto* items = c->get<ir::Constant::List>();
      return items ? all(facts_of_constants(*items)) : std::optional(Facts{});
    }
    const ir::Node* node = list->node();
    if (const ir::Node* loop = loops_.of(list))
      return either(of(loop->input(list->index() + 1)), of(loop->block(0)->outputs()[list->index()]));
    if (!node) return Facts{};
    if (aten::acts_as(*node, aten::Container::List)) {
      std::vector<Facts> items;
      for (const ir::Value* item : node->inputs()) items.push_back(facts_of_item(item));
      return all(items);
    }
    if (aten::acts_as(*node, aten::Container::Concat)) return either(of(node->input(0)), of(node->input(1)));
    if (aten::acts_as(*node, aten::Container::Part) || aten::acts_as(*node, aten::Container::Copy))
      return of(node->input(0));
    if (node->is("prim::If"))
      return either(of(node->block(0)->outputs()[list->index()]), of(node->block(1)->outputs()[list->index()]));
    if (node->is("prim::Loop"))
      return either(of(node->input(list->index() + 2)), of(node->block(0)->outputs()[list->index() + 1]));
    return Facts{};
  }

 private:
  // If only one side has a dtype, it is that of both: a sequence has one dtype.
  static std::optional<Facts> either(const std::optional<Facts>& a, const std::optional<Facts>& b) {
    if (!a || !b) return a ? a : b;
    Facts facts = ir::join(*a, *b);
    if (a->dtype == DType::Undefined) facts.dtype = b->dtype;
    if (b->dtype == DType::Undefined) facts.dtype = a->dtype;
    return facts;
  }

  static std::optional<Facts> all(const std::vector<Facts>& items) {
    std::optional<Facts> result;
    for (const Facts& item : items) result = either(result, item);
    return result;
  }

  static std::optional<Facts> of_lowered(const Lowered& known) {
    if (known.kind == Lowered::Kind::Sequence) return known.one->facts();
    std::vector<Facts> items;
    for (const Value* item : known.list)
      if (item) items.push_back(item->facts());
    for (Facts& item : items) item.constant = nullptr;
    return all(items);
  }

  const Op& op_;
  CarryingLoops loops_;
  std::unordered_set<const ir::Value*> seen_;
};

}  // namespace

std::optional<std::vector<Facts>> static_items(const Op& op, const ir::Value* list) { return StaticItems(op).of(list); }

Facts any_item(const Op& op, std::span<const ir::Value* const> lists) {
  return AnyItem(op).of(lists).value_or(Facts{});
}

Facts any_item(const Op& op, const ir::Value* list) { return any_item(op, std::span(&list, 1)); }

DType number_dtype(const ir::Type& type, const ir::Facts& facts) {
  switch (type.kind) {
    case ir::Type::Kind::Int: return DType::Int64;
    case ir::Type::Kind::Float: return DType::Float64;
    case ir::Type::Kind::Bool: return DType::Bool;
    default: return facts.dtype;
  }
}

DType numbers_in(Op& op, const ir::Value* list) {
  const DType dtype = number_dtype(list->type().elements.at(0), any_item(op, list));
  if (dtype == DType::Undefined) op.refuse("the type of the numbers in a list must be known");
  return dtype;
}

bool is_static(Op& op, const ir::Value* list) {
  const Lowered* known = op.lowered(list);
  return known ? known->kind == Lowered::Kind::List : list->constant() != nullptr;
}

Value* as_sequence(Op& op, const ir::Value* list) {
  const DType dtype = any_item(op, list).dtype;
  if (dtype == DType::Undefined) op.refuse("the dtype of the tensors in a list must be known");
  return op.sequence_of(list, dtype);
}

}  // namespace tonnx::lower
