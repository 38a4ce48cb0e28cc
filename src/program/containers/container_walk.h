#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "aten/traits.h"
#include "ir/graph.h"
#include "ir/writes.h"
#include "program/containers/names.h"
#include "program/edit.h"

namespace tonnx::program {

// Follows the lists or dicts of one type that may become one another: those that nodes create, and the results of Ifs
// and the loop-carried values that these become. An If joins the contents of both blocks, and a Loop carries them value
// by value. The first walk checks that the contents are known and changes nothing; the second one rewrites.
//
// Without writes to these containers, each result of an If or a Loop and each loop-carried value is built again from
// its values. Else all readers and writers take the values, which needs three things:
// - All uses are known: nothing else may hold the container.
// - Only the owner is written to. A container that becomes a result or a loop-carried value gets that as its owner.
// - A name that no longer owns its container is not read after a write to any of them.
class ContainerWalk {
 public:
  // `has_writes`: whether any operator of the program writes to an argument.
  ContainerWalk(ir::Graph& graph, ir::Value& seed, bool has_writes)
      : graph_(graph), type_(seed.type()), seed_(seed), has_writes_(has_writes) {}
  virtual ~ContainerWalk() = default;

  // The positions of all nodes of the program; empty if they are not known yet.
  using Positions = std::unordered_map<const ir::Node*, std::size_t>;

  // Returns false if nothing changed.
  bool run(Positions& positions) { return find(false) && rewrite_all(positions); }
  // The same for the container that the seed's node creates, on its own. It is built again at the end of its block.
  bool run_alone(Positions& positions) { return find(true) && rewrite_all(positions); }

  // True if the program writes to containers of this kind, so that a container on its own is worth a walk.
  bool has_writes() const { return has_writes_; }
  // The containers that the walk found.
  const std::vector<ir::Value*>& names() const { return names_.all(); }
  bool is_created(const ir::Value& name) const { return !phis_.contains(&name) && creates(*name.node()); }

 protected:
  // The values of a container, then what must be the same on both sides of a join. Null: several values. The second
  // part becomes a null if it differs.
  using Content = std::vector<ir::Value*>;

  bool is_name(const ir::Value* value) const { return names_.contains(value); }

  // Before the first walk; abandon(): after it, if there is no second one; finish(): after the second one.
  virtual void prepare() {}
  virtual void abandon() {}
  virtual void finish() {}
  // True if readers take the values, so that nothing is built again but what the program returns; in run_alone(), what
  // the block returns.
  virtual bool takes_values() const { return is_changed_; }
  // True for a value of another type that becomes such a container as a result of an If or a Loop; its content.
  // `insert` is null in the first walk.
  virtual bool converts(const ir::Value&) const { return false; }
  virtual Content converted(ir::Value&, Inserter* /*insert*/) { return {}; }
  // True if the node creates a container from its operands.
  virtual bool creates(const ir::Node& node) const = 0;
  // True if the walk knows what a reader or a writer does.
  virtual bool can_read(const ir::Use& use) const = 0;
  virtual bool can_change(const ir::Use& use) const = 0;
  // The content that the node creates from the contents of other containers, which are null if unknown. Empty if it is
  // not known.
  using Contents = std::function<const Content*(ir::Value* container)>;
  virtual std::optional<Content> created(ir::Node& node, const Contents& contents, bool rewrite) = 0;
  // The content after a writer; empty if it is not known. The walk erases the writer.
  virtual std::optional<Content> changed(ir::Node& node, const Content& content, bool rewrite) = 0;
  // Replaces the operand of a reader by the values that it reads; false if these are not known.
  virtual bool read(ir::Node& node, std::size_t operand, const Content& content, bool rewrite) = 0;
  // How many values a content has, and their types.
  virtual std::size_t size(const Content& content) const = 0;
  virtual const ir::Type& value_type(std::size_t i) const = 0;
  // True for a value that is the same in every content at this index, such as a constant.
  virtual bool is_fixed(const ir::Value*) const { return false; }
  // Builds the container. can_make(): its content suffices for that; can_return(): so does its type, for an output.
  virtual bool can_return() const { return true; }
  virtual bool can_make(const Content& content) const = 0;
  virtual ir::Value* make(Inserter& insert, const Content& content) = 0;
  // True if a container that nothing changes is worth its values.
  virtual bool is_worth_it(const Content&) const { return true; }

  ir::Graph& graph_;
  const ir::Type type_;
  std::vector<ir::Node*> dead_nodes_;  // writers that the second walk replaced; erased after it

 private:
  // A container at the current node of the walk.
  struct Object {
    Content content = {};
    bool is_undefined = false;  // no run reads it
    bool is_owner = true;       // no other name is this container
    bool operator==(const Object&) const = default;
  };
  struct ById {
    bool operator()(const ir::Value* a, const ir::Value* b) const { return a->id() < b->id(); }
  };
  using State = std::map<ir::Value*, Object, ById>;  // without those that are not known
  struct Slot;                                       // a loop-carried value that is a container

  bool find(bool alone);
  bool add_origins(const ir::Value& name);
  bool add_use(const ir::Value& name, const ir::Use& use);
  void stop_at(ir::Node& node, bool changes);
  void order_stops(Positions& positions);
  bool rewrite_all(Positions& positions);

  bool walk(const ir::Block& block, State& state, bool rewrite);
  bool visit(ir::Node& node, State& state, bool rewrite);
  bool change(ir::Node& node, std::size_t operand, State& state, bool rewrite);
  void create(ir::Node& node, State& state, bool rewrite);
  bool branch(ir::Node& node, State& state, bool rewrite);
  bool loop(ir::Node& node, State& state, bool rewrite);
  bool find_head(ir::Node& node, const std::vector<Slot>& slots, State& head);
  State carry(ir::Node& node, const std::vector<Slot>& slots, const State& before, const State& head);
  bool end(const ir::Block& block, const State& state, bool rewrite);

  std::optional<Object> move_to_owner(State& state, ir::Value* value, Inserter insert, bool rewrite);
  std::optional<Object> join(const Object& a, const Object& b) const;
  bool is_kept(const Object& object) const;
  ir::Value* value_of(const Object& object, std::size_t i, Inserter insert) const;
  void define(ir::Value* name, const Object& object, Inserter insert, bool rewrite);

  ir::Value& seed_;
  const bool has_writes_;
  bool is_alone_ = false, is_changed_ = false, is_returned_ = false;
  bool is_needed_ = false;  // a container changes, or is one of several
  Names names_;
  std::unordered_set<const ir::Value*> phis_;
  std::unordered_set<ir::Node*> stops_;           // nodes that the walk visits, and the Ifs and Loops around them
  std::unordered_set<const ir::Node*> changing_;  // Ifs and Loops in which a container changes or is handed over
  std::unordered_map<const ir::Block*, std::vector<ir::Node*>> stops_in_;  // those of each block, in order
  // The values of a container's content that iterations of a Loop change.
  std::unordered_map<const ir::Node*, std::set<std::pair<const ir::Value*, std::size_t>>> varying_;
  std::vector<std::pair<ir::Value*, ir::Value*>> made_;  // a name, and the container that was built for it
};

// Runs a walk for all containers of the program for which `holds` is true. Each walk is `Walk(graph, name,
// has_writes)`.
template <class Walk, class Predicate>
bool walk_containers(ir::Graph& graph, const Predicate& holds) {
  std::vector<ir::Value*> seeds;
  bool has_writes = false, has_control_flow = false;
  for_each_node(graph.block(), [&](ir::Node* node) {
    has_writes = has_writes || ir::writes(*node);
    const bool is_control_flow = node->is("prim::If") || node->is("prim::Loop");
    has_control_flow = has_control_flow || is_control_flow;
    const aten::Container form = aten::traits_of(*node).container;
    if (!is_control_flow && form != aten::Container::List && form != aten::Container::Dict) return;
    for (ir::Value* out : node->outputs())
      if (holds(*out)) seeds.push_back(out);
  });
  if (!has_control_flow && !has_writes) return false;
  std::unordered_set<const ir::Value*> seen;
  bool changed = false;
  ContainerWalk::Positions positions;
  const auto note = [&](bool is_rewritten) {
    if (is_rewritten) positions.clear();
    changed = changed || is_rewritten;
  };
  for (ir::Value* seed : seeds) {
    if (seen.contains(seed)) continue;
    Walk walk(graph, *seed, has_writes);
    const bool is_rewritten = walk.run(positions);
    note(is_rewritten);
    seen.insert(walk.names().begin(), walk.names().end());
    for (ir::Value* name : walk.names())
      if (!is_rewritten && walk.has_writes() && walk.is_created(*name))
        note(Walk(graph, *name, has_writes).run_alone(positions));
  }
  return changed;
}

}  // namespace tonnx::program
