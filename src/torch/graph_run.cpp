#include "torch/graph_run.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include "ir/error.h"
#include "ir/function_region.h"
#include "ir/refusal.h"
#include "ir/state_write.h"
#include "ir/writes.h"
#include "torch/convert.h"
#include "torch/flat_outputs.h"
#include "torch/guard.h"
#include "torch/host_forms.h"
#include "torch/operator_table.h"
#include "torch/prim_forms.h"
#include "torch/quantised_forms.h"
#include "torch/random_state.h"
#include "torch/tensor_bytes.h"

namespace tonnx::torch {
namespace {

using ir::Block;
using ir::Code;
using ir::Error;
using ir::Node;
using ir::Value;

// In training, a normalisation writes to its statistics although the schema does not say so.
bool is_statistics(const Value& weight) {
  return std::ranges::any_of(weight.uses(), [](const ir::Use& use) {
    const ir::Schema* schema = use.node->schema();
    return schema && use.index < schema->arguments.size() && schema->arguments[use.index].name.starts_with("running_");
  });
}

class GraphRun {
 public:
  std::vector<ir::Tensor> run(const ir::Graph& program, const std::vector<ir::Tensor>& inputs) {
    const bool copies = has_writes(program);
    for (const Value* weight : program.weights())
      values_[weight] =
          copies || is_statistics(*weight) ? to_torch_copy(*weight->weight()) : to_torch(*weight->weight());
    if (copies) share(program);
    if (inputs.size() != program.inputs().size())
      throw Error(Code::Argument, "the program takes " + std::to_string(program.inputs().size()) + " tensors, not " +
                                      std::to_string(inputs.size()));
    for (std::size_t i = 0; i < inputs.size(); ++i) set(program.inputs()[i], input(*program.inputs()[i], inputs[i]));
    return flat_outputs(c10::ivalue::Tuple::create(run(program.block())));
  }

 private:
  static c10::IValue input(const Value& value, const ir::Tensor& tensor) {
    using Kind = ir::Type::Kind;
    switch (value.type().kind) {
      case Kind::Int: return tensor.as_int64(0);
      case Kind::Bool: return tensor.as_int64(0) != 0;
      case Kind::Float: return tensor.as_double(0);
      default: return to_torch_copy(tensor);
    }
  }

  // Weights that overlap view one copy of their storage.
  void share(const ir::Graph& program) {
    std::map<std::string, const Value*> weights;
    for (const Value* weight : program.weights()) weights[weight->name()] = weight;
    std::map<const ir::Storage*, at::Tensor> copies;
    for (const auto& [name, tensor] : ir::overlapping_weights(program.weights())) {
      at::Tensor& bytes = copies[tensor.storage.get()];
      if (!bytes.defined()) {
        bytes = at::empty({static_cast<std::int64_t>(tensor.storage->size())}, at::kByte);
        tensor.storage->read(0, tensor.storage->size(), static_cast<std::byte*>(bytes.data_ptr()));
      }
      values_[weights.at(name)] = at::empty({0}, static_cast<c10::ScalarType>(tensor.dtype))
                                      .set_(bytes.storage(), tensor.offset, tensor.dims, tensor.strides);
    }
  }

  // Values that are used only in the block of their node are released after their last use.
  void set(const Value* value, c10::IValue ivalue) {
    const Block* block = value->node()->parent();
    std::size_t uses = 0;
    for (const ir::Use& use : value->uses()) uses += block && use.node->parent() == block;
    left_[value] = uses == value->uses().size() ? uses : 0;
    values_[value] = std::move(ivalue);
  }

  c10::IValue take(const Value* value) {
    const auto left = left_.find(value);
    if (left == left_.end() || left->second != 1) {
      if (left != left_.end() && left->second > 1) --left->second;
      return values_.at(value);
    }
    c10::IValue result = std::move(values_.at(value));
    values_.erase(value);
    return result;
  }

  std::vector<c10::IValue> run(const Block& block) {
    for (const Node* node : block.nodes()) run(*node);
    std::vector<c10::IValue> results;
    for (const Value* output : block.outputs()) results.push_back(values_.at(output));
    return results;
  }

  void run(const Node& node) {
    std::vector<c10::IValue> results;
    if (node.is("prim::If")) {
      results = run(*node.block(values_.at(node.input()).toBool() ? 0 : 1));
    } else if (node.is("prim::Loop")) {
      results = loop(node);
    } else {
      results = call(node);
    }
    if (results.size() < node.output_count())
      throw Error(Code::Program, ir::describe_site(node) + " returns fewer results than it has outputs");
    for (std::size_t i = 0; i < node.output_count(); ++i)
      if (!node.output(i)->is_unused()) set(node.output(i), std::move(results[i]));
  }

  std::vector<c10::IValue> loop(const Node& node) {
    const Block& body = *node.block(0);
    const std::int64_t turns = values_.at(node.input(0)).toInt();
    bool goes_on = values_.at(node.input(1)).toBool();
    std::vector<c10::IValue> carried;
    for (const Value* value : node.inputs().subspan(2)) carried.push_back(values_.at(value));
    for (std::int64_t turn = 0; goes_on && turn < turns; ++turn) {
      set(body.inputs()[0], turn);
      for (std::size_t i = 0; i < carried.size(); ++i) set(body.inputs()[i + 1], std::move(carried[i]));
      carried = run(body);
      goes_on = carried.front().toBool();
      carried.erase(carried.begin());
    }
    return carried;
  }

  std::vector<c10::IValue> call(const Node& node) {
    c10::Stack stack;
    for (const Value* value : node.inputs()) stack.push_back(take(value));
    if (ir::is_function_mark(node)) return stack;
    try {
      if (const PrimForm form = find_prim_form(node.kind())) {
        std::vector<c10::IValue> results;
        if (form(node, stack, results)) return results;
      }
      const Operator* op = operators_.find(node, stack);
      if ((!op || !op->can_run()) && run_quantised(node, stack)) return stack;
      if (!op || !op->can_run() || !complete_arguments(*op->schema, stack)) refuse(node);
      for (const std::size_t i : op->devices)
        if (stack[i].isDevice()) stack[i] = c10::Device(c10::kCPU);
      for (const std::size_t i : op->pins) stack[i] = false;
      read_numbers(*op->schema, stack);
      if (const HostForm form = find_host_form(node.kind()))
        form(*op->schema, stack);
      else
        op->call(stack);
      whole_numbers(*op->schema, stack);
      // A recording and its model have zeros where LibTorch has uninitialised memory.
      if (op->is_uninitialised)
        for (const c10::IValue& result : stack)
          if (is_plain_tensor(result.toTensor())) fill_with_zeros(*result.toTensor().storage().unsafeGetStorageImpl());
      return stack;
    } catch (const c10::NotImplementedError&) {
      refuse(node);
    } catch (...) {
      rethrow(Code::Program, ir::describe_site(node));
    }
  }

  // The scale and the zero point of a quantised input are tensors of the program.
  static void read_numbers(const c10::FunctionSchema& schema, c10::Stack& arguments) {
    for (std::size_t i = 0; i < arguments.size() && i < schema.arguments().size(); ++i) {
      if (!arguments[i].isTensor()) continue;
      const c10::TypeKind kind = schema.arguments()[i].type()->kind();
      if (kind == c10::TypeKind::FloatType) arguments[i] = arguments[i].toTensor().item<double>();
      if (kind == c10::TypeKind::IntType) arguments[i] = arguments[i].toTensor().item<std::int64_t>();
    }
  }

  // LibTorch's power of two integers returns a float although the schema says otherwise.
  static void whole_numbers(const c10::FunctionSchema& schema, c10::Stack& results) {
    for (std::size_t i = 0; i < results.size() && i < schema.returns().size(); ++i)
      if (results[i].isDouble() && schema.returns()[i].type()->kind() == c10::TypeKind::IntType)
        results[i] = static_cast<std::int64_t>(results[i].toDouble());
  }

  [[noreturn]] static void refuse(const Node& node) {
    throw Error(Code::Unsupported, "the program cannot be run: operator " + ir::describe_site(node) +
                                       " has no implementation here; load the library that defines it");
  }

  OperatorTable operators_;
  std::unordered_map<const Value*, c10::IValue> values_;
  std::unordered_map<const Value*, std::size_t> left_;  // remaining uses; absent for a value that is not released
};

}  // namespace

std::vector<ir::Tensor> run_graph(const ir::Graph& program, const std::vector<ir::Tensor>& inputs,
                                  backend::RandomNumbers random) {
  const c10::NoGradGuard no_gradients;
  const c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::autocast_dispatch_keyset);
  std::optional<KeepRandomState> keep;
  if (random == backend::RandomNumbers::Repeat) keep.emplace();
  return guarded(Code::Program, "the program cannot be run", [&] { return GraphRun().run(program, inputs); });
}

}  // namespace tonnx::torch
