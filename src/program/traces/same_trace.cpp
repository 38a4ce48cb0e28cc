#include "program/traces/same_trace.h"

#include <unordered_map>

#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "ir/refusal.h"
#include "ir/text.h"
#include "program/operand.h"

namespace tonnx::program {

using ir::Block;
using ir::Constant;
using ir::Node;
using ir::Tensor;
using ir::Value;

namespace {

// The weight or constant; nullopt if the value is computed.
std::optional<Constant> stored_value(const Value* value) {
  if (value->weight()) return Constant{*value->weight()};
  if (value->node() && value->node()->is("prim::Constant")) return value->constant() ? *value->constant() : Constant{};
  return std::nullopt;
}

// LibTorch's C++ interface does not record these if they would return the whole tensor or keep its layout.
bool is_left_out(const Node& node) {
  const aten::Traits& traits = aten::traits_of(node);
  return node.domain() == "prim" || aten::keeps_operand(traits) || traits.inverse == aten::Inverse::Slice ||
         (traits.inverse == aten::Inverse::Reshape && traits.spells_sizes && traits.alias == aten::Alias::Marked);
}

const Node* next_step(const Node* node) {
  while (node && is_left_out(*node)) node = node->next();
  return node;
}

std::string describe_tensor(const Tensor& tensor) {
  const std::string dims = ir::format_dims(tensor.dims);
  return "a captured tensor, " + std::string(ir::name_of(tensor.dtype)) + (dims.empty() ? "" : " " + dims);
}

// For a tensor of one dtype and shape with `other`: includes the first element that differs.
std::string describe_value(const Value* value, const Constant* constant, const Constant* other) {
  const Node* producer = value->node();
  if (!constant && producer->is("prim::Param")) return "input " + value->name();
  if (!constant) return "the result of " + describe_site(*producer);
  const auto* tensor = constant->get<Tensor>();
  if (!tensor) return ir::to_string(*constant);
  const Tensor* beside = other ? other->get<Tensor>() : nullptr;
  if (!beside || beside->dtype != tensor->dtype || beside->dims != tensor->dims || ir::is_complex(tensor->dtype))
    return describe_tensor(*tensor);
  std::int64_t i = 0;
  while (i + 1 < tensor->numel() && tensor->as_double(i) == beside->as_double(i)) ++i;
  const std::string element = ir::format_float(tensor->as_double(i));
  return tensor->rank() == 0 ? element
                             : describe_tensor(*tensor) + ", with " + element + " as element " + std::to_string(i);
}

class Comparison {
 public:
  std::optional<TraceDifference> run(const ir::Graph& first, const ir::Graph& other) {
    pair(first.inputs(), other.inputs());
    return blocks(first.block(), other.block());
  }

 private:
  template <class Values>
  void pair(const Values& first, const Values& other) {
    for (std::size_t i = 0; i < first.size() && i < other.size(); ++i) partners_[first[i]] = other[i];
  }

  std::optional<TraceDifference> blocks(const Block& first, const Block& other) {
    const Node* b = next_operator(other.first());
    for (const Node* a = next_operator(first.first()); a; a = next_operator(a->next()), b = next_operator(b->next())) {
      if (!b || !same_operator(*a, *b)) return operator_difference(a, b);
      if (auto found = operands(*a, *b)) return found;
      pair(a->outputs(), b->outputs());
      for (std::size_t i = 0; i < a->blocks().size(); ++i) {
        pair(a->block(i)->inputs(), b->block(i)->inputs());
        if (auto found = blocks(*a->block(i), *b->block(i))) return found;
      }
    }
    if (b) return operator_difference(first.return_node(), b);
    if (first.return_node()->input_count() != other.return_node()->input_count())
      return operator_difference(first.return_node(), other.return_node());
    return operands(*first.return_node(), *other.return_node());
  }

  static bool same_operator(const Node& a, const Node& b) {
    return a.full_name() == b.full_name() && a.input_count() == b.input_count() &&
           a.output_count() == b.output_count() && a.blocks().size() == b.blocks().size();
  }

  static TraceDifference operator_difference(const Node* a, const Node* b) {
    return {a, std::nullopt, describe_step(a), describe_step(b)};
  }

  std::optional<TraceDifference> operands(const Node& a, const Node& b) const {
    for (std::size_t i = 0; i < a.input_count(); ++i) {
      const auto first = stored_value(a.input(i)), other = stored_value(b.input(i));
      if (first && other ? same_constant(*first, *other) : !first && !other && partners_.at(a.input(i)) == b.input(i))
        continue;
      return TraceDifference{&a, i, describe_value(a.input(i), first ? &*first : nullptr, other ? &*other : nullptr),
                             describe_value(b.input(i), other ? &*other : nullptr, first ? &*first : nullptr)};
    }
    return std::nullopt;
  }

  std::unordered_map<const Value*, const Value*> partners_;
};

}  // namespace

std::optional<TraceDifference> first_difference(const ir::Graph& first, const ir::Graph& other) {
  return Comparison().run(first, other);
}

std::optional<TraceDifference> first_other_step(const ir::Graph& first, const ir::Graph& other) {
  const Node *a = next_step(first.block().first()), *b = next_step(other.block().first());
  for (; a && b && a->full_name() == b->full_name(); a = next_step(a->next()), b = next_step(b->next())) continue;
  if (!a && !b) return std::nullopt;
  return TraceDifference{a ? a : first.block().return_node(), std::nullopt, describe_step(a), describe_step(b)};
}

}  // namespace tonnx::program
