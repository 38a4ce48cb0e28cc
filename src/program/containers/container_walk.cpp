#include "program/containers/container_walk.h"

#include <algorithm>
#include <span>
#include <unordered_map>

#include "aten/identity.h"
#include "ir/control_flow.h"
#include "ir/writes.h"
#include "program/control/carry.h"

namespace tonnx::program {

using ir::Block;
using ir::Node;
using ir::Use;
using ir::Value;

struct ContainerWalk::Slot {
  std::size_t index;
  Value *inside, *after;
  std::optional<Object> start;
};

bool ContainerWalk::find(bool alone) {
  is_alone_ = alone;
  names_.add(&seed_);
  return names_.visit_all([&](Value& name) {
    return add_origins(name) && std::ranges::all_of(name.uses(), [&](const Use& use) { return add_use(name, use); });
  });
}

bool ContainerWalk::add_origins(const Value& name) {
  Node& maker = *name.node();
  std::vector<Value*> origins = ir::handed_from(name);
  if (!origins.empty()) {
    phis_.insert(&name);
    stop_at(maker.edge_of() ? *maker.edge_of()->owner() : maker, true);
    if (maker.is("prim::Loop")) names_.add(maker.block(0)->inputs()[name.index() + 1]);
    if (maker.edge_of()) names_.add(maker.edge_of()->owner()->output(name.index() - 1));
  } else if (is_never(&name) || creates(maker)) {
    stop_at(maker, false);
    std::ranges::copy_if(maker.inputs(), std::back_inserter(origins),
                         [&](const Value* operand) { return operand->type() == type_; });
    if (is_alone_) return origins.empty();
  } else {
    return !has_writes_;
  }
  for (Value* origin : origins) {
    if (converts(*origin)) continue;
    if (origin->type() == type_) {
      names_.add(origin);
    } else if (has_writes_) {
      return false;
    }
  }
  return true;
}

bool ContainerWalk::add_use(const Value& name, const Use& use) {
  Node& node = *use.node;
  const std::vector<Value*> names = is_alone_ ? std::vector<Value*>() : ir::handed_to(use);
  if (!names.empty()) {
    if (names.front()->type() != type_) return !has_writes_;
    stop_at(node.edge_of() ? *node.edge_of()->owner() : node, true);
    for (Value* other : names) names_.add(other);
    return true;
  }
  const bool is_phi = phis_.contains(&name);
  if (const Block* block = node.edge_of()) {
    is_returned_ = true;
    is_needed_ = is_needed_ || is_phi;
    return can_return() && block == (is_alone_ ? name.node()->parent() : &graph_.block());
  }
  const bool asks_identity = aten::identity_of(node.kind()) != aten::Identity::None;
  if (asks_identity && !can_read(use)) return false;
  const bool changes = ir::writes_argument(node, use.index);
  if (changes ? !can_change(use) : !can_read(use)) return !changes && !has_writes_;
  stop_at(node, changes);
  is_changed_ = is_changed_ || changes;
  is_needed_ = is_needed_ || is_phi || changes;
  return true;
}

void ContainerWalk::stop_at(Node& node, bool changes) {
  for (Node* around = &node; around; around = around->parent() ? around->parent()->owner() : nullptr) {
    stops_.insert(around);
    if (changes) changing_.insert(around);
  }
}

void ContainerWalk::order_stops(Positions& positions) {
  if (positions.empty())
    for_each_node(graph_.block(), [&](const Node* node) { positions.emplace(node, positions.size()); });
  for (Node* node : stops_)
    if (node->parent()) stops_in_[node->parent()].push_back(node);
  for (auto& [block, nodes] : stops_in_)
    std::ranges::sort(nodes, {}, [&](const Node* node) { return positions.at(node); });
}

bool ContainerWalk::rewrite_all(Positions& positions) {
  if (takes_values() ? !is_needed_ : phis_.empty()) return false;
  order_stops(positions);
  prepare();
  is_needed_ = takes_values();  // or the walk has a container to build
  State dry, state;
  if (!walk(graph_.block(), dry, false) || !is_needed_) return abandon(), false;
  walk(graph_.block(), state, true);
  finish();
  for (const auto& [name, container] : made_) name->replace_uses(container);
  for (Node* node : dead_nodes_) node->erase();
  return true;
}

bool ContainerWalk::walk(const Block& block, State& state, bool rewrite) {
  const auto stops = stops_in_.find(&block);
  for (Node* node : stops == stops_in_.end() ? std::span<Node* const>() : std::span<Node* const>(stops->second)) {
    const bool is_known = node->is("prim::If")     ? branch(*node, state, rewrite)
                          : node->is("prim::Loop") ? loop(*node, state, rewrite)
                                                   : visit(*node, state, rewrite);
    if (!is_known) return false;
  }
  return !is_returned_ || end(block, state, rewrite);
}

bool ContainerWalk::visit(Node& node, State& state, bool rewrite) {
  const bool creates_one = node.output_count() == 1 && is_name(node.output());
  for (std::size_t i = 0; i < node.input_count() && !creates_one; ++i) {
    Value* name = node.input(i);
    if (!is_name(name)) continue;
    const auto found = state.find(name);
    if (found == state.end()) {
      if (takes_values()) return false;
      continue;
    }
    if (found->second.is_undefined) continue;
    if (ir::writes_argument(node, i)) return change(node, i, state, rewrite);
    const Content content = found->second.content;
    if (takes_values()) {
      if (!read(node, i, content, rewrite)) return false;
    } else if (phis_.contains(name) && !can_make(content)) {
      is_needed_ = read(node, i, content, rewrite) || is_needed_;
    }
  }
  if (creates_one) create(node, state, rewrite);
  return true;
}

bool ContainerWalk::change(Node& node, std::size_t operand, State& state, bool rewrite) {
  Object& object = state.at(node.input(operand));
  auto content = object.is_owner ? changed(node, object.content, rewrite) : std::nullopt;
  if (!content) return false;
  object.content = std::move(*content);
  if (rewrite) dead_nodes_.push_back(&node);
  std::erase_if(state, [](const auto& entry) { return !entry.second.is_owner; });
  return true;
}

void ContainerWalk::create(Node& node, State& state, bool rewrite) {
  Value* name = node.output();
  if (is_never(name)) {
    state[name] = {.is_undefined = true};
    return;
  }
  const auto content_of = [&](Value* container) -> const Content* {
    const auto found = state.find(container);
    return found == state.end() || found->second.is_undefined ? nullptr : &found->second.content;
  };
  auto content = created(node, content_of, rewrite);
  if (content) {
    state[name] = {.content = std::move(*content)};
  } else {
    state.erase(name);
  }
}

// The containers that the block returns are built again at its end; one that it returns twice is built once, because
// both results are the same object.
bool ContainerWalk::end(const Block& block, const State& state, bool rewrite) {
  const bool is_end = &block == (is_alone_ ? seed_.node()->parent() : &graph_.block());
  std::unordered_map<const Value*, Value*> built;
  for (std::size_t i = 0; takes_values() && is_end && i < block.outputs().size(); ++i) {
    Value* name = block.outputs()[i];
    if (!is_name(name)) continue;
    const auto found = state.find(name);
    if (found == state.end()) return false;
    if (found->second.is_undefined) continue;
    if (!can_make(found->second.content)) return false;
    if (!rewrite) continue;
    Value*& container = built[name];
    Inserter insert(block.return_node()->edge_of(), name->node()->location());
    if (!container) container = make(insert, found->second.content);
    block.return_node()->set_input(i, container);
  }
  return true;
}

bool ContainerWalk::branch(Node& node, State& state, bool rewrite) {
  State sides[2] = {state, state};
  for (std::size_t k = 0; k < 2; ++k)
    if (!walk(*node.block(k), sides[k], rewrite)) return false;
  std::vector<std::pair<Value*, std::optional<Object>>> given[2];
  for (std::size_t k = 0; k < 2; ++k) {
    for (std::size_t i = 0; !is_alone_ && i < node.output_count(); ++i)
      if (is_name(node.output(i)))
        given[k].emplace_back(node.output(i), move_to_owner(sides[k], node.block(k)->outputs()[i],
                                                            {node.block(k), node.location()}, rewrite));
    for (const auto& [name, before] : state) {
      const auto found = sides[k].find(name);
      given[k].emplace_back(name, found == sides[k].end() ? std::nullopt : std::optional(found->second));
    }
  }
  State joined;
  for (std::size_t n = 0; n < given[0].size(); ++n) {
    const auto& [name, a] = given[0][n];
    const auto& b = given[1][n].second;
    auto object = a && b ? join(*a, *b) : std::nullopt;
    if (!object || !is_kept(*object)) continue;
    for (std::size_t i = 0; rewrite && !object->is_undefined && i < size(object->content); ++i) {
      Value*& value = object->content[i];
      if (value) continue;
      Inserter ends[2] = {{node.block(0), node.location()}, {node.block(1), node.location()}};
      value = add_result(node, value_type(i), value_of(*a, i, ends[0]), value_of(*b, i, ends[1]));
    }
    if (name->node() == &node) define(name, *object, Inserter::after(node), rewrite);
    joined.emplace(name, std::move(*object));
  }
  state = std::move(joined);
  return true;
}

bool ContainerWalk::loop(Node& node, State& state, bool rewrite) {
  Block& body = *node.block(0);
  if (!changing_.contains(&node)) {
    State inside = state;
    return walk(body, inside, rewrite);
  }
  std::vector<Slot> slots;
  for (std::size_t i = 0; !is_alone_ && i < node.output_count(); ++i)
    if (is_name(node.output(i)))
      slots.push_back(
          {i, body.inputs()[i + 1], node.output(i), move_to_owner(state, node.input(i + 2), Inserter(&node), rewrite)});
  State head = state;
  for (const Slot& slot : slots)
    if (slot.start && is_kept(*slot.start)) head.emplace(slot.inside, *slot.start);
  if (!find_head(node, slots, head)) return false;
  State after = rewrite ? carry(node, slots, state, head) : head;
  for (const Slot& slot : slots) {
    const auto found = after.find(slot.inside);
    if (found == after.end()) continue;
    define(slot.inside, head.at(slot.inside), Inserter::at_start(body, node.location()), false);
    define(slot.after, found->second, Inserter::after(node), rewrite);
    after.insert_or_assign(slot.after, found->second);
    after.erase(slot.inside);
  }
  state = std::move(after);
  return true;
}

// The state at the start of every iteration: a fixpoint of the joins of the start and the ends of iterations. Values
// that an earlier walk found to vary are joined at once: a later walk knows no more, because it is one of an iteration
// of a loop around this one, or the second walk. So nested loops do not multiply the number of walks.
bool ContainerWalk::find_head(Node& node, const std::vector<Slot>& slots, State& head) {
  const Block& body = *node.block(0);
  auto& varying = varying_[&node];
  for (auto& [name, object] : head)
    for (std::size_t i = 0; !object.is_undefined && i < size(object.content); ++i)
      if (varying.contains({name, i})) object.content[i] = nullptr;
  const State start = head;
  for (const bool was_needed = is_needed_;; is_needed_ = was_needed) {
    State ends = head;
    if (!walk(body, ends, false)) return false;
    for (const Slot& slot : slots) {
      auto last = move_to_owner(ends, body.outputs()[slot.index + 1], Inserter(&node), false);
      if (last) ends.insert_or_assign(slot.after, std::move(*last));
    }
    for (const Slot& slot : slots) {
      ends.erase(slot.inside);
      if (auto last = ends.extract(slot.after); !last.empty()) ends.emplace(slot.inside, std::move(last.mapped()));
    }
    State next;
    for (const auto& [name, object] : head) {
      const auto found = ends.find(name);
      auto joined = found == ends.end() ? std::nullopt : join(object, found->second);
      if (joined && is_kept(*joined)) next.emplace(name, std::move(*joined));
    }
    if (next == head) break;
    head = std::move(next);
  }
  for (const auto& [name, object] : head) {
    const Object& first = start.at(name);
    for (std::size_t i = 0; !first.is_undefined && i < size(object.content); ++i)
      if (first.content[i] && !object.content[i]) varying.insert({name, i});
  }
  return true;
}

// Carries the values that differ between iterations, and rewrites the body. Returns the state after the loop, in which
// a loop-carried container has its name in the body.
ContainerWalk::State ContainerWalk::carry(Node& node, const std::vector<Slot>& slots, const State& before,
                                          const State& head) {
  Block& body = *node.block(0);
  State inside = head, after = head;
  const auto slot_of = [&](const Value* name) { return std::ranges::find(slots, name, &Slot::inside); };
  std::vector<std::pair<Value*, std::size_t>> carried;
  for (const auto& [name, object] : head) {
    const auto slot = slot_of(name);
    const Object& start = slot == slots.end() ? before.at(name) : *slot->start;
    for (std::size_t i = 0; !object.is_undefined && i < size(object.content); ++i) {
      if (object.content[i]) continue;
      const LoopValue value = add_loop_value(node, value_type(i), value_of(start, i, Inserter(&node)));
      inside.at(name).content[i] = value.inside;
      after.at(name).content[i] = value.after;
      carried.emplace_back(name, i);
    }
  }
  for (const Slot& slot : slots)
    if (const auto found = inside.find(slot.inside); found != inside.end())
      define(slot.inside, found->second, Inserter::at_start(body, node.location()), true);
  walk(body, inside, true);
  const Inserter at_end(&body, node.location());
  State last = inside;
  for (const Slot& slot : slots)
    if (auto given = move_to_owner(inside, body.outputs()[slot.index + 1], at_end, true))
      last.insert_or_assign(slot.inside, std::move(*given));
  for (const auto& [name, i] : carried) body.add_output(value_of(last.at(name), i, at_end));
  return after;
}

// The object that an If or a Loop gets; new values are inserted at `insert`.
std::optional<ContainerWalk::Object> ContainerWalk::move_to_owner(State& state, Value* value, Inserter insert,
                                                                  bool rewrite) {
  if (converts(*value) && is_never(value)) return Object{.is_undefined = true};
  if (converts(*value)) return Object{.content = converted(*value, rewrite ? &insert : nullptr)};
  const auto found = state.find(value);
  if (found == state.end()) return std::nullopt;
  Object given = found->second;
  found->second.is_owner = given.is_undefined;
  return given;
}

std::optional<ContainerWalk::Object> ContainerWalk::join(const Object& a, const Object& b) const {
  Object joined = a.is_undefined ? b : a;
  joined.is_owner = a.is_owner && b.is_owner;
  if (a.is_undefined && b.is_undefined) return joined;
  const std::size_t values = size(joined.content);
  if (a.is_undefined || b.is_undefined) {
    for (std::size_t i = 0; i < values; ++i)
      if (!is_fixed(joined.content[i])) joined.content[i] = nullptr;
    return joined;
  }
  if (size(b.content) != values) return std::nullopt;
  for (std::size_t i = 0; i < values; ++i)
    if (joined.content[i] != b.content[i]) joined.content[i] = nullptr;
  const auto begin = static_cast<std::ptrdiff_t>(values);
  if (!std::equal(a.content.begin() + begin, a.content.end(), b.content.begin() + begin, b.content.end())) {
    joined.content.resize(values);
    joined.content.push_back(nullptr);
  }
  return joined;
}

bool ContainerWalk::is_kept(const Object& object) const {
  return takes_values() || object.is_undefined || is_worth_it(object.content);
}

Value* ContainerWalk::value_of(const Object& object, std::size_t i, Inserter insert) const {
  return object.is_undefined ? insert.never(value_type(i)) : object.content[i];
}

// A result or a loop-carried value of a container that nothing changes is built again where it is defined.
void ContainerWalk::define(Value* name, const Object& object, Inserter insert, bool rewrite) {
  if (takes_values() || object.is_undefined || !can_make(object.content) || name->is_unused()) return;
  is_needed_ = true;
  if (rewrite) made_.emplace_back(name, make(insert, object.content));
}

}  // namespace tonnx::program
