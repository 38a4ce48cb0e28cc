// Traces of LibTorch's C++ frontend, for host programs that include <torch/torch.h>: a module with its named parameters
// and buffers, or any function of tensors; and TorchScript modules of <torch/script.h>. Header-only, C++17; see
// tonnx.hpp.
//
//   const tonnx::Program program = tonnx::trace(network, {example});
//   tonnx::export_program(program, tonnx::arguments({example})).save("network.onnx");
#ifndef TONNX_TORCH_HPP
#define TONNX_TORCH_HPP

#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <torch/nn/module.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/pimpl.h>

#include "tonnx.hpp"

namespace torch::jit {
struct Module;
}

namespace tonnx {

// Copies a scripted or traced module with its weights; the caller may train and free the module afterwards. With
// share_weights the tensors are shared, and must not be written to while the program or a model made of it lives.
inline Program program(const torch::jit::Module& module, bool share_weights = false) {
  return Program::from_module(&module, share_weights);
}

// Example inputs that share the tensors' memory.
inline Args arguments(const std::vector<at::Tensor>& tensors) {
  Args args;
  for (const at::Tensor& tensor : tensors) args.add(Tensor::from_torch(&tensor));
  return args;
}

// Copies the elements.
inline at::Tensor to_torch(const Tensor& tensor) {
  const std::unique_ptr<at::Tensor> owner(static_cast<at::Tensor*>(tensor.to_torch()));
  return *owner;
}

// Inputs of the run in progress. They are handles of the trace's own tensors: writes to them are recorded.
inline std::vector<at::Tensor> inputs(const Trace& trace) {
  std::vector<at::Tensor> all;
  for (std::size_t i = 0; i < trace.input_count(); ++i) all.push_back(*static_cast<const at::Tensor*>(trace.input(i)));
  return all;
}

namespace detail {

// Calls `call` with each tensor of a result: a tensor, or tensors in a vector, array, pair, tuple or optional, nested.
struct Results {
  template <class Visit>
  static void visit(const at::Tensor& result, const Visit& call) {
    call(result);
  }
  template <class Item, class Visit>
  static void visit(const std::vector<Item>& results, const Visit& call) {
    for (const Item& item : results) visit(item, call);
  }
  template <class Item, std::size_t Count, class Visit>
  static void visit(const std::array<Item, Count>& results, const Visit& call) {
    for (const Item& item : results) visit(item, call);
  }
  template <class Item, class Visit>
  static void visit(const std::optional<Item>& result, const Visit& call) {
    if (result) visit(*result, call);
  }
  template <class First, class Second, class Visit>
  static void visit(const std::pair<First, Second>& results, const Visit& call) {
    visit(results.first, call);
    visit(results.second, call);
  }
  template <class... Items, class Visit>
  static void visit(const std::tuple<Items...>& results, const Visit& call) {
    std::apply([&](const Items&... items) { (visit(items, call), ...); }, results);
  }
};

// Skips undefined tensors, which LibTorch uses for None.
template <class Result>
std::vector<const void*> handles(const Result& result) {
  std::vector<const void*> found;
  Results::visit(result, [&](const at::Tensor& tensor) {
    if (tensor.defined()) found.push_back(&tensor);
  });
  return found;
}

}  // namespace detail

// Adds the results of the traced code: a tensor, or tensors in a vector, array, pair, tuple or optional, nested. Skips
// undefined tensors, which LibTorch uses for None.
template <class Result>
void outputs(Trace& trace, const Result& result) {
  for (const void* tensor : detail::handles(result)) trace.output(tensor);
}

// Runs code() as the function `name` of these tensors and arguments (Trace::Function), such as the apply() of a
// torch::autograd::Function, and returns its result, a value that outputs() accepts. The inputs must be defined.
//   x = tonnx::function(trace, "MyRelu", {x}, [&] { return MyRelu::apply(x); });
template <class Code>
auto function(Trace& trace, const std::string& name, const std::vector<at::Tensor>& inputs, Code&& code,
              const Attributes& arguments = {}) {
  std::vector<const void*> handles;
  for (const at::Tensor& input : inputs) handles.push_back(&input);
  Trace::Function region(trace, name, handles, arguments);
  auto result = std::forward<Code>(code)();
  region.end(detail::handles(result));
  return result;
}

namespace detail {

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

inline void named_weights(const torch::nn::Module& module, const std::string& prefix, NamedTensors& found) {
  for (const auto& parameter : module.named_parameters(false))
    if (parameter.value().defined()) found.emplace_back(prefix + parameter.key(), parameter.value());
  for (const auto& buffer : module.named_buffers(false))
    if (buffer.value().defined()) found.emplace_back(prefix + buffer.key(), buffer.value());
  for (const auto& child : module.named_children()) named_weights(*child.value(), prefix + child.key() + ".", found);
}

inline void add_weights(Trace& trace, const NamedTensors& all) {
  for (const auto& [name, tensor] : all) trace.weight(name, &tensor);
}

// Declares the weights that the module has now and had not before: the program warns of those that its code used.
inline void new_weights(Trace& trace, const torch::nn::Module& module, const NamedTensors& before) {
  NamedTensors now;
  named_weights(module, "", now);
  for (const auto& [name, tensor] : now) {
    bool is_known = false;
    for (const auto& known : before) is_known = is_known || name == known.first || tensor.is_same(known.second);
    if (!is_known) trace.weight(name, &tensor);
  }
}

}  // namespace detail

// Declares the parameters and buffers of a module and of those that it registered, under their state-dict names in
// state-dict order.
inline void weights(Trace& trace, const torch::nn::Module& module, const std::string& prefix = {}) {
  detail::NamedTensors all;
  detail::named_weights(module, prefix, all);
  detail::add_weights(trace, all);
}

// Class name of a module in PyTorch: "Linear" for torch::nn::LinearImpl.
inline std::string class_name(const torch::nn::Module& module) {
  std::string name = module.name();
  if (const std::size_t at = name.rfind("::"); at != std::string::npos) name.erase(0, at + 2);
  if (name.size() > 4 && name.compare(name.size() - 4, 4, "Impl") == 0) name.resize(name.size() - 4);
  return name;
}

// Runs the modules of a Sequential in order, each as a module of the model. LibTorch does not report which module runs,
// so a forward of your own calls this:
//   at::Tensor forward(at::Tensor x) { return tonnx::forward(*trace, "features", *features, x); }
// or uses tonnx::Trace::Module around any code.
inline at::Tensor forward(Trace& trace, const std::string& name, torch::nn::SequentialImpl& sequence, at::Tensor x) {
  const Trace::Module scope(trace, class_name(sequence), name);
  const auto children = sequence.named_children();
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    const Trace::Module one(trace, class_name(*children[i].value()), children[i].key());
    x = (sequence.begin() + static_cast<std::ptrdiff_t>(i))->forward(std::move(x));
  }
  return x;
}

namespace detail {

template <class Module, std::size_t... Index>
auto call_forward(Module& module, const std::vector<at::Tensor>& given, std::index_sequence<Index...>)
    -> decltype(module.forward(given[Index]...)) {
  return module.forward(given[Index]...);
}

template <class Module, std::size_t Count, class = void>
struct Takes : std::false_type {};
template <class Module, std::size_t Count>
struct Takes<Module, Count,
             std::void_t<decltype(call_forward(std::declval<Module&>(), std::declval<const std::vector<at::Tensor>&>(),
                                               std::make_index_sequence<Count>()))>> : std::true_type {};

template <class Contained>
std::true_type holds_module(const torch::nn::ModuleHolder<Contained>*);
template <class Module>
std::is_base_of<torch::nn::Module, Module> holds_module(const std::shared_ptr<Module>*);
std::false_type holds_module(...);

// True for a function of tensors. Modules and module holders can be called as well, but are not code.
template <class Code>
constexpr bool kIsCode = !std::is_base_of_v<torch::nn::Module, std::decay_t<Code>> &&
                         !decltype(holds_module(static_cast<std::decay_t<Code>*>(nullptr)))::value;

constexpr std::size_t kMostInputs = 12;

template <std::size_t Count = 1, class Module>
void run_forward(Trace& trace, Module& module, const std::vector<at::Tensor>& given) {
  if constexpr (std::is_base_of_v<torch::nn::SequentialImpl, Module>) {
    if (given.size() == 1) return outputs(trace, forward(trace, "", module, given[0]));
  }
  if constexpr (Count > kMostInputs) {
    throw Error(TONNX_STATUS_ARGUMENT, class_name(module) + "::forward does not take " + std::to_string(given.size()) +
                                           " tensors; trace a function that calls it");
  } else {
    if (given.size() != Count) return run_forward<Count + 1>(trace, module, given);
    if constexpr (Takes<Module, Count>::value) {
      const Trace::Module scope(trace, class_name(module), "");
      return outputs(trace, call_forward(module, given, std::make_index_sequence<Count>()));
    } else {
      return run_forward<kMostInputs + 1>(trace, module, given);
    }
  }
}

}  // namespace detail

// Records module.forward(inputs...) with the module's parameters and buffers as named weights. The module keeps its
// mode (train, eval), and may be trained afterwards. Throws the exceptions of forward, and Error(TONNX_STATUS_ARGUMENT)
// if forward does not take that many tensors.
template <class Module, class = std::enable_if_t<std::is_base_of_v<torch::nn::Module, Module>>>
Program trace(Module& module, const std::vector<at::Tensor>& examples, const TraceOptions& options = {}) {
  return Program::trace(
      [&](Trace& run) {
        detail::NamedTensors before;
        detail::named_weights(module, "", before);
        detail::add_weights(run, before);
        detail::run_forward(run, module, inputs(run));
        detail::new_weights(run, module, before);
      },
      arguments(examples), options);
}
template <class Contained>
Program trace(const torch::nn::ModuleHolder<Contained>& module, const std::vector<at::Tensor>& examples,
              const TraceOptions& options = {}) {
  return trace(*module.ptr(), examples, options);
}
template <class Module, class = std::enable_if_t<std::is_base_of_v<torch::nn::Module, Module>>>
Program trace(const std::shared_ptr<Module>& module, const std::vector<at::Tensor>& examples,
              const TraceOptions& options = {}) {
  return trace(*module, examples, options);
}

// Records code(trace, inputs). The code declares its own weights and returns a value that outputs() accepts.
template <class Code, std::enable_if_t<detail::kIsCode<Code>, int> = 0>
Program trace(Code&& code, const std::vector<at::Tensor>& examples, const TraceOptions& options = {}) {
  return Program::trace([&](Trace& run) { outputs(run, code(run, inputs(run))); }, arguments(examples), options);
}

}  // namespace tonnx

#endif
