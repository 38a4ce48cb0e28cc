#include <algorithm>
#include <cstring>
#include <string>
#include <unordered_map>

#include "ir/onnx_traits.h"
#include "optimize/passes.h"
#include "optimize/reads.h"

namespace tonnx::optimize {
namespace {

using ir::Node;
using ir::Tensor;
using ir::Value;

constexpr std::size_t kTensorBytes = 4096;  // larger constants are not compared

class Key {
 public:
  std::string take() { return std::move(text_); }
  void add(std::string_view s) { add(s.size()), text_.append(s); }
  template <class T>
    requires std::is_arithmetic_v<T>
  void add(T value) {
    text_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  bool add(const Tensor& t) {
    if (t.bytes() > kTensorBytes) return false;
    add(static_cast<std::int32_t>(t.dtype));
    add(t.dims);
    std::string bytes(t.bytes(), '\0');
    t.read(0, t.numel(), reinterpret_cast<std::byte*>(bytes.data()));
    add(std::string_view(bytes));
    return true;
  }
  template <class T>
  void add(const std::vector<T>& values) {
    add(values.size());
    for (const T& v : values) add(v);
  }
  bool add(const ir::Attribute& attribute) {
    add(attribute.index());
    if (const auto* i = std::get_if<std::int64_t>(&attribute)) return add(*i), true;
    if (const auto* d = std::get_if<double>(&attribute)) return add(*d), true;
    if (const auto* s = std::get_if<std::string>(&attribute)) return add(std::string_view(*s)), true;
    if (const auto* t = std::get_if<Tensor>(&attribute)) return add(*t);
    if (const auto* is = std::get_if<std::vector<std::int64_t>>(&attribute)) return add(*is), true;
    if (const auto* ds = std::get_if<std::vector<double>>(&attribute)) return add(*ds), true;
    return false;
  }

 private:
  std::string text_;
};

// Maps the values of one block to those of another that computes the same.
using Twins = std::unordered_map<const Value*, const Value*>;

const Value* twin(const Twins& twins, const Value* value) {
  const auto it = twins.find(value);
  return it == twins.end() ? value : it->second;
}

// A key that two nodes have in common only if they compute the same; empty if they must not be compared.
std::string key_of(const Node& node, const Twins& twins = {}) {
  Key key;
  key.add(std::string_view(node.kind()));
  key.add(node.output_count());
  for (const Value* in : node.inputs()) key.add(in ? twin(twins, in)->id() : UINT32_MAX);
  for (const ir::NamedAttribute& a : node.attributes()) {
    key.add(std::string_view(a.name));
    if (!key.add(a.value)) return {};
  }
  return key.take();
}

// True if neither block is random and both compute the same.
bool compute_the_same(const ir::Block& a, const ir::Block& b) {
  Twins twins;
  Node* of_a = a.first();
  for (Node* of_b : b.nodes()) {
    if (!of_a || !of_a->blocks().empty() || !of_b->blocks().empty() || ir::onnx_traits_of(*of_b).random) return false;
    const std::string key = key_of(*of_b, twins);
    if (key.empty() || key != key_of(*of_a)) return false;
    for (std::size_t i = 0; i < of_b->output_count(); ++i) twins[of_b->output(i)] = of_a->output(i);
    of_a = of_a->next();
  }
  const auto same = [&](const Value* x, const Value* y) { return x == twin(twins, y); };
  return !of_a && std::ranges::equal(a.outputs(), b.outputs(), same);
}

// Replaces the If by what both branches compute.
bool merge_branches(Node& branch) {
  if (!branch.is("onnx::If") || std::ranges::any_of(branch.outputs(), is_block_output)) return false;
  if (!compute_the_same(*branch.block(0), *branch.block(1))) return false;
  for (Node* node : branch.block(0)->nodes()) node->move_before(&branch);
  for (std::size_t i = 0; i < branch.output_count(); ++i) {
    Value *result = branch.output(i), *merged = branch.block(0)->outputs()[i];
    if (!merged->weight() && !merged->facts().has_rank()) merged->facts().dims = result->facts().dims;
    result->replace_uses(merged);
  }
  branch.erase();
  return true;
}

using Table = std::unordered_map<std::string, Node*>;

bool share_common_subexpressions_in(ir::Block& block, const std::vector<const Table*>& outer) {
  bool changed = false;
  Table here;
  for (Node* node : block.nodes()) {
    if (!node->blocks().empty()) {
      std::vector<const Table*> visible = outer;
      visible.push_back(&here);
      for (ir::Block* inner : node->blocks()) changed = share_common_subexpressions_in(*inner, visible) || changed;
      changed = merge_branches(*node) || changed;
      continue;
    }
    if (node->domain() != "onnx" || ir::onnx_traits_of(*node).random)
      continue;  // a custom operator may have side effects or be random
    const std::string key = key_of(*node);
    if (key.empty()) continue;
    Node* same = nullptr;
    for (const Table* table : outer)
      if (const auto it = table->find(key); it != table->end()) same = it->second;
    if (!same) {
      const auto [it, fresh] = here.try_emplace(key, node);
      if (fresh) continue;
      same = it->second;
    }
    if (std::ranges::any_of(node->outputs(), is_block_output)) continue;  // two model outputs need two values
    for (std::size_t i = 0; i < node->output_count(); ++i) node->output(i)->replace_uses(same->output(i));
    node->erase();
    changed = true;
  }
  return changed;
}

}  // namespace

bool share_common_subexpressions(ir::Graph& model) { return share_common_subexpressions_in(model.block(), {}); }

}  // namespace tonnx::optimize
