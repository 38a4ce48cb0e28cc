// Replaces undefined values, which no run reads but a model must define, by zeros with the dtype and dims that the
// other branch or the loop has.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <unordered_set>
#include <utility>
#include <vector>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/merge.h"
#include "program/control/passes.h"
#include "program/edit.h"
#include "program/facts/marks.h"
#include "program/nodes_where.h"

namespace tonnx::program {

using aten::Container;

namespace {

constexpr std::int64_t kLargestFiller = 65536;  // elements

// The facts of all tensors that a list may contain, found through branches, loops and list operators: the items of a
// list in a model have one dtype. If one tensor leaves a dim open, the dim of another is used, because readers of the
// list may declare it; of different sizes, the first one.
class SharedItems {
 public:
  void follow(const ir::Value& list) {
    if (!seen_.insert(&list).second) return;
    if (const ir::Node* loop = loop_around(list)) {
      carried(*loop, list.index() - 1);
    } else {
      defined_by(*list.node(), list.index());
    }
    for (const ir::Use& use : list.uses()) read_by(use);
  }
  const ir::Facts& facts() const { return facts_; }

 private:
  static const ir::Node* loop_around(const ir::Value& param) {
    const ir::Block* block = param.node()->edge_of();
    const ir::Node* owner = block ? block->owner() : nullptr;
    return owner && owner->is("prim::Loop") && param.index() > 0 ? owner : nullptr;
  }

  void learn(const ir::Value& item) {
    if (is_never(&item) || item.facts().dtype == ir::DType::Undefined) return;
    ir::Facts facts = item.facts();
    facts.constant = nullptr;
    if (facts_.dtype == ir::DType::Undefined) return void(facts_ = facts);
    ir::Facts both = ir::join(facts_, facts);
    for (std::size_t i = 0; both.dims && i < both.dims->size(); ++i) {
      const ir::Dim &a = (*facts_.dims)[i], &b = (*facts.dims)[i];
      const auto is_open = [](const ir::Dim& dim) { return !dim.is_fixed() && !dim.is_symbolic(); };
      if (is_open(a) != is_open(b) || (a.is_fixed() && b.is_fixed())) (*both.dims)[i] = is_open(a) ? b : a;
    }
    facts_ = std::move(both);
  }

  void defined_by(const ir::Node& node, std::size_t output) {
    if (node.is("prim::If")) {
      for (const ir::Block* block : node.blocks()) follow(*block->outputs()[output]);
    } else if (node.is("prim::Loop")) {
      carried(node, output);
    } else {
      container(node);
    }
  }

  void carried(const ir::Node& loop, std::size_t k) {
    const ir::Block& body = *loop.block(0);
    for (const ir::Value* list : {loop.input(k + 2), body.inputs()[k + 1], body.outputs()[k + 1], loop.output(k)})
      follow(*list);
  }

  void read_by(const ir::Use& use) {
    const ir::Node* owner = use.node->edge_of() ? use.node->edge_of()->owner() : nullptr;
    if (owner && owner->is("prim::If")) {
      defined_by(*owner, use.index);
    } else if (owner && owner->is("prim::Loop") && use.index > 0) {
      carried(*owner, use.index - 1);
    } else if (use.node->is("prim::Loop") && use.index >= 2) {
      carried(*use.node, use.index - 2);
    } else if (!owner) {
      container(*use.node);
    }
  }

  // Follows the lists that the operator reads and returns, and joins the facts of its tensors.
  void container(const ir::Node& node) {
    switch (aten::traits_of(node).container) {
      case Container::List:
      case Container::ListUnpack:
      case Container::Item:
      case Container::Concat:
      case Container::Part:
      case Container::Copy: break;
      default: return;
    }
    for (const auto values : {node.inputs(), node.outputs()})
      for (const ir::Value* value : values) {
        if (value->type().is(ir::Type::Kind::List)) follow(*value);
        if (value->type().is(ir::Type::Kind::Tensor)) learn(*value);
      }
  }

  std::unordered_set<const ir::Value*> seen_;
  ir::Facts facts_;
};

// The facts that an undefined value should have for its use: those of the If result or the loop-carried value that
// it becomes, of the other branch, or of a later such value.
ir::Facts facts_of_reader(const ir::Use& use) {
  ir::Facts facts;
  if (aten::acts_as(*use.node, Container::List)) {
    SharedItems items;
    items.follow(*use.node->output());
    return items.facts();
  }
  const auto learn = [&](const ir::Facts& more) {
    if (!facts.has_rank() && (more.has_rank() || facts.dtype == ir::DType::Undefined)) facts = more;
  };
  if (use.node->is("prim::Loop") && use.index >= 2) {
    learn(use.node->block(0)->inputs()[use.index - 1]->facts());
    return facts;
  }
  const ir::Node* owner = use.node->edge_of() ? use.node->edge_of()->owner() : nullptr;
  if (owner && owner->is("prim::If")) {
    const ir::Value* result = owner->output(use.index);
    learn(result->facts());
    for (const ir::Block* block : owner->blocks()) learn(block->outputs()[use.index]->facts());
    for (const ir::Use& next : result->uses())
      if (!facts.has_rank()) learn(facts_of_reader(next));
  } else if (owner && owner->is("prim::Loop") && use.index >= 1) {
    learn(owner->block(0)->inputs()[use.index]->facts());
  }
  return facts;
}

// Returns the sizes as a list if each is fixed or is a dim of an input; else null.
ir::Value* input_sizes(Inserter& insert, const ir::Graph& graph, const std::vector<ir::Dim>& dims) {
  std::vector<std::pair<ir::Value*, std::size_t>> sources;  // null: fixed
  for (const ir::Dim& dim : dims) {
    sources.emplace_back(nullptr, 0);
    for (ir::Value* input : graph.inputs())
      for (std::size_t axis = 0; dim.is_symbolic() && input->facts().dims && axis < input->facts().dims->size(); ++axis)
        if ((*input->facts().dims)[axis].same(dim)) sources.back() = {input, axis};
    if (!dim.is_fixed() && !sources.back().first) return nullptr;
  }
  std::vector<ir::Value*> sizes;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const auto [input, axis] = sources[i];
    ir::Value* number = insert.integer(input ? static_cast<std::int64_t>(axis) : dims[i].size());
    sizes.push_back(input ? insert.call("aten::size.int", {input, number}) : number);
  }
  return insert.list(ir::Type::list(ir::Type::of(ir::Type::Kind::Int)), sizes);
}

// Returns zero, an empty list, None, or a tensor of zeros. The tensor has the dtype, rank and fixed dims of `facts`.
// Its other dims are those of `facts` if they are dims of inputs, else 1.
ir::Value* filler(Inserter& insert, const ir::Graph& graph, const ir::Type& type, const ir::Facts& facts) {
  if (type.is_scalar()) return insert.zero(type);
  if (type.is(ir::Type::Kind::List)) return insert.list(type, {});
  if (!type.is(ir::Type::Kind::Tensor)) return insert.none();
  const ir::DType dtype = facts.dtype == ir::DType::Undefined ? ir::DType::Float32 : facts.dtype;
  // ONNX Runtime requires the fixed dims of the other branch.
  std::vector<std::int64_t> dims;
  for (const ir::Dim& dim : facts.dims.value_or(std::vector<ir::Dim>()))
    dims.push_back(dim.is_fixed() ? dim.size() : 1);
  const auto numel = [&] { return std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies<>()); };
  if (numel() > kLargestFiller) dims.assign(dims.size(), 1);
  const std::size_t bytes = static_cast<std::size_t>(numel()) * size_of(dtype);
  const std::vector<std::byte> zeros(std::max<std::size_t>(1, bytes));
  ir::Value* constant = insert.constant({ir::Tensor::from_bytes(dtype, dims, zeros.data(), bytes)});
  const bool has_all_dims = !facts.dims || facts.fixed_dims() == dims;
  ir::Value* sizes = has_all_dims ? nullptr : input_sizes(insert, graph, *facts.dims);
  if (!sizes) return constant;
  ir::Value* expanded = insert.call("aten::expand", {constant, sizes});
  expanded->set_facts(facts);
  return expanded;
}

// Removes the symbolic dims that the filler does not have from the facts of the results that it becomes.
void invalidate_dims(const ir::Use& use, const ir::Facts& filler) {
  const ir::Node* owner = use.node->edge_of() ? use.node->edge_of()->owner() : nullptr;
  if (!owner || !owner->is("prim::If") || !filler.dims) return;
  ir::Value* result = owner->output(use.index);
  ir::Facts facts = result->facts();
  if (!facts.dims || facts.dims->size() != filler.dims->size()) return;
  bool changes = false;
  for (std::size_t i = 0; i < facts.dims->size(); ++i) {
    ir::Dim& dim = (*facts.dims)[i];
    if (!dim.is_symbolic() || dim.same((*filler.dims)[i])) continue;
    dim = ir::Dim();
    changes = true;
  }
  if (!changes) return;
  result->set_facts(std::move(facts));
  for (const ir::Use& next : result->uses()) invalidate_dims(next, filler);
}

// Removes operators that no run reaches: they read an undefined value, or infer_facts() found that.
void drop_unreached(ir::Graph& graph, const FactMarks& marks) {
  const std::vector<ir::Node*> operators =
      nodes_where(graph, [&](const ir::Node* node) { return node->schema() && node->blocks().empty(); });
  for (ir::Node* node : operators) {
    const bool is_unreached = node->output_count() > 0 && marks.unreached.contains(*node->output(0));
    if (!is_unreached && std::ranges::none_of(node->inputs(), is_never)) continue;
    Inserter insert(node);
    for (ir::Value* out : node->outputs()) out->replace_uses(insert.never(out->type()));
    node->erase();
  }
}

}  // namespace

void fill_uninitialised(ir::Graph& graph, const FactMarks& marks) {
  drop_unreached(graph, marks);
  const std::vector<ir::Node*> nodes =
      nodes_where(graph, [&](const ir::Node* node) { return node->is("prim::Uninitialized"); });
  std::vector<std::pair<ir::Use, ir::Facts>> reads;  // collected first, because filling changes the facts
  for (const ir::Node* node : nodes)
    for (const ir::Value* out : node->outputs())
      for (const ir::Use& use : out->uses()) reads.emplace_back(use, facts_of_reader(use));
  for (const auto& [use, facts] : reads) {
    const ir::Value* undefined = use.node->input(use.index);
    Inserter insert(undefined->node());
    ir::Value* zeros = filler(insert, graph, undefined->type(), facts);
    use.node->set_input(use.index, zeros);
    invalidate_dims(use, zeros->facts());
  }
  for (ir::Node* node : nodes) node->erase();
}

}  // namespace tonnx::program
