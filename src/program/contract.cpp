#include "program/contract.h"

#include <algorithm>
#include <string>
#include <vector>

#include "aten/traits.h"
#include "program/place.h"

namespace tonnx::program {

using ir::Block;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

constexpr std::size_t kLines = 12;  // reasons told in the message

// Why a value of this type cannot leave a branch, a loop or the program; empty if it can.
std::string why_not(const Type& type) {
  switch (type.kind) {
    case Type::Kind::Tuple:
      return "a tuple of unknown structure";
    case Type::Kind::Dict:
      return "a dict";
    case Type::Kind::Object:
      return "an object of class " + type.name;
    case Type::Kind::List:
      if (type.elements.empty() || type.elements[0].is(Type::Kind::Tensor) || type.elements[0].is_scalar() ||
          type.elements[0].is(Type::Kind::Any) || type.elements[0].is(Type::Kind::Optional))
        return {};
      return "a list of type " + to_string(type);
    case Type::Kind::Optional:
      return type.elements.empty() ? std::string() : why_not(type.elements[0]);
    default:
      return {};
  }
}

class Checker {
 public:
  explicit Checker(std::string_view after) : after_(after) {}

  void run(const ir::Graph& graph) {
    check(graph.block());
    for (const Value* out : graph.block().outputs()) {
      const std::string why = why_not(out->type());
      if (!why.empty() && out->node())
        add(*out->node(), "the program returns " + why + "; return tensors, lists or tuples of them");
    }
    if (reasons_.empty()) return;
    std::string message = "the program cannot be exported:";
    for (std::size_t i = 0; i < reasons_.size() && i < kLines; ++i) message += "\n  " + lines_[i];
    if (reasons_.size() > kLines) message += "\n  and " + std::to_string(reasons_.size() - kLines) + " more";
    throw ir::Error(ir::Code::Unsupported, message, std::move(reasons_));
  }

 private:
  [[noreturn]] void blame(const Node& node, const std::string& what) const {
    throw ir::Error(ir::Code::Internal,
                    "contract broken after " + std::string(after_) + ": " + place(node) + " " + what);
  }

  void add(const Node& node, const std::string& text) {
    ir::Reason reason;
    reason.op = node.full_name();
    reason.text = text;
    reason.module = node.location().module_path();
    if (node.location().source) reason.source = *node.location().source;
    const auto same = std::find_if(reasons_.begin(), reasons_.end(), [&](const ir::Reason& r) {
      return r.op == reason.op && r.text == reason.text;
    });
    if (same != reasons_.end()) {
      ++same->count;
      return;
    }
    reasons_.push_back(std::move(reason));
    lines_.push_back(place(node) + ": " + text);
  }

  void check(const Block& block) {
    for (const Node* node : block.nodes()) {
      check(*node);
      for (const Block* inner : node->blocks()) check(*inner);
    }
  }

  void check(const Node& node) {
    if (writes(node)) blame(node, "writes to an argument");
    if (node.is("prim::Constant")) {
      if (!node.output()->constant() && !node.output()->type().is(Type::Kind::None)) blame(node, "has no value");
      return;
    }
    const std::string_view refused = aten::traits_of(node).refusal;
    if (!refused.empty()) add(node, std::string(refused));
    if (node.is("prim::RaiseException") && !node.parent()->owner())
      add(node, "the program always raises an exception here");
    if (node.is("prim::DictConstruct"))
      add(node, "a dict is used in a way that is not known before the model runs; use tuples or constant keys");
    if (node.is("prim::TupleConstruct"))
      add(node, "a tuple is used in a way that is not known before the model runs");
    if (node.is("prim::If") || node.is("prim::Loop")) {
      for (const Value* out : node.outputs()) {
        const std::string why = why_not(out->type());
        if (!why.empty()) add(node, "its result is " + why + ", which no ONNX model can hold");
      }
    }
  }

  std::string_view after_;
  std::vector<ir::Reason> reasons_;
  std::vector<std::string> lines_;
};

}  // namespace

void check_contract(const ir::Graph& graph, std::string_view after) { Checker(after).run(graph); }

}  // namespace tonnx::program
