// Attributes that the program sets, where branches and loops meet: they become results like any other.
#include <algorithm>

#include "ir/error.h"
#include "torch/convert.h"
#include "torch/exchange.h"
#include "torch/graph_import.h"

namespace tonnx::torch {

using ir::Code;
using ir::Error;

namespace {

bool is_same(const Known& a, const Known& b) {
  if (a.form.index() != b.form.index()) return false;
  if (a.ivalue()) return a.ivalue()->isSameIdentity(*b.ivalue());
  return a.value() == b.value() && a.parts() == b.parts() && a.local() == b.local();
}

}  // namespace

GraphImport::State GraphImport::state() const {
  State result;
  for (const auto& object : locals_) result.attributes.push_back(object->attributes);
  result.written = written_;
  result.without_grad = without_grad_;
  result.grad = grad_;
  return result;
}

// Forgets the objects made since.
void GraphImport::restore(const State& state) {
  locals_.resize(state.attributes.size());
  for (std::size_t i = 0; i < locals_.size(); ++i) locals_[i]->attributes = state.attributes[i];
  written_ = state.written;
  without_grad_ = state.without_grad;
  grad_ = state.grad;
}

const Known* GraphImport::find(const State& state, const AttributePlace& place) {
  if (place.object) {
    const auto it = state.written.find({place.object, place.name});
    return it == state.written.end() ? nullptr : &it->second;
  }
  const auto& attributes = state.attributes.at(place.local);
  const auto it = attributes.find(place.name);
  return it == attributes.end() ? nullptr : &it->second;
}

// The attributes, of objects that `before` knows, that are not the same in both; in the order of their declarations.
std::vector<GraphImport::AttributePlace> GraphImport::changed(const State& before, const State& after) const {
  std::vector<AttributePlace> places;
  const auto add = [&](AttributePlace place) {
    const Known* a = find(before, place);
    const Known* b = find(after, place);
    if (b && !(a && is_same(*a, *b))) places.push_back(std::move(place));
  };
  for (std::size_t i = 0; i < before.attributes.size(); ++i) {
    const c10::ClassType& type = *locals_.at(i)->type;
    for (std::size_t k = 0; k < type.numAttributes(); ++k)
      add({nullptr, i, type.getAttributeName(k), type.getAttribute(k)});
  }
  for (const auto& [key, known] : after.written) add({key.first, 0, key.second, key.first->type()->getAttribute(key.second)});
  return places;
}

Known GraphImport::value_in(const State& state, const AttributePlace& place) {
  if (const Known* known = find(state, place)) return *known;
  if (place.object) return stored_attribute(*place.object, place.name);
  throw Error(Code::Unsupported, "attribute '" + place.name + "' of an object of class " +
                                     locals_.at(place.local)->type->name()->name() +
                                     " is set on one way through a branch or a loop only");
}

void GraphImport::set_attribute(const AttributePlace& place, Known known) {
  if (place.object)
    written_[{place.object, place.name}] = std::move(known);
  else
    locals_.at(place.local)->attributes[place.name] = std::move(known);
}

// What both branches of `made` leave in attributes; the walk stands behind it, as before its branches.
void GraphImport::join_attributes(ir::Node& made, const State& before, const State& yes, const State& no) {
  std::vector<AttributePlace> places = changed(before, yes);
  for (AttributePlace& place : changed(before, no)) {
    const bool known = std::any_of(places.begin(), places.end(), [&](const AttributePlace& p) {
      return p.object == place.object && p.local == place.local && p.name == place.name;
    });
    if (!known) places.push_back(std::move(place));
  }
  for (const AttributePlace& place : places) {
    const Known sides[] = {value_in(yes, place), value_in(no, place)};
    if (is_same(sides[0], sides[1])) {
      set_attribute(place, sides[0]);
      continue;
    }
    ir::Value* results[2];
    for (std::size_t k = 0; k < 2; ++k) {
      const Exchange inside(block_, made.block(k));
      results[k] = materialize(sides[k]);
      made.block(k)->add_output(results[k]);
    }
    ir::Value* joined = made.add_output();
    joined->set_type(results[0]->type() == results[1]->type() ? results[0]->type() : to_ir(*place.type));
    set_attribute(place, joined);
  }
}

}  // namespace tonnx::torch
