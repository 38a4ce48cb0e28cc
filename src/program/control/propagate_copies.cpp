// Copy propagation through If and Loop: a phi whose sources are one value, through any cycle of phis, is replaced by
// that value. Undefined sources are ignored:
//
//   %u, %v = prim::Loop(%n, %true, %a, %a)   %u and %v are %a
//     block0(%i, %p, %q): -> (%true, %q, %p)
#include <unordered_map>
#include <vector>

#include "ir/constant_facts.h"
#include "ir/control_flow.h"
#include "program/control/passes.h"
#include "program/edit.h"

namespace tonnx::program {

using ir::Block;
using ir::Node;
using ir::Value;

namespace {

// The origin of each phi, by an optimistic fixpoint: undefined until a source has an origin.
class Origins {
 public:
  explicit Origins(ir::Graph& graph) {
    find(graph.block());
    for (bool changed = true; changed;) {
      changed = false;
      for (Value* value : phis_) changed = join(*value) || changed;
    }
  }

  bool fold() {
    bool changed = false;
    for (Value* value : phis_) {
      Value* origin = origins_.at(value);
      if (origin == value || value->is_unused()) continue;
      if (!origin || origin == none_) {
        Inserter insert = before(*value);
        origin = origin ? insert.none() : insert.never(value->type());
      }
      value->replace_uses(origin);
      changed = true;
    }
    return changed;
  }

 private:
  void find(const Block& block) {
    for (Node* node : block.nodes()) {
      if (node->is("prim::Loop"))
        for (Value* param : node->block(0)->inputs().subspan(1)) add(param);
      for (const Block* inner : node->blocks()) find(*inner);
      if (node->is("prim::If") || node->is("prim::Loop"))
        for (Value* out : node->outputs()) add(out);
    }
  }

  void add(Value* value) {
    phis_.push_back(value);
    origins_[value] = nullptr;
  }

  Value* origin_of(Value* value) {
    if (const auto found = origins_.find(value); found != origins_.end()) return found->second;
    if (is_never(value)) return nullptr;
    if (!ir::is_none(value)) return value;
    return none_ = none_ ? none_ : value;
  }

  bool join(Value& value) {
    Value*& known = origins_.at(&value);
    if (known == &value) return false;
    Value* joined = known;
    for (Value* source : ir::handed_from(value)) {
      Value* origin = origin_of(source);
      if (!origin || origin == joined) continue;
      const bool is_copy = !joined && (origin == none_ || ir::is_visible(*origin, owner_of(value)));
      joined = is_copy ? origin : &value;
    }
    const bool changed = joined != known;
    known = joined;
    return changed;
  }

  // The If or Loop of a phi.
  static const Node& owner_of(const Value& value) {
    const Block* body = value.node()->edge_of();
    return body ? *body->owner() : *value.node();
  }

  static Inserter before(Value& value) {
    Block* body = value.node()->edge_of();
    return body ? Inserter::at_start(*body, body->owner()->location()) : Inserter(value.node());
  }

  std::vector<Value*> phis_;
  std::unordered_map<const Value*, Value*> origins_;  // of a phi; null: undefined; the phi itself: several
  Value* none_ = nullptr;                             // the first None, which represents all of them
};

}  // namespace

bool propagate_copies(ir::Graph& graph) { return Origins(graph).fold(); }

}  // namespace tonnx::program
