// Objects that the program creates, as results of branches and loops: their attributes become results.
#include <algorithm>

#include "ir/error.h"
#include "torch/convert.h"
#include "torch/graph_import.h"
#include "torch/scoped.h"

namespace tonnx::torch {

using ir::Code;
using ir::Error;

namespace {

std::string class_of(const LocalObject& object) { return object.type->name()->name(); }

// All objects reachable from here, in order, once for each reference.
void add_objects(const Imported& known, std::vector<const LocalObject*>& found) {
  if (const LocalObject* local = known.local()) {
    found.push_back(local);
    for (std::size_t k = 0; k < local->type->numAttributes(); ++k) {
      const auto it = local->attributes.find(local->type->getAttributeName(k));
      if (it != local->attributes.end()) add_objects(it->second, found);
    }
  }
  if (const Parts* parts = known.parts())
    for (const Imported& item : parts->items) add_objects(item, found);
}

Error differ(const std::string& what) {
  return Error(Code::Unsupported,
               "objects of " + what + " result from a branch or a loop and differ between its paths");
}

}  // namespace

bool GraphImport::is_never(const Imported& known) {
  return known.value() && known.value()->node() && known.value()->node()->is("prim::Uninitialized");
}

bool GraphImport::holds_local(const Imported& known) {
  std::vector<const LocalObject*> found;
  add_objects(known, found);
  return !found.empty();
}

void GraphImport::require_unmoved(const LocalObject* object) const {
  if (std::none_of(moved_.begin(), moved_.end(), [&](const auto& moved) { return moved.get() == object; })) return;
  refuse_object(*object->type,
                "an object of class " + class_of(*object) +
                    " is used together with a variable that a branch or a loop may have bound to the same object");
}

// Copies the current state of the objects reachable from here; other values are kept.
Imported GraphImport::snapshot(const Imported& known) const {
  if (const LocalObject* local = known.local()) {
    require_unmoved(local);
    auto copy = std::make_shared<LocalObject>();
    copy->type = local->type;
    copy->is_there = local->is_there;
    for (const auto& [name, held] : local->attributes) copy->attributes[name] = snapshot(held);
    return copy;
  }
  if (const Parts* parts = known.parts(); parts && holds_local(known)) {
    auto copy = std::make_shared<Parts>();
    copy->type = parts->type;
    for (const Imported& item : parts->items) copy->items.push_back(snapshot(item));
    return std::shared_ptr<const Parts>(std::move(copy));
  }
  return known;
}

// Refuses objects that one path through a branch or a loop returns twice, or that are also in `outside`: they would be
// one object under two names.
void GraphImport::require_apart(const std::vector<Imported>& results,
                                const std::vector<std::shared_ptr<LocalObject>>& outside) const {
  std::vector<const LocalObject*> found;
  for (const Imported& known : results) add_objects(known, found);
  for (const LocalObject* object : found) {
    const bool is_outer = std::any_of(outside.begin(), outside.end(), [&](const auto& o) { return o.get() == object; });
    if (!is_outer && std::count(found.begin(), found.end(), object) == 1) continue;
    refuse_object(*object->type, "an object of class " + class_of(*object) +
                                     " gets a second name in a branch or a loop; this is " +
                                     "not supported: create a new object, or use tuples");
  }
}

void GraphImport::move_objects(const Imported& known) {
  std::vector<const LocalObject*> found;
  add_objects(known, found);
  for (const auto& object : locals_)
    if (std::find(found.begin(), found.end(), object.get()) != found.end()) moved_.insert(object);
}

// Joins the results of the branches of `made`: an object, or None or undefined where the other branch returns an
// object.
Imported GraphImport::join_objects(ir::Node& made, const Imported& yes, const Imported& no, const c10::TypePtr& type) {
  if ((yes.local() && no.is_none()) || (no.local() && yes.is_none())) return join_with_none(made, yes, no, type);
  const Imported sides[] = {yes, no};
  for (const Imported& side : sides)
    if (is_kept_object(side)) throw Anew{{side.object()}, {}};
  const LocalObject* one = yes.local() ? yes.local() : no.local();
  const Parts* tuple = holds_local(yes) ? yes.parts() : holds_local(no) ? no.parts() : nullptr;
  const auto other_side = [&](const Imported& known, auto item) -> Imported {
    return is_never(known) ? known : item(known);
  };
  if (one) {
    const auto apart = [&](const std::string& how = {}) {
      begin_with_values(*one->type);
      return differ("class " + class_of(*one) + how);
    };
    for (const Imported& side : sides)
      if (!is_never(side) && (!side.local() || side.local()->type != one->type)) throw apart();
    auto joined = std::make_shared<LocalObject>();
    joined->type = one->type;
    for (std::size_t k = 0; k < one->type->numAttributes(); ++k) {
      const std::string& name = one->type->getAttributeName(k);
      const auto held = [&](const Imported& side) { return side.local()->attributes.find(name); };
      const auto is_set = [&](const Imported& side) {
        return is_never(side) || held(side) != side.local()->attributes.end();
      };
      if (!is_set(yes) && !is_set(no)) continue;
      if (!is_set(yes) || !is_set(no) || (is_never(yes) && held(no) == no.local()->attributes.end()) ||
          (is_never(no) && held(yes) == yes.local()->attributes.end()))
        throw apart(" whose attribute '" + name + "' is set on one path only");
      const auto item = [&](const Imported& side) { return held(side)->second; };
      joined->attributes[name] =
          join_objects(made, other_side(yes, item), other_side(no, item), one->type->getAttribute(k));
    }
    const auto is_there = [](const Imported& side) {
      return !is_never(side) && side.local()->may_be_missing() ? side.local()->is_there : Imported(c10::IValue(true));
    };
    const auto is_open = [](const Imported& side) { return !is_never(side) && side.local()->may_be_missing(); };
    if (is_open(yes) || is_open(no))
      joined->is_there = join_values(made, is_there(yes), is_there(no), c10::BoolType::get());
    locals_.push_back(joined);
    return joined;
  }
  if (tuple) {
    auto joined = std::make_shared<Parts>();
    joined->type = tuple->type;
    const auto& types = tuple->type->expectRef<c10::TupleType>().elements();
    for (std::size_t i = 0; i < tuple->items.size(); ++i) {
      for (const Imported& side : sides)
        if (!is_never(side) && (!side.parts() || side.parts()->items.size() != tuple->items.size()))
          throw differ("a tuple");
      const auto item = [&](const Imported& side) { return side.parts()->items[i]; };
      joined->items.push_back(join_objects(made, other_side(yes, item), other_side(no, item), types[i]));
    }
    return std::shared_ptr<const Parts>(std::move(joined));
  }
  Imported values[] = {yes, no};
  for (std::size_t k = 0; k < 2; ++k) {
    if (!is_never(values[k])) continue;
    const Scoped inside(block_, made.block(k));
    ir::Node* never = emit("prim::Uninitialized", {}, 1);
    never->output()->set_type(to_ir(*type));
    values[k] = never->output();
  }
  return join_values(made, values[0], values[1], type);
}

// An object that is None on the other path.
Imported GraphImport::join_with_none(ir::Node& made, const Imported& yes, const Imported& no,
                                     const c10::TypePtr& type) {
  Imported sides[] = {yes, no};
  for (std::size_t k = 0; k < 2; ++k) {
    const Scoped inside(block_, made.block(k));
    if (sides[k].is_none()) {
      sides[k] = like_of_nothing(sides[1 - k], type);
      sides[k].local()->is_there = c10::IValue(false);
    } else if (!sides[k].local()->may_be_missing()) {
      sides[k] = maybe_there(sides[k], c10::IValue(true));
    }
  }
  return join_objects(made, sides[0], sides[1], type);
}

// The object of a variable that may be None.
Imported GraphImport::maybe_there(const Imported& known, Imported is_there) {
  auto copy = std::make_shared<LocalObject>(*known.local());
  copy->is_there = std::move(is_there);
  return copy;
}

void GraphImport::add_leaves(const Imported& known, const c10::TypePtr& type, std::vector<Leaf>& leaves) const {
  if (const LocalObject* local = known.local()) {
    require_unmoved(local);
    if (local->may_be_missing()) leaves.push_back({local->is_there, c10::BoolType::get()});
    for (std::size_t k = 0; k < local->type->numAttributes(); ++k)
      if (const auto it = local->attributes.find(local->type->getAttributeName(k)); it != local->attributes.end())
        add_leaves(it->second, local->type->getAttribute(k), leaves);
  } else if (const Parts* parts = known.parts(); parts && holds_local(known)) {
    const auto& types = parts->type->expectRef<c10::TupleType>().elements();
    for (std::size_t i = 0; i < parts->items.size(); ++i) add_leaves(parts->items[i], types[i], leaves);
  } else if (!known.object()) {
    leaves.push_back({known, type});
  }
}

// Returns `like` with new objects and other leaves.
Imported GraphImport::with_leaves(const Imported& like, std::span<ir::Value* const>& leaves) {
  const auto next = [&] {
    ir::Value* leaf = leaves.front();
    leaves = leaves.subspan(1);
    return leaf;
  };
  if (const LocalObject* local = like.local()) {
    auto made = std::make_shared<LocalObject>();
    made->type = local->type;
    if (local->may_be_missing()) made->is_there = next();
    for (std::size_t k = 0; k < local->type->numAttributes(); ++k) {
      const std::string& name = local->type->getAttributeName(k);
      if (const auto it = local->attributes.find(name); it != local->attributes.end())
        made->attributes[name] = with_leaves(it->second, leaves);
    }
    locals_.push_back(made);
    return made;
  }
  if (const Parts* parts = like.parts(); parts && holds_local(like)) {
    auto made = std::make_shared<Parts>();
    made->type = parts->type;
    for (const Imported& item : parts->items) made->items.push_back(with_leaves(item, leaves));
    return std::shared_ptr<const Parts>(std::move(made));
  }
  return like.object() ? like : Imported(next());
}

// Objects with the form of `like` and undefined leaves.
Imported GraphImport::like_of_nothing(const Imported& like, const c10::TypePtr& type) {
  std::vector<Leaf> leaves;
  add_leaves(like, type, leaves);
  std::vector<ir::Value*> values;
  for (const Leaf& leaf : leaves) {
    values.push_back(emit("prim::Uninitialized", {}, 1)->output());
    values.back()->set_type(to_ir(*leaf.type));
  }
  std::span<ir::Value* const> left = values;
  return with_leaves(like, left);
}

// True if both have the same structure: the same classes, set attributes and modules.
bool GraphImport::are_alike(const Imported& a, const Imported& b) {
  if (const LocalObject* x = a.local()) {
    const LocalObject* y = b.local();
    if (!y || x->type != y->type || x->attributes.size() != y->attributes.size()) return false;
    if (x->may_be_missing() != y->may_be_missing()) return false;
    return std::all_of(x->attributes.begin(), x->attributes.end(), [&](const auto& held) {
      const auto other = y->attributes.find(held.first);
      return other != y->attributes.end() && are_alike(held.second, other->second);
    });
  }
  if (a.parts() && holds_local(a)) {
    const Parts* other = b.parts();
    if (!other || other->items.size() != a.parts()->items.size()) return false;
    for (std::size_t i = 0; i < other->items.size(); ++i)
      if (!are_alike(a.parts()->items[i], other->items[i])) return false;
    return true;
  }
  return a.object() ? a.object() == b.object() : !holds_local(b) && !b.object();
}

}  // namespace tonnx::torch
