// Moves the readers of an If result into both branches if the result is "open": its rank or dtype depends on the
// branch, or it is a string, a dict or a list of these. Goes on up to values that have one rank and dtype in both
// branches.
//
// Needs facts, and a program without writes. If open values leave the block, readers move only if lowering needs it:
//
//   %r = prim::If(%c)                        %w = prim::If(%c)
//     block0: -> (%a)   rank 3                 block0: %u = aten::reshape(%a, %s) -> (%u)
//     block1: -> (%b)   rank 2                 block1: %v = aten::reshape(%b, %s) -> (%v)
//   %w = aten::reshape(%r, %s)   rank 2
#include <algorithm>
#include <functional>
#include <unordered_set>
#include <vector>

#include "aten/ranks.h"
#include "ir/writes.h"
#include "program/control/carry.h"
#include "program/control/passes.h"
#include "program/edit.h"
#include "program/nodes_where.h"

namespace tonnx::program {

using ir::Block;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

constexpr std::size_t kMostReaders = 200;

void for_each_read(const Node& node, const std::function<void(Value*)>& visit) {
  for (Value* in : node.inputs()) visit(in);
  for (const Block* block : node.blocks()) {
    for (const Node* inner : block->nodes()) for_each_read(*inner, visit);
    for (Value* out : block->outputs()) visit(out);
  }
}

bool reads_any(const Node& node, const std::unordered_set<const Value*>& values) {
  bool any = false;
  for_each_read(node, [&](const Value* in) { any = any || values.contains(in); });
  return any;
}

bool differ_in_dtype(const ir::Facts& a, const ir::Facts& b) {
  return a.dtype != b.dtype && a.dtype != ir::DType::Undefined && b.dtype != ir::DType::Undefined;
}

bool returns_optional(const Node& node) {
  return std::ranges::any_of(node.outputs(), [](const Value* out) { return out->type().is(Type::Kind::Optional); });
}

// True if a model cannot contain values of the type: strings, dicts, and lists and optionals of them.
bool cannot_be_in_model(const Type& type) {
  if (type.is(Type::Kind::List) || type.is(Type::Kind::Optional)) return cannot_be_in_model(type.elements.at(0));
  return type.is(Type::Kind::String) || type.is(Type::Kind::Dict);
}

bool differ_in_form(const ir::Facts& a, const ir::Facts& b) {
  return a.dims && b.dims && (differ_in_dtype(a, b) || a.dims->size() != b.dims->size());
}

// True if the reader, or a node inside of it, can be lowered only if the ranks of these values, or of tensors computed
// from them, are known.
bool wants_rank(const Node& reader, std::unordered_set<const Value*> open) {
  const auto is_open = [&](const Value* in) {
    return open.contains(in) && (in->type().is(Type::Kind::Tensor) || in->type().is_tensor_list());
  };
  if (reader.blocks().empty()) return std::ranges::any_of(reader.inputs(), is_open) && !aten::takes_any_rank(reader);
  for (const Block* block : reader.blocks()) {
    for (const Node* inner : block->nodes()) {
      if (!reads_any(*inner, open)) continue;
      if (wants_rank(*inner, open)) return true;
      for (const Value* out : inner->outputs())
        if (out->type().is(Type::Kind::Tensor) && !out->facts().dims) open.insert(out);
    }
  }
  return false;
}

// True if the two branches differ in a result, or those of a nested If that computes it for one of them.
class Comparison {
 public:
  explicit Comparison(bool (*differ)(const ir::Facts&, const ir::Facts&)) : differ_(differ) {}

  bool differs(const Node& branch, std::size_t result) {
    if (!seen_.insert(branch.output(result)).second) return false;
    const Value& a = *branch.block(0)->outputs()[result];
    const Value& b = *branch.block(1)->outputs()[result];
    return differ_(a.facts(), b.facts()) || is_nested(a) || is_nested(b);
  }

 private:
  bool is_nested(const Value& output) {
    return output.node() && output.node()->is("prim::If") && differs(*output.node(), output.index());
  }

  bool (*differ_)(const ir::Facts&, const ir::Facts&);
  std::unordered_set<const Value*> seen_;  // several branches may return one result of an If
};

bool differs(const Node& branch, std::size_t result, bool (*differ)(const ir::Facts&, const ir::Facts&)) {
  return Comparison(differ).differs(branch, result);
}

// True if the ranks or dtypes of a result are known in both branches, and differ.
bool is_open(const Node& branch, std::size_t result) { return differs(branch, result, differ_in_form); }

bool is_open(const Value* value) {
  return value->node() && value->node()->is("prim::If") && is_open(*value->node(), value->index());
}

class Sinker {
 public:
  explicit Sinker(Node& branch) : branch_(branch) {}

  bool run() {
    find_open();
    if (open_.empty() || !find_readers()) return false;
    find_operands();
    for (Node* node : moved_) node->move_before(&branch_);
    for (Node* node : readers_) sink(*node);
    return true;
  }

 private:
  void find_open() {
    for (std::size_t i = 0; i < branch_.output_count(); ++i) {
      if (cannot_be_in_model(branch_.output(i)->type()) && !branch_.output(i)->is_unused()) {
        open_.insert(branch_.output(i));
        is_needed_ = true;
      }
      if (branch_.output(i)->is_unused() || !is_open(branch_, i)) continue;
      open_.insert(branch_.output(i));
      is_needed_ = is_needed_ || differs(branch_, i, differ_in_dtype);
    }
  }

  // True for another If with open results on the same condition: in each branch, both sets of results are known.
  bool is_twin(const Node& node) const {
    if (&node == &branch_ || !node.is("prim::If") || node.input() != branch_.input() ||
        node.parent() != branch_.parent())
      return false;
    return std::ranges::any_of(node.outputs(), [](const Value* out) { return is_open(out); });
  }

  bool reads_two_twins(const Node& node) const {
    std::unordered_set<const Node*> twins;
    for_each_read(node, [&](const Value* in) {
      if (is_open(in) && (in->node() == &branch_ || is_twin(*in->node()))) twins.insert(in->node());
    });
    return twins.size() > 1;
  }

  // True if the reader must move into an earlier twin, because it reads results of both.
  bool reads_earlier_twin(const Node& reader) const {
    bool any = false;
    for_each_read(reader, [&](const Value* in) {
      any = any || (in->node() && !following_.contains(in->node()) && is_open(in) && is_twin(*in->node()));
    });
    return any;
  }

  // Finds the readers of open values, and the open values that they return. Returns false if there are none or too
  // many, if an earlier If must move first, or if open values leave the block and the pass is not needed.
  bool find_readers() {
    std::unordered_set<const Value*> following(branch_.outputs().begin(), branch_.outputs().end());
    for (Node* node = branch_.next(); node; node = node->next()) {
      if (!reads_any(*node, following) && !is_twin(*node)) continue;
      following_.insert(node);
      following.insert(node->outputs().begin(), node->outputs().end());
      if (!reads_any(*node, open_) && !is_twin(*node)) continue;
      // Other passes rebuild an optional output after the If, so moving it would never end.
      if (node->is("prim::If") && returns_optional(*node)) return false;
      readers_.push_back(node);
      const bool decides = node->is("prim::If") && open_.contains(node->input());
      is_needed_ = is_needed_ || decides || wants_rank(*node, open_) || reads_two_twins(*node);
      for (const Value* out : node->outputs())
        if (!out->type().is(Type::Kind::Tensor) || !out->facts().dims || out->facts().dtype == ir::DType::Undefined)
          open_.insert(out);
    }
    if (std::ranges::any_of(readers_, [&](const Node* reader) { return reads_earlier_twin(*reader); })) return false;
    const auto outputs = branch_.parent()->outputs();
    const bool leaves = std::any_of(outputs.begin(), outputs.end(),
                                    [&](const Value* out) { return open_.contains(out) && !out->type().is_scalar(); });
    return !readers_.empty() && (!leaves || is_needed_) && readers_.size() <= kMostReaders;
  }

  // Adds the nodes that the readers need: those that depend on the If move into the branches, the others before the If.
  void find_operands() {
    std::unordered_set<const Node*> needed(readers_.begin(), readers_.end());
    std::vector<Node*> later;
    for (Node* node = branch_.next(); node; node = node->next()) later.push_back(node);
    readers_.clear();
    for (auto it = later.rbegin(); it != later.rend(); ++it) {
      if (!needed.contains(*it)) continue;
      for_each_read(**it, [&](const Value* in) {
        if (in->node()) needed.insert(in->node());
      });
      (following_.contains(*it) ? readers_ : moved_).push_back(*it);
    }
    std::reverse(readers_.begin(), readers_.end());
    std::reverse(moved_.begin(), moved_.end());
  }

  void sink(Node& node) {
    std::vector<Node*> copies;
    for (Block* block : branch_.blocks()) {
      ValueMap map;
      for (std::size_t i = 0; i < branch_.output_count(); ++i) map[branch_.output(i)] = block->outputs()[i];
      block->append(copies.emplace_back(copy_node(node, map)));
    }
    for (Value* out : node.outputs()) {
      const std::size_t i = out->index();
      Value* result = add_result(branch_, out->type(), copies[0]->output(i), copies[1]->output(i));
      result->set_facts(out->facts());
      out->replace_uses(result);
    }
    node.erase();
  }

  Node& branch_;
  // True if the program cannot be lowered otherwise: dtypes differ, a reader needs a rank or two twins, an open value
  // is the condition of an If, or a model cannot contain a result.
  bool is_needed_ = false;
  std::unordered_set<const Value*> open_;
  std::unordered_set<const Node*> following_;  // nodes that depend on results of the If
  std::vector<Node*> readers_;                 // nodes that move into it, in order
  std::vector<Node*> moved_;                   // nodes that move before it
};

}  // namespace

bool sink_readers(ir::Graph& graph) {
  if (has_writes(graph)) return false;
  const std::vector<Node*> branches = branches_of(graph);
  // One If in each call, because the next one needs the facts of what moved; the last first, as readers are after it.
  return std::any_of(branches.rbegin(), branches.rend(), [](Node* branch) { return Sinker(*branch).run(); });
}

}  // namespace tonnx::program
