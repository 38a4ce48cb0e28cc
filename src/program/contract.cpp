#include "program/contract.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

#include "aten/containers.h"
#include "aten/identity.h"
#include "aten/traits.h"
#include "ir/refusal.h"
#include "ir/writes.h"

namespace tonnx::program {

using ir::Block;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

// Why a value of this type cannot be a result of a branch, a loop or the program; empty if it can.
std::string why_not(const Type& type) {
  switch (type.kind) {
    case Type::Kind::Tuple: return "a tuple of unknown structure";
    case Type::Kind::Dict: return "a dict";
    case Type::Kind::Object: return "an object of class " + type.name;
    case Type::Kind::List:
      if (type.elements.empty() || type.elements[0].is(Type::Kind::Tensor) || type.elements[0].is_scalar() ||
          type.elements[0].is(Type::Kind::Any) || type.elements[0].is(Type::Kind::Optional))
        return {};
      return "a list of type " + to_string(type);
    case Type::Kind::Optional: return type.elements.empty() ? std::string() : why_not(type.elements[0]);
    default: return {};
  }
}

// What the user can do instead; empty if nothing.
std::string way_out(const Type& type) {
  switch (type.kind) {
    case Type::Kind::String:
      return "; use numbers, or strings that are constants or built from one integer as f\"k{i}\" and that are only "
             "compared";
    case Type::Kind::Dict: return "; use tuples, or dicts of the same constant keys in the same order";
    case Type::Kind::Object: return "; use tuples";
    case Type::Kind::List:
    case Type::Kind::Optional: return type.elements.empty() ? std::string() : way_out(type.elements[0]);
    default: return {};
  }
}

class Checker {
 public:
  Checker(ir::Graph& graph, std::string_view after, ir::Refusals& refusals)
      : graph_(graph), after_(after), refusals_(refusals), refused_(ir::refused_values(graph)) {}

  void run() {
    check(graph_.block());
    for (const Value* out : graph_.outputs()) {
      const std::string why = why_not(out->type());
      if (!why.empty() && out->node() && !refused_.contains(out))
        refusals_.add(*out->node(), "the program returns " + why + "; return tensors, lists or tuples of them");
    }
  }

 private:
  [[noreturn]] void blame(const Node& node, const std::string& what) const {
    throw ir::Error(ir::Code::Internal,
                    "contract broken after " + std::string(after_) + ": " + describe_site(node) + " " + what);
  }

  void refuse(Node& node, const std::string& text) {
    if (std::ranges::none_of(node.inputs(), [&](const Value* in) { return refused_.contains(in); }))
      refusals_.add(node, text);
    ir::mark_refused(node);
  }

  // True if the value has uses, and all of them are refused for another reason.
  bool has_only_refused_uses(const Value* value) const {
    const auto is_refused = [&](const ir::Use& use) {
      if (use.node->is("prim::Loop"))
        return use.index >= 2 && refused_.contains(use.node->block(0)->inputs()[use.index - 1]);
      return use.node->output_count() > 0 && refused_.contains(use.node->output(0));
    };
    return !value->is_unused() && std::ranges::all_of(value->uses(), is_refused);
  }

  void check(Block& block) {
    for (Node* node : block.nodes()) {
      check(*node);
      for (Block* inner : node->blocks()) check(*inner);
    }
  }

  void check(Node& node) {
    if (writes(node)) blame(node, "writes to an argument");
    if (node.is("prim::Constant")) {
      if (!node.output()->constant() && !node.output()->type().is(Type::Kind::None)) blame(node, "has no value");
      return;
    }
    const std::string_view refused = aten::traits_of(node).refusal;
    if (!refused.empty()) refuse(node, std::string(refused));
    if (node.is("prim::RaiseException") && !node.parent()->owner())
      refuse(node, "the program always raises an exception here");
    if (aten::identity_of(node.kind()) != aten::Identity::None)
      refuse(node,
             "whether two values are the same object is known only at run time; compute a bool for it in the program");
    if (aten::acts_as(node, aten::Container::Dict) && !has_only_refused_uses(node.output()))
      refuse(node, "a dict is used in a way that is known only at run time; use tuples or constant keys");
    if (aten::acts_as(node, aten::Container::Tuple) && !has_only_refused_uses(node.output()))
      refuse(node, "a tuple is used in a way that is known only at run time");
    if (node.is("prim::If") || node.is("prim::Loop")) {
      for (const Value* out : node.outputs()) {
        const std::string why = why_not(out->type());
        if (refused_.contains(out)) {
          ir::mark_refused(node);
        } else if (!why.empty()) {
          refuse(node, "its result is " + why + ", which no ONNX model can hold" + way_out(out->type()));
        }
      }
    }
  }

  ir::Graph& graph_;
  std::string_view after_;
  ir::Refusals& refusals_;
  const std::unordered_set<const Value*> refused_;
};

}  // namespace

void check_contract(ir::Graph& graph, std::string_view after, ir::Refusals& refusals) {
  Checker(graph, after, refusals).run();
}

}  // namespace tonnx::program
