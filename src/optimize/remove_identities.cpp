#include <algorithm>
#include <optional>

#include "optimize/passes.h"
#include "optimize/reads.h"

namespace tonnx::optimize {
namespace {

using ir::DType;
using ir::Node;
using ir::Value;
using Dims = std::vector<std::int64_t>;

bool is_identity(const Dims& perm) {
  for (std::size_t i = 0; i < perm.size(); ++i)
    if (perm[i] != static_cast<std::int64_t>(i)) return false;
  return true;
}

// True if every value of `from` survives a cast to `to` and back.
bool is_lossless(DType from, DType to) {
  if (from == DType::Bool) return true;
  if (ir::is_integral(from) && ir::is_integral(to)) {
    const bool from_unsigned =
        ir::promote(from, DType::UInt8) == from && from != DType::Int16 && from != DType::Int32 && from != DType::Int64;
    const bool to_unsigned = to == DType::UInt8 || to == DType::UInt16 || to == DType::UInt32 || to == DType::UInt64;
    return from_unsigned == to_unsigned ? size_of(to) >= size_of(from) : from_unsigned && size_of(to) > size_of(from);
  }
  if (ir::is_floating(from) && ir::is_floating(to)) return ir::promote(from, to) == to;
  if (ir::is_integral(from) && to == DType::Float64) return size_of(from) <= 4;
  if (ir::is_integral(from) && to == DType::Float32) return size_of(from) <= 2;
  return false;
}

// True if each size is 1 or equals that of the axis.
bool expands_nothing(const Node& expand) {
  const auto sizes = constant_ints(expand.input(1));
  const auto& dims = expand.input(0)->facts().dims;
  const auto has = [](std::int64_t size, const ir::Dim& dim) {
    return size == 1 || (dim.is_fixed() && dim.size() == size);
  };
  return sizes && dims && sizes->size() <= dims->size() &&
         std::equal(sizes->rbegin(), sizes->rend(), dims->rbegin(), has);
}

// True if each size but one is specified and equals that of the axis.
bool reshapes_nothing(const Node& reshape) {
  const auto sizes = constant_ints(reshape.input(1));
  const auto& dims = reshape.input(0)->facts().dims;
  if (!sizes || !dims || sizes->size() != dims->size() || integer_of(reshape, "allowzero", 0) != 0) return false;
  int left = 0;
  for (std::size_t axis = 0; axis < sizes->size(); ++axis) {
    const ir::Dim& dim = (*dims)[axis];
    if ((*sizes)[axis] == -1) ++left;
    if ((*sizes)[axis] > 0 && !(dim.is_fixed() && dim.size() == (*sizes)[axis])) return false;
  }
  return left <= 1;
}

// The value this node passes through unchanged, or null.
Value* passes_through(const Node& node) {
  if (node.output_count() != 1 || node.input_count() == 0 || !node.input(0)) return nullptr;
  Value* x = node.input(0);
  const Node* producer = x->node();
  if (node.is("onnx::Identity")) return x;
  if (node.is("onnx::Cast")) {
    const std::int64_t* to = node.attribute_as<std::int64_t>("to");
    if (!to) return nullptr;
    const DType target = ir::dtype_from_onnx(static_cast<std::int32_t>(*to));
    if (x->facts().dtype == target) return x;
    if (producer->is("onnx::Cast") && producer->input(0)->facts().dtype == target &&
        is_lossless(target, x->facts().dtype))
      return producer->input(0);
    return nullptr;
  }
  if (node.is("onnx::Concat")) return node.input_count() == 1 ? x : nullptr;
  if (node.is("onnx::Transpose")) {
    const Dims* perm = node.attribute_as<Dims>("perm");
    return perm && is_identity(*perm) ? x : nullptr;
  }
  if (node.is("onnx::Reshape") || node.is("onnx::Expand")) {
    const auto have = x->facts().fixed_dims();
    const auto want = node.output(0)->facts().fixed_dims();
    if (have && want && *have == *want) return x;
    return (node.is("onnx::Expand") ? expands_nothing(node) : node.input_count() > 1 && reshapes_nothing(node))
               ? x
               : nullptr;
  }
  if (node.is("onnx::Squeeze") && producer->is("onnx::Unsqueeze")) {
    const auto off = axes_of(node), on = axes_of(*producer);
    return off && on && *off == *on ? producer->input(0) : nullptr;
  }
  return nullptr;
}

bool remove_identities_in(ir::Block& block) {
  bool changed = false;
  for (Node* node : block.nodes()) {
    for (ir::Block* inner : node->blocks()) changed = remove_identities_in(*inner) || changed;
    Value* source = passes_through(*node);
    if (!source) continue;
    Value* result = node->output(0);
    if (is_block_output(result)) {
      // A model output needs a separate value, made in its block.
      const bool own = source->node()->parent() == &block && !is_block_output(source);
      if (!own) continue;
      if (source->name().empty()) source->set_name(result->name());
    }
    // The more precise facts are kept.
    if (!source->weight() && result->facts().has_rank() && !source->facts().has_rank())
      source->facts().dims = result->facts().dims;
    result->replace_uses(source);
    node->erase();
    changed = true;
  }
  return changed;
}

}  // namespace

bool remove_identities(ir::Graph& model) { return remove_identities_in(model.block()); }

}  // namespace tonnx::optimize
