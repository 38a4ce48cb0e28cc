// Attributes that the program sets in branches and loops: they become results.
#include <algorithm>

#include "ir/error.h"
#include "torch/convert.h"
#include "torch/graph_import.h"
#include "torch/scoped.h"

namespace tonnx::torch {

using ir::Code;
using ir::Error;

namespace {

bool is_same(const Imported& a, const Imported& b) {
  if (a.form.index() != b.form.index()) return false;
  if (a.ivalue()) return a.ivalue()->isSameIdentity(*b.ivalue());
  return a.value() == b.value() && a.parts() == b.parts() && a.local() == b.local() && a.objects() == b.objects();
}

}  // namespace

GraphImport::State GraphImport::state() const {
  State result;
  for (const auto& object : locals_) result.attributes.push_back(object->attributes);
  result.written = written_;
  result.moved = moved_;
  result.grad = grad_;
  return result;
}

// Removes the objects created since then.
void GraphImport::restore(const State& state) {
  locals_.resize(state.attributes.size());
  for (std::size_t i = 0; i < locals_.size(); ++i) locals_[i]->attributes = state.attributes[i];
  written_ = state.written;
  moved_ = state.moved;
  grad_ = state.grad;
}

const Imported* GraphImport::find(const State& state, const Slot& slot) {
  if (slot.object) {
    const auto it = state.written.find({slot.object, slot.name});
    return it == state.written.end() ? nullptr : &it->second;
  }
  const auto& attributes = state.attributes.at(slot.local);
  const auto it = attributes.find(slot.name);
  return it == attributes.end() ? nullptr : &it->second;
}

// Attributes of objects in `before` that differ in the two states, in declaration order.
std::vector<GraphImport::Slot> GraphImport::changed(const State& before, const State& after) const {
  std::vector<Slot> slots;
  const auto add = [&](Slot slot) {
    const Imported* a = find(before, slot);
    const Imported* b = find(after, slot);
    if (b && !(a && is_same(*a, *b))) slots.push_back(std::move(slot));
  };
  for (std::size_t i = 0; i < before.attributes.size(); ++i) {
    const c10::ClassType& type = *locals_.at(i)->type;
    for (std::size_t k = 0; k < type.numAttributes(); ++k)
      add({nullptr, i, type.getAttributeName(k), type.getAttribute(k)});
  }
  for (const auto& [key, known] : after.written)
    add({key.first, 0, key.second, key.first->type()->getAttribute(key.second)});
  return slots;
}

Imported GraphImport::value_in(const State& state, const Slot& slot) {
  if (const Imported* known = find(state, slot)) return *known;
  if (slot.object) return stored_attribute(*slot.object, slot.name);
  throw Error(Code::Unsupported, "attribute '" + slot.name + "' of an object of class " +
                                     locals_.at(slot.local)->type->name()->name() +
                                     " is set on one path through a branch or a loop only");
}

void GraphImport::set_attribute(const Slot& slot, Imported known) {
  if (slot.object)
    written_[{slot.object, slot.name}] = std::move(known);
  else
    locals_.at(slot.local)->attributes[slot.name] = std::move(known);
}

void GraphImport::note_change(const std::string& attribute, const JitNode* writer) {
  ir::StateWrite write{ir::StateWrite::Kind::Attribute, attribute, {}, {}, {}};
  if (writer) {
    const ir::Location where = location(*writer);
    write.op = writer->kind().toQualString();
    write.module = where.module_path();
    write.source = where.source();
    // LibTorch has no line for assignments such as self.n += 1; the assigned value has one.
    const ir::Value* value = writer->inputs().size() > 1 ? get(writer->input(1)).value() : nullptr;
    if (write.source.empty() && value && value->node() && !value->node()->location().source().empty())
      write = ir::state_write(write.kind, attribute, *value->node());
  }
  if (std::ranges::none_of(changes_, [&](const ir::StateWrite& known) { return known.name == attribute; }))
    changes_.push_back(std::move(write));
}

void GraphImport::add_changed(std::vector<ir::StateWrite>& outputs, std::vector<std::string>& output_names) {
  std::erase_if(changes_, [&](const ir::StateWrite& write) {
    const auto is_set = [&](const auto& set) {
      const std::string path = path_of(set.first.first);
      return (path.empty() ? set.first.second : path + "." + set.first.second) == write.name;
    };
    const auto set = std::ranges::find_if(written_, is_set);
    if (set == written_.end()) return false;
    const c10::IValue* known = set->second.ivalue();
    if (!set->second.value() && !(known && (known->isTensor() || known->isScalar()))) return false;
    ir::Value* value = materialise(set->second);
    if (!value->type().is(ir::Type::Kind::Tensor) && !value->type().is_scalar()) return false;
    graph_.block().add_output(value);
    output_names.resize(graph_.outputs().size() - 1);
    output_names.push_back(ir::written_name(write));
    outputs.push_back(write);
    return true;
  });
}

// Joins the attributes after both branches of `made`; the walk is after it, in the state before its branches.
void GraphImport::join_attributes(ir::Node& made, const State& before, const State& yes, const State& no) {
  std::vector<Slot> slots = changed(before, yes);
  for (Slot& slot : changed(before, no)) {
    const bool known = std::any_of(slots.begin(), slots.end(), [&](const Slot& p) { return p.is(slot); });
    if (!known) slots.push_back(std::move(slot));
  }
  for (const Slot& slot : slots) {
    const Imported sides[] = {value_in(yes, slot), value_in(no, slot)};
    if (is_same(sides[0], sides[1])) {
      set_attribute(slot, sides[0]);
      continue;
    }
    set_attribute(slot, join_values(made, sides[0], sides[1], slot.type));
  }
}

// Adds a result to `made`.
Imported GraphImport::join_values(ir::Node& made, const Imported& yes, const Imported& no, const c10::TypePtr& type) {
  const Imported sides[] = {yes, no};
  ir::Value* results[2];
  for (std::size_t k = 0; k < 2; ++k) {
    const Scoped inside(block_, made.block(k));
    results[k] = materialise(sides[k]);
    made.block(k)->add_output(results[k]);
  }
  ir::Value* joined = made.add_output();
  // If both branches have the same type, it is more precise than the declared one.
  joined->set_type(results[0]->type() == results[1]->type() ? results[0]->type() : to_ir(*type));
  return joined;
}

}  // namespace tonnx::torch
