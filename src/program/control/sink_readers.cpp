// What reads a branch's result whose rank or dtype depends on the branch goes into both branches, up to what has one of
// each again. So does what reads a text or a dict that the branch chooses, or a list of such.
//
// Needs facts, and a program without writes; leaves results that are handed out of the block as they are:
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

bool gives_optional(const Node& node) {
  return std::ranges::any_of(node.outputs(), [](const Value* out) { return out->type().is(Type::Kind::Optional); });
}

// Whether no model holds values of the type, or lists of such.
bool is_of_program(const Type& type) {
  if (type.is(Type::Kind::List) || type.is(Type::Kind::Optional)) return is_of_program(type.elements.at(0));
  return type.is(Type::Kind::String) || type.is(Type::Kind::Dict);
}

bool differ_in_form(const ir::Facts& a, const ir::Facts& b) {
  return a.dims && b.dims && (differ_in_dtype(a, b) || a.dims->size() != b.dims->size());
}

// Whether the reader, or what is inside it, can only be had where the ranks of these values are known, or of what
// follows from them.
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

// Whether the two sides of a branch differ in a result, or those of a branch that gives it to a side.
bool differs(const Node& branch, std::size_t result, bool (*differ)(const ir::Facts&, const ir::Facts&)) {
  const Value& a = *branch.block(0)->outputs()[result];
  const Value& b = *branch.block(1)->outputs()[result];
  const auto inside = [&](const Value& side) {
    return side.node() && side.node()->is("prim::If") && differs(*side.node(), side.index(), differ);
  };
  return differ(a.facts(), b.facts()) || inside(a) || inside(b);
}

// Whether the ranks or dtypes of a branch's result are known, and differ.
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
      if (is_of_program(branch_.output(i)->type()) && !branch_.output(i)->is_unused()) {
        open_.insert(branch_.output(i));
        is_needed_ = true;
      }
      if (branch_.output(i)->is_unused() || !is_open(branch_, i)) continue;
      open_.insert(branch_.output(i));
      is_needed_ = is_needed_ || differs(branch_, i, differ_in_dtype);
    }
  }

  // A branch on the same condition that has open results, too: the branches know which of them go together.
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

  // What reads results of both goes into the first.
  bool reads_earlier_twin(const Node& reader) const {
    bool any = false;
    for_each_read(reader, [&](const Value* in) {
      any = any || (in->node() && !following_.contains(in->node()) && is_open(in) && is_twin(*in->node()));
    });
    return any;
  }

  // False if what reads the open values does not end in the block; where no model can be had without it, what leaves
  // the block may be what a model holds.
  bool find_readers() {
    std::unordered_set<const Value*> following(branch_.outputs().begin(), branch_.outputs().end());
    for (Node* node = branch_.next(); node; node = node->next()) {
      if (!reads_any(*node, following) && !is_twin(*node)) continue;
      following_.insert(node);
      following.insert(node->outputs().begin(), node->outputs().end());
      if (!reads_any(*node, open_) && !is_twin(*node)) continue;
      // The form of an output, which is made behind the branch again and again.
      if (node->is("prim::If") && gives_optional(*node)) return false;
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

  // What the readers read besides: it follows them into the branches if it needs the branch's results, else it moves
  // before.
  void find_operands() {
    std::unordered_set<const Node*> needed(readers_.begin(), readers_.end());
    std::vector<Node*> behind;
    for (Node* node = branch_.next(); node; node = node->next()) behind.push_back(node);
    readers_.clear();
    for (auto it = behind.rbegin(); it != behind.rend(); ++it) {
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
  // No model can be had without: dtypes differ, a reader wants a rank or is a branch that an open value decides,
  // results are no values of a model, or go with those of another branch.
  bool is_needed_ = false;
  std::unordered_set<const Value*> open_;
  std::unordered_set<const Node*> following_;  // nodes that need results of the branch
  std::vector<Node*> readers_;                 // those that go into it, in order
  std::vector<Node*> moved_;                   // those that go before it
};

}  // namespace

bool sink_readers(ir::Graph& graph) {
  if (has_writes(graph)) return false;
  const std::vector<Node*> branches = branches_of(graph);
  // One a call, for facts of what moved are wanted first; the last of them, behind which all is at rest.
  return std::any_of(branches.rbegin(), branches.rend(), [](Node* branch) { return Sinker(*branch).run(); });
}

}  // namespace tonnx::program
