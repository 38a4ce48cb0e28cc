#include "torch/trace.h"

// LibTorch's libraries are built with NDEBUG. Without it here, the inputs of a recorded call count as unset.
#ifndef NDEBUG
#define NDEBUG
#endif
#include <ATen/record_function.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/Exception.h>
#include <torch/csrc/jit/frontend/tracer.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/normalize_ops.h>

#include <algorithm>

#include "ir/error.h"
#include "torch/convert.h"
#include "torch/exchange.h"
#include "torch/flat_outputs.h"
#include "torch/graph_import.h"
#include "torch/guard.h"

namespace tonnx::torch {

using ir::Code;
using ir::Constant;
using ir::Error;
namespace jit = ::torch::jit;

namespace {

// Collects what LibTorch warns of.
class Warnings final : public c10::WarningHandler {
 public:
  explicit Warnings(std::vector<std::string>& texts) : texts_(texts) {}
  void process(const c10::Warning& warning) override { add(warning.msg().substr(0, warning.msg().find('\n'))); }
  void add(const std::string& text) {
    for (const std::string& known : texts_)
      if (known == text) return;
    texts_.push_back(text);
  }

 private:
  std::vector<std::string>& texts_;
};

// One trace on this thread. The graph's inputs are those of the caller and one per weight, found before or on the way.
class Session {
 public:
  struct Weight {
    at::Tensor tensor;
    std::string name;  // empty: found on the way
    std::int64_t version;
    const jit::Value* value;
  };

  explicit Session(Warnings& warnings) : state_(std::make_shared<jit::tracer::TracingState>()), warnings_(warnings) {
    state_->strict = false;
    state_->force_outplace = false;
    jit::tracer::setTracingState(state_);
    current_ = this;
    // The tracer refuses to keep a tensor that requires gradients as a constant, so it must know it before its first
    // use.
    handle_ = at::addThreadLocalCallback(at::RecordFunctionCallback(&Session::before_operator).needsInputs(true));
  }
  ~Session() {
    at::removeCallback(handle_);
    current_ = nullptr;
    jit::tracer::setTracingState(nullptr);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const jit::Value* add_input(const at::Tensor& tensor) {
    jit::Value* value = state_->graph->addInput();
    value->inferTypeFrom(tensor);
    state_->setValue(tensor, value);
    return value;
  }

  void add_weight(const at::Tensor& tensor, const std::string& name) {
    if (state_->hasValue(tensor)) return;
    weights_.push_back({tensor, name, static_cast<std::int64_t>(tensor._version()), nullptr});
    weights_.back().value = add_input(tensor);
  }

  // Ends what is recorded.
  void add_output(const at::Tensor& tensor) {
    add_captured(tensor);
    state_->graph->registerOutput(state_->getValue(tensor));
  }

  const std::shared_ptr<jit::Graph>& graph() const { return state_->graph; }
  const std::vector<Weight>& weights() const { return weights_; }

 private:
  void add_captured(const at::Tensor& tensor) {
    if (tensor.defined() && tensor.requires_grad() && !state_->hasValue(tensor)) add_weight(tensor, "");
  }

  void add_captured(const c10::IValue& value) {
    if (value.isTensor()) return add_captured(value.toTensor());
    if (value.isList())
      for (const c10::IValue& item : value.toListRef()) add_captured(item);
  }

  static std::unique_ptr<at::ObserverContext> before_operator(const at::RecordFunction& function) {
    // Inside of a recorded operator nothing is recorded.
    if (!current_ || jit::tracer::getTracingState() != current_->state_ ||
        c10::impl::tls_is_dispatch_key_excluded(c10::DispatchKey::Tracer))
      return nullptr;
    for (const c10::IValue& input : function.inputs()) current_->add_captured(input);
    const std::string_view name = function.name();
    if (name == "aten::_local_scalar_dense" || name == "aten::equal") current_->warn_of_read(function.inputs());
    return nullptr;
  }

  // The number leaves the recording: what the host's code makes of it is a constant of the model.
  void warn_of_read(c10::ArrayRef<const c10::IValue> inputs) {
    for (const c10::IValue& input : inputs) {
      if (!input.isTensor() || !state_->hasValue(input.toTensor())) continue;
      const jit::Value* value = state_->getValue(input.toTensor());
      const auto is_weight = [&](const Weight& weight) { return weight.value == value; };
      if (std::any_of(weights_.begin(), weights_.end(), is_weight) || value->node()->kind() == c10::prim::Constant)
        continue;
      warnings_.add("a tensor was read as a number while tracing; the model keeps the number of this one run");
    }
  }

  static thread_local Session* current_;
  std::shared_ptr<jit::tracer::TracingState> state_;
  Warnings& warnings_;
  at::CallbackHandle handle_ = 0;
  std::vector<Weight> weights_;
};

thread_local Session* Session::current_ = nullptr;

const at::Tensor& tensor_of(const void* at_tensor, const std::string& what) {
  const auto* tensor = static_cast<const at::Tensor*>(at_tensor);
  if (!tensor || !tensor->defined()) throw Error(Code::Argument, what + " is null or an undefined tensor");
  return *tensor;
}

class Outputs final : public TraceOutputs {
 public:
  struct Item {
    at::Tensor tensor;
    std::string name;
  };

  explicit Outputs(Session& session) : session_(session) {}

  void add(const void* at_tensor, const std::string& name) override {
    items.push_back({tensor_of(at_tensor, "a result of the traced function"), name});
  }

  void add_weight(const void* at_tensor, const std::string& name) override {
    session_.add_weight(tensor_of(at_tensor, "weight '" + name + "'"), name);
  }

  std::vector<Item> items;

 private:
  Session& session_;
};

// The tensors and numbers of the arguments, in order, with names.
struct FlatInput {
  std::string name;
  ir::Tensor example;
};

void flatten(const Constant& value, const std::string& name, std::vector<FlatInput>& result) {
  const auto number = [&](ir::DType dtype, auto n) { result.push_back({name, ir::Tensor::scalar(dtype, n)}); };
  if (const auto* tensor = value.get<ir::Tensor>()) {
    result.push_back({name, *tensor});
  } else if (const auto* b = value.get<bool>()) {
    number(ir::DType::Bool, static_cast<std::int64_t>(*b));
  } else if (const auto* i = value.get<std::int64_t>()) {
    number(ir::DType::Int64, *i);
  } else if (const auto* d = value.get<double>()) {
    number(ir::DType::Float32, *d);
  } else if (const auto* list = value.get<Constant::List>()) {
    for (std::size_t i = 0; i < list->items.size(); ++i)
      flatten(list->items[i], name + "." + std::to_string(i), result);
  } else if (const auto* tuple = value.get<Constant::Tuple>()) {
    for (std::size_t i = 0; i < tuple->items.size(); ++i)
      flatten(tuple->items[i], name + "." + std::to_string(i), result);
  } else if (const auto* dict = value.get<Constant::Dict>()) {
    for (const auto& [key, item] : dict->items) {
      const auto* text = key.get<std::string>();
      flatten(item, name + "." + (text ? *text : ir::to_string(key)), result);
    }
  }
}

std::vector<FlatInput> flatten(const ir::Arguments& arguments) {
  std::vector<FlatInput> result;
  const bool single = arguments.positional.size() == 1;
  for (std::size_t i = 0; i < arguments.positional.size(); ++i)
    flatten(arguments.positional[i], single ? "input" : "input_" + std::to_string(i), result);
  for (const auto& [name, value] : arguments.keywords) flatten(value, name, result);
  return result;
}

Program import_trace(const Session& session, const std::vector<FlatInput>& inputs,
                     const std::vector<Outputs::Item>& outputs, std::vector<std::string> warnings) {
  jit::NormalizeOps(session.graph());
  Program program;
  program.graph = std::make_unique<ir::Graph>();
  program.warnings = std::move(warnings);
  StorageMap storages;
  WeightTable weights(*program.graph, storages);
  for (const Session::Weight& weight : session.weights()) {
    if (weight.name.empty()) continue;
    weights.add_name(weight.tensor, weight.name);
    if (static_cast<std::int64_t>(weight.tensor._version()) != weight.version)
      program.warnings.push_back("weight '" + weight.name +
                                 "' was written to while tracing; the model starts from what it holds now");
  }
  weights.make_named();
  GraphImport import(*program.graph, weights, Training::Preserve, program.warnings);
  // A captured tensor is a weight; small ones of integers are sizes and indices, which a model wants to see.
  import.set_largest_constant(0, 1024);
  std::vector<Known> arguments;
  for (const FlatInput& input : inputs) {
    arguments.push_back(import.add_input(input.example, ir::Type::Kind::Tensor, input.name));
    program.inputs.push_back(input.example);
  }
  for (const Session::Weight& weight : session.weights())
    arguments.push_back(import.captured(weight.tensor, weight.name));
  const auto results = import.body(*session.graph(), std::move(arguments));
  for (std::size_t i = 0; i < results.size(); ++i)
    import.add_outputs(results[i], outputs[i].name, program.output_names);
  remove_dead_nodes(*program.graph);
  return program;
}

}  // namespace

Traced trace(const TraceFunction& function, const ir::Arguments& arguments) {
  // LibTorch's own check would throw away the outer trace.
  if (jit::tracer::isTracing()) throw Error(Code::Argument, "this thread is tracing already; traces cannot be nested");
  const std::vector<FlatInput> inputs = flatten(arguments);
  std::vector<at::Tensor> tensors;
  guarded(Code::Argument, "the arguments cannot be used", [&] {
    for (const FlatInput& input : inputs) tensors.push_back(to_torch_copy(input.example));
  });
  std::vector<void*> handles;
  for (at::Tensor& tensor : tensors) handles.push_back(&tensor);
  std::vector<std::string> warnings;
  Warnings handler(warnings);
  Traced result;
  std::vector<Outputs::Item> items;
  {
    const c10::WarningUtils::WarningHandlerGuard collecting(&handler);
    Session session(handler);
    for (const at::Tensor& tensor : tensors) session.add_input(tensor);
    Outputs outputs(session);
    function(handles, outputs);
    guarded(Code::Internal, "the trace cannot be read", [&] {
      for (const Outputs::Item& item : outputs.items) session.add_output(item.tensor);
      if (outputs.items.empty()) throw Error(Code::Argument, "the traced function returned no tensor");
      result.program = import_trace(session, inputs, outputs.items, std::move(warnings));
    });
    items = std::move(outputs.items);
  }
  guarded(Code::Program, "the outputs of the traced function cannot be read", [&] {
    for (const Outputs::Item& item : items)
      for (ir::Tensor& tensor : flat_outputs(item.tensor.detach())) result.outputs.push_back(std::move(tensor));
  });
  return result;
}

Untraced::Untraced() {
  // Where LibTorch has switched the tracer off itself, it could not be switched on again.
  if (!jit::tracer::isTracing() || c10::impl::tls_is_dispatch_key_excluded(c10::DispatchKey::Tracer)) return;
  state_ = jit::tracer::getTracingState();
  jit::tracer::setTracingState(nullptr);
}

Untraced::~Untraced() {
  if (state_) jit::tracer::setTracingState(std::static_pointer_cast<jit::tracer::TracingState>(state_));
}

namespace {

constexpr char kSeparator = '\x1f';

}  // namespace

void begin_trace_scope(const std::string& type, const std::string& name) {
  const auto& state = jit::tracer::getTracingState();
  if (!state) return;
  state->graph->set_current_scope(state->graph->current_scope()->push(c10::Symbol::scope(type + kSeparator + name)));
}

void end_trace_scope() {
  const auto& state = jit::tracer::getTracingState();
  if (state && !state->graph->current_scope()->isRoot())
    state->graph->set_current_scope(state->graph->current_scope()->parent());
}

}  // namespace tonnx::torch
