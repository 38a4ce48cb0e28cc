#include "torch/trace_functions.h"

#include <unordered_map>

#include "ir/error.h"
#include "ir/function_region.h"
#include "torch/trace_memory.h"

namespace tonnx::torch {

using ir::Code;
using ir::Error;
namespace jit = ::torch::jit;

namespace {

const c10::Symbol& begin_kind() {
  static const c10::Symbol kind = c10::Symbol::fromQualString("prim::function_begin");
  return kind;
}

const c10::Symbol& end_kind() {
  static const c10::Symbol kind = c10::Symbol::fromQualString("prim::function_end");
  return kind;
}

const c10::Symbol& flags_name() {
  static const c10::Symbol name = c10::Symbol::attr(ir::kRequiresGrad);
  return name;
}

const c10::Symbol& shared_name() {
  static const c10::Symbol name = c10::Symbol::attr(ir::kSharedOutputs);
  return name;
}

c10::IValue value_of(const ir::NamedAttribute& argument, const std::string& function) {
  const ir::Attribute& value = argument.value;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole;
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* wholes = std::get_if<std::vector<std::int64_t>>(&value)) return *wholes;
  if (const auto* reals = std::get_if<std::vector<double>>(&value)) return *reals;
  throw Error(Code::Argument, "argument '" + argument.name + "' of function '" + function +
                                  "' is not a number, a string or a list of numbers; pass tensors as inputs");
}

jit::Node* mark(jit::Graph& graph, c10::Symbol kind, const std::string& name, std::span<jit::Value* const> inputs,
                std::span<const at::Tensor> results) {
  jit::Node* node = graph.create(kind, at::ArrayRef<jit::Value*>(inputs.data(), inputs.size()), results.size());
  node->s_(c10::attr::name, name);
  std::vector<std::int64_t> flags;
  for (const at::Tensor& tensor : results) flags.push_back(tensor.requires_grad());
  node->is_(flags_name(), std::move(flags));
  return graph.insertNode(node);
}

}  // namespace

bool is_function_mark(const jit::Node& node) { return node.kind() == begin_kind() || node.kind() == end_kind(); }
bool ends_function(const jit::Node& node) { return node.kind() == end_kind(); }

jit::Value* TraceFunctions::read(const at::Tensor& tensor, const std::string& name) {
  memory_.read(tensor, "function '" + name + "'");
  return state_.getValue(tensor);
}

void TraceFunctions::begin(const std::string& name, std::span<const at::Tensor> inputs,
                           const std::vector<ir::NamedAttribute>& arguments) {
  for (const ir::NamedAttribute& argument : arguments) value_of(argument, name);
  std::vector<jit::Value*> values;
  for (const at::Tensor& tensor : inputs) values.push_back(read(tensor, name));
  jit::Node* node = mark(*state_.graph, begin_kind(), name, values, inputs);
  for (std::size_t i = 0; i < inputs.size(); ++i) node->output(i)->inferTypeFrom(inputs[i]);
  open_.push_back({node, name, arguments});
}

const TraceFunctions::Open& TraceFunctions::innermost() const {
  if (open_.empty()) throw Error(Code::Argument, "no function is open: call tonnx_trace_begin_function first");
  return open_.back();
}

void TraceFunctions::abandon() {
  innermost();
  open_.pop_back();
}

void TraceFunctions::end(std::span<const at::Tensor> outputs) {
  const Open& function = innermost();
  if (outputs.empty()) throw Error(Code::Argument, "function '" + open() + "' has no output");
  std::vector<jit::Value*> values;
  for (const at::Tensor& tensor : outputs) values.push_back(read(tensor, function.name));
  for (jit::Value* input : function.begin->outputs()) values.push_back(input);
  std::vector<std::string> names;
  for (const ir::NamedAttribute& argument : function.arguments) {
    values.push_back(state_.graph->insertConstant(value_of(argument, function.name)));
    names.push_back(argument.name);
  }
  jit::Node* node = mark(*state_.graph, end_kind(), function.name, values, outputs);
  node->ss_(c10::Symbol::attr("arguments"), std::move(names));
  node->is_(shared_name(), {});
  for (std::size_t i = 0; i < outputs.size(); ++i) memory_.returned(outputs[i], function.begin, node, i);
  open_.pop_back();
}

const std::string& TraceFunctions::open() const {
  static const std::string none;
  return open_.empty() ? none : open_.back().name;
}

void TraceFunctions::mark_shared() {
  std::unordered_map<const jit::Node*, std::vector<std::int64_t>> shared;
  for (const jit::Value* output : memory_.shared_outputs())
    shared[output->node()].push_back(static_cast<std::int64_t>(output->offset()));
  for (jit::Node* node : state_.graph->nodes())
    if (const auto found = shared.find(node); found != shared.end()) node->is_(shared_name(), std::move(found->second));
}

}  // namespace tonnx::torch
