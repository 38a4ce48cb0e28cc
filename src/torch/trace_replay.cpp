#include "torch/trace_replay.h"

#include <mutex>
#include <optional>
#include <unordered_map>

#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/runtime/operator.h>

#include "aten/traits.h"
#include "ir/error.h"
#include "ir/refusal.h"
#include "torch/convert.h"
#include "torch/random_state.h"
#include "torch/recorded_places.h"
#include "torch/tensor_sample.h"
#include "torch/trace_functions.h"

namespace tonnx::torch {

using ir::Code;
using ir::Error;
using ir::FlatInput;
namespace jit = ::torch::jit;

namespace {

class Replay {
 public:
  explicit Replay(const TraceSession& session) : session_(session) {}

  std::vector<at::Tensor> run(std::vector<at::Tensor> inputs) {
    const jit::Graph& graph = *session_.graph();
    for (std::size_t i = 0; i < inputs.size(); ++i) set(graph.inputs()[i], std::move(inputs[i]));
    for (const jit::Node* node : graph.nodes()) run(*node);
    std::vector<at::Tensor> outputs;
    for (const jit::Value* output : graph.outputs()) outputs.push_back(values_.at(output).toTensor());
    return outputs;
  }

  // The first operator with another result than in the recording; null if there is none.
  const jit::Node* differing() const { return differing_; }

 private:
  void set(const jit::Value* value, c10::IValue ivalue) {
    if (value->uses().empty()) return;
    left_[value] = value->uses().size();
    values_[value] = std::move(ivalue);
  }

  c10::IValue take(const jit::Value* value) {
    if (--left_.at(value) > 0) return values_.at(value);
    c10::IValue result = std::move(values_.at(value));
    values_.erase(value);
    return result;
  }

  void run(const jit::Node& node) {
    if (node.kind() == c10::prim::Constant) {
      auto value = jit::toIValue(node.output());
      // Writes of this run must not change constants of the program.
      if (value && value->isTensor() && !value->toTensor().unsafeGetTensorImpl()->is_wrapped_number())
        value = value->toTensor().clone();
      return set(node.output(), value ? std::move(*value) : c10::IValue());
    }
    jit::Stack stack;
    for (const jit::Value* input : node.inputs()) stack.push_back(take(input));
    call(node, stack);
    const std::size_t first = stack.size() - node.outputs().size();
    for (std::size_t i = 0; i < node.outputs().size(); ++i) {
      compare(node, *node.outputs()[i], stack[first + i]);
      set(node.outputs()[i], std::move(stack[first + i]));
    }
  }

  // The stack contains the operands, then the results. Construction and unpacking of lists and tuples are not
  // operators.
  static void call(const jit::Node& node, jit::Stack& stack) {
    if (is_function_mark(node)) return stack.resize(node.outputs().size());
    switch (node.kind()) {
      case c10::prim::ListConstruct: {
        c10::impl::GenericList list(node.output()->type()->expectRef<c10::ListType>().getElementType());
        for (c10::IValue& item : stack) list.push_back(std::move(item));
        stack.assign(1, list);
        return;
      }
      case c10::prim::TupleConstruct: stack.assign(1, c10::ivalue::Tuple::create(std::move(stack))); return;
      case c10::prim::ListUnpack: stack = stack.back().toListRef().vec(); return;
      case c10::prim::TupleUnpack: stack = std::vector<c10::IValue>(stack.back().toTupleRef().elements().vec()); return;
      default: {
        const jit::Stack operands = stack;  // needed for several `out` tensors, see Operator::call
        node.getOperation()(stack);
      }
    }
  }

  void compare(const jit::Node& node, const jit::Value& output, const c10::IValue& result) {
    if (differing_ || !result.isTensor() || !is_plain_tensor(result.toTensor())) return;
    const at::Tensor& tensor = result.toTensor();
    if (aten::traits_of(node.kind().toQualString()).is_undefined)
      fill_with_zeros(*tensor.storage().unsafeGetStorageImpl());
    const auto sample = session_.memory().samples().find(&output);
    if (sample != session_.memory().samples().end() && !agree(sample->second, sample_of(tensor))) differing_ = &node;
  }

  const TraceSession& session_;
  std::unordered_map<const jit::Value*, c10::IValue> values_;
  std::unordered_map<const jit::Value*, std::size_t> left_;  // remaining uses
  const jit::Node* differing_ = nullptr;
};

[[noreturn]] void refuse(const TraceSession& session, const jit::Node* node) {
  std::string text = "run again on the example inputs, its results differ from those of the code";
  ir::Reason reason;
  if (node) {
    if (!is_recorded_operator(*node)) node = node->input(0)->node();  // it unpacks the results of the operator
    reason.op = node->kind().toQualString();
    reason.module = module_of(const_cast<jit::Node*>(node)->scope());
    reason.source = RecordedPlaces(*session.graph(), session.memory()).of(*node);
    text += ": " + ir::describe_site(reason) + " is the first operator with another result";
  }
  text += "; a tensor was written to without an operator, or a result depends on something that the tracer cannot see";
  reason.text = text;
  throw Error(Code::Unsupported, "the recording differs from the code: " + text, {reason});
}

}  // namespace

void replay_trace(const TraceSession& session, const std::vector<FlatInput>& inputs,
                  const std::vector<at::Tensor>& outputs) {
  const at::NoGradGuard no_gradients;
  const c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::autocast_dispatch_keyset);
  const KeepRandomState keep(RandomState::Of::Devices);
  session.random_state().restore();
  std::vector<at::Tensor> tensors;
  for (const FlatInput& input : inputs) tensors.push_back(to_torch_copy_on_device(input.example));
  for (const TraceMemory::Weight& weight : session.memory().weights())
    tensors.push_back(weight.written ? weight.tensor.clone() : weight.tensor.detach());
  Replay replay(session);
  const std::vector<at::Tensor> results = replay.run(std::move(tensors));
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const bool plain = is_plain_tensor(outputs[i]) && is_plain_tensor(results[i]);
    if (plain && !agree(outputs[i], results[i])) refuse(session, replay.differing());
  }
}

}  // namespace tonnx::torch
