// Lists of objects that the program creates. The import knows all items of such a list, and each item is tracked
// separately. Nodes that change it must be in its own block; loops over it with a known trip count are unrolled. Also
// dicts of objects in a module.
#include <algorithm>

#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "ir/error.h"
#include "torch/convert.h"
#include "torch/graph_import.h"

namespace tonnx::torch {

using aten::Container;
using ir::Code;
using ir::Error;

namespace {

constexpr std::int64_t kMostIterations = 64;  // limit of an unrolled loop

}  // namespace

// The class of the items of a list; null for other types, modules, classes of libraries and objects that are values.
const c10::ClassType* GraphImport::class_in(const c10::Type& type) const {
  const auto* list = type.castRaw<c10::ListType>();
  const auto* held = list ? list->getElementType()->castRaw<c10::ClassType>() : nullptr;
  return held && !held->is_module() && library_class(*held).empty() && !is_value(*held) ? held : nullptr;
}

bool GraphImport::has_object_list(const JitBlock& block) const {
  return std::ranges::any_of(block.nodes(), [&](const JitNode* node) {
    return std::ranges::any_of(node->inputs(),
                               [&](const JitValue* value) { return class_in(*value->type()) != nullptr; }) ||
           std::ranges::any_of(node->blocks(), [&](const JitBlock* inner) { return has_object_list(*inner); });
  });
}

bool GraphImport::convert_object_list(const JitNode& node) {
  if (node.kind() == c10::prim::ListConstruct && class_in(*node.output()->type())) {
    const auto list = std::make_shared<ObjectList>();
    for (const JitValue* item : node.inputs()) {
      if (!get(item).local()) return false;
      list->items.push_back(get(item));
    }
    list->type = node.output()->type();
    list->home = block_;
    set(node.output(), list);
    return true;
  }
  ObjectList* list = node.inputs().empty() ? nullptr : get(node.input(0)).objects();
  if (!list) return false;
  const Container form = aten::traits_of(node.kind().toQualString()).container;
  if (form == Container::Length) {
    set(node.output(), c10::IValue(static_cast<std::int64_t>(list->items.size())));
    return true;
  }
  const Imported* index = node.inputs().size() > 1 ? &get(node.input(1)) : nullptr;
  const bool is_known = index && index->ivalue() && index->ivalue()->isInt();
  const auto at = is_known ? ir::item_at(index->ivalue()->toInt(), list->items.size()) : std::nullopt;
  const std::size_t place = at.value_or(0);  // read only where there is one
  if (form == Container::Item && at) {
    const Imported item = list->items[place];
    set(node.output(), item);
    return true;
  }
  const bool adds = form == Container::Append && index && index->local();
  const bool takes = form == Container::Pop && at;
  const bool sets = form == Container::SetItem && at && get(node.input(2)).local();
  if (!adds && !takes && !sets) return false;
  if (list->home != block_) {
    const c10::ClassType& held = *class_in(*list->type);
    refuse_object(held, "a list of objects of class " + held.name()->name() +
                            " is changed in a dynamic branch or loop; this is not supported: use one list per "
                            "attribute, or a list of tuples");
  }
  if (adds) list->items.push_back(*index);
  if (sets) list->items[place] = get(node.input(2));
  const Imported held = takes ? list->items[place] : get(node.input(0));
  if (takes) list->items.erase(list->items.begin() + static_cast<std::ptrdiff_t>(place));
  if (!node.outputs().empty()) set(node.output(), held);
  return true;
}

// Reads an object from a dict in a module by a known key; a dict with one object has no other key.
bool GraphImport::convert_object_dict(const JitNode& node) {
  if (aten::traits_of(node.kind().toQualString()).container != Container::Item) return false;
  const auto type = node.input(0)->type()->cast<c10::DictType>();
  const auto held = type ? type->getValueType()->cast<c10::ClassType>() : nullptr;
  const Imported container = get(node.input(0)), key = get(node.input(1));
  if (!held || held->is_module() || !container.ivalue() || !container.ivalue()->isGenericDict()) return false;
  const auto objects = container.ivalue()->toGenericDict();
  const auto found = key.ivalue() ? objects.find(*key.ivalue()) : objects.size() == 1 ? objects.begin() : objects.end();
  if (found != objects.end()) {
    set(node.output(), found->value());
    return true;
  }
  if (key.ivalue()) throw Error(Code::Program, "the dict has no such key");
  if (is_value(*held)) return false;
  refuse_object(*held, "an object of class " + held->name()->name() +
                           " is read from a dict by a key that depends on the inputs; this is not supported: compare "
                           "the key with each existing key");
}

// Unrolls a loop over such a list; returns false if the trip count is dynamic.
bool GraphImport::unroll_loop(const JitNode& node) {
  const Imported trips = get(node.input(0)), first = get(node.input(1));
  const JitBlock& body = *node.blocks()[0];
  bool goes_on = false;
  if (!trips.ivalue() || !trips.ivalue()->isInt() || trips.ivalue()->toInt() > kMostIterations ||
      !has_object_list(body))
    return false;
  const JitNode& condition = *body.outputs()[0]->node();
  const bool is_constant =
      condition.kind() == c10::prim::Constant && body.outputs()[0]->type()->kind() == c10::TypeKind::BoolType;
  if (!first.as_bool(goes_on) || !goes_on || !is_constant || condition.i(c10::attr::value) == 0) return false;
  std::vector<Imported> carried;
  for (std::size_t i = 2; i < node.inputs().size(); ++i) carried.push_back(get(node.input(i)));
  for (std::int64_t turn = 0; turn < trips.ivalue()->toInt(); ++turn) {
    set(body.inputs()[0], c10::IValue(turn));
    for (std::size_t k = 0; k < carried.size(); ++k) set(body.inputs()[k + 1], carried[k]);
    convert(body);
    for (std::size_t k = 0; k < carried.size(); ++k) carried[k] = get(body.outputs()[k + 1]);
  }
  set_results(node, carried);
  return true;
}

}  // namespace tonnx::torch
