#include "torch/archive.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <unordered_set>

#include <ATen/ops/empty.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/stack.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

#include "aten/remove_dead.h"
#include "aten/traits.h"
#include "ir/error.h"
#include "ir/refusal.h"
#include "torch/arguments.h"
#include "torch/barred_function.h"
#include "torch/code_facts.h"
#include "torch/convert.h"
#include "torch/deep_stack.h"
#include "torch/flat_outputs.h"
#include "torch/guard.h"
#include "torch/interruptible.h"
#include "torch/libtorch_texts.h"
#include "torch/loaded_module.h"
#include "torch/module_attributes.h"
#include "torch/random_state.h"
#include "torch/run_function.h"
#include "torch/state_values.h"
#include "torch/tensor_copies.h"
#include "torch/trace.h"

namespace tonnx::torch {

using ir::Code;
using ir::Error;
using ir::RawProgram;
using ir::Training;
namespace jit = ::torch::jit;

namespace {

void set_training(const jit::Module& module, Training training) {
  if (training == Training::Preserve) return;
  for (const jit::Module& m : module.modules()) {
    const auto slot = m.type()->findAttributeSlot("training");
    if (slot && m._ivalue()->getSlot(*slot).isBool()) m._ivalue()->setSlot(*slot, training == Training::Train);
  }
}

// If the program may skip such an operator with an exception, its recording would only be valid for runs that do not
// reach it.
void refuse_unchecked(const ir::Graph& graph) {
  for_each_node(graph.block(), [](const ir::Node* node) {
    const aten::Traits& traits = aten::traits_of(*node);
    if (traits.effect == aten::Effect::Unchecked)
      throw ir::refusal(*node, "it " + std::string(traits.refusal) +
                                   "; such operators are never run, so the program cannot be recorded");
  });
}

// Operators of this thread are not recorded during its lifetime.
class Untraced {
 public:
  Untraced() : tracer_(suspend_trace()) {}
  ~Untraced() { resume_trace(std::move(tracer_)); }
  Untraced(const Untraced&) = delete;
  Untraced& operator=(const Untraced&) = delete;

 private:
  std::shared_ptr<void> tracer_;
};

// Locked while a call reads or runs the program. A call that an observer or a symbolic makes inside such a call is
// refused instead of waiting for itself.
class CallMutex {
 public:
  void lock() {
    if (owner_.load() == std::this_thread::get_id())
      throw Error(Code::Argument,
                  "a callback called tonnx with the program that the call around it is reading or running; use another "
                  "program, or call after the callback has returned");
    mutex_.lock();
    owner_.store(std::this_thread::get_id());
  }
  void unlock() {
    owner_.store(std::thread::id());
    mutex_.unlock();
  }

 private:
  std::mutex mutex_;
  std::atomic<std::thread::id> owner_{};
};

class LoadedArchive final : public Archive {
 public:
  explicit LoadedArchive(LoadedModule loaded) : loaded_(std::move(loaded)) {}

  const std::string& path() const override {
    static const std::string none;
    return loaded_.file ? loaded_.file->path() : none;
  }
  std::string name() const override { return loaded_.module.type()->name()->name(); }

  std::vector<std::string> methods() const override {
    std::vector<std::string> result;
    for (const jit::Function* f : loaded_.module.type()->methods()) result.push_back(f->name());
    std::stable_partition(result.begin(), result.end(),
                          [&](const std::string& n) { return n == "forward" || n == loaded_.entry; });
    return result;
  }

  std::vector<ir::Argument> parameters(const std::string& method) const override {
    return guarded(Code::Internal, "", [&] {
      std::vector<ir::Argument> all = to_ir(find(method).getSchema())->arguments;
      if (!all.empty()) all.erase(all.begin());
      return all;
    });
  }

  RawProgram import(const ir::Arguments& arguments, const std::string& method, Training training,
                    bool written_outputs) override {
    const bool trains = training == Training::Train;
    std::vector<GradientQuestion> questions;
    RawProgram program = import_with_gradients(arguments, method, training, trains, written_outputs, questions);
    if (trains || questions.empty()) return program;
    std::vector<GradientQuestion> other_questions;
    RawProgram other;
    try {
      other = import_with_gradients(arguments, method, training, true, written_outputs, other_questions);
    } catch (const Error& error) {
      if (error.code() != Code::Unsupported && error.code() != Code::Program) throw;
    }
    std::string warning = warning_of_gradients({program.graph.get(), questions}, {other.graph.get(), other_questions});
    if (!warning.empty()) program.warnings.push_back(std::move(warning));
    return program;
  }

  RawProgram import_inputs(const ir::Arguments& arguments, const std::string& method) override {
    return import_with(arguments, method, Training::Eval, /*gradients=*/false,
                       [](GraphImport&, RawProgram&, const std::vector<Imported>&) {});
  }

  std::vector<ir::Tensor> run(const ir::Arguments& arguments, const std::string& method, Training training,
                              std::span<const ir::StateWrite> state) override {
    const CodeFacts code = facts_of(method);
    if (code.names_outside) import(arguments, method, training, false);
    const std::lock_guard lock(mutex_);
    const auto bound = guarded(Code::Internal, "", [&] { return bind_arguments(find(method).getSchema(), arguments); });
    std::vector<c10::IValue> stack{loaded_.module._ivalue()};
    NamedValues inputs;
    for (const BoundArgument& argument : bound) {
      stack.push_back(copy_of(to_ivalue(argument.value, argument.type)));
      if (!state.empty()) add_named(argument, stack.back(), inputs);
    }
    std::call_once(filled_, [this] { loaded_.fill(); });
    const KeepState kept(loaded_);
    set_training(loaded_.module, training);
    const KeepRandomState keep;
    jit::Function& function = runnable(find(method), code);
    // LibTorch's optimiser merges equal computations even if only one of them records gradients.
    const jit::GraphOptimizerEnabledGuard plain(!code.asks_for_gradients && jit::getGraphExecutorOptimize());
    const c10::IValue result = run_method(code, training, [&] {
      c10::IValue made;
      run_deep(function, [&] { made = run_function(function, std::move(stack), code.forks); });
      return made;
    });
    return guarded(Code::Internal, "the outputs cannot be read", [&] {
      std::vector<ir::Tensor> outputs = flat_outputs(result);
      for (const ir::StateWrite& write : state) outputs.push_back(value_of(write, inputs, result));
      return outputs;
    });
  }

  std::shared_ptr<void> record(backend::Recording& recording, const ir::Arguments& arguments, const std::string& method,
                               Training training, bool written_outputs) override {
    const CodeFacts code = facts_of(method);
    if (code.names_outside) refuse_unchecked(*import(arguments, method, training, false).graph);
    std::unique_lock lock(mutex_);
    jit::Function& function = runnable(find(method), code);
    if (!code.silent_read.empty()) throw Error(Code::Unsupported, code.silent_read);
    if (!has_stack_for(function))
      throw Error(
          Code::Unsupported,
          "the program is too long to be recorded on this thread: its stack is too small; export it on a thread "
          "with a larger stack (the main thread: ulimit -s), or as a script");
    std::vector<c10::IValue> stack{loaded_.module._ivalue()};
    std::shared_ptr<Held> held;
    {
      const Untraced untraced;
      const auto bound = guarded(Code::Internal, "", [&] { return bind_arguments(function.getSchema(), arguments); });
      std::size_t next = 0;
      for (const BoundArgument& argument : bound)
        stack.push_back(recorded_argument(argument, recording.inputs(), next));
      std::call_once(filled_, [this] { loaded_.fill(); });
      held = std::make_shared<Held>(std::move(lock), loaded_);
    }
    set_training(loaded_.module, training);
    for (const auto& [name, tensor] : state_of(loaded_.module)) recording.add_weight(&tensor, name);
    const KeepRandomState keep;
    const jit::GraphOptimizerEnabledGuard plain(false);
    const c10::IValue result =
        run_method(code, training, [&] { return run_function(function, std::move(stack), code.forks); });
    guarded(Code::Internal, "the outputs cannot be read", [&] {
      for (const at::Tensor& tensor : flat_tensors(result)) recording.add_output(&tensor);
      for (const auto& [name, value] : held->state.set_attributes()) {
        const at::Tensor tensor = value.isTensor() ? value.toTensor() : at::Tensor();
        recording.set_attribute(name, tensor.defined() ? &tensor : nullptr, written_outputs);
      }
    });
    return held;
  }

 private:
  RawProgram import_with_gradients(const ir::Arguments& arguments, const std::string& method, Training training,
                                   bool gradients, bool written_outputs, std::vector<GradientQuestion>& questions) {
    const auto follow = [&](GraphImport& import, RawProgram& program, std::vector<Imported> inputs) {
      for (const c10::Argument& result : find(method).getSchema().returns())
        if (holds_enum(*result.type()))
          throw Error(Code::Unsupported,
                      "the program returns a member of an enumeration; return its name or value instead");
      for (const Imported& result : import.call(find(method), std::move(inputs)))
        import.add_outputs(result, "", program);
      if (written_outputs) import.add_changed(program.state.outputs, program.output_names);
      aten::remove_dead(*program.graph);
      questions = import.gradient_questions();
    };
    return import_with(arguments, method, training, gradients, follow);
  }

  // `follow` imports the rest of the program from the receiver and the arguments.
  template <typename Follow>
  RawProgram import_with(const ir::Arguments& arguments, const std::string& method, Training training, bool gradients,
                         const Follow& follow) {
    const std::lock_guard lock(mutex_);  // LibTorch's nodes look up their operators lazily
    return guarded(Code::Internal, "the program cannot be read", [&] {
      const auto bound = bind_arguments(find(method).getSchema(), arguments);
      GraphImport::Anew known;
      for (;;) {
        try {
          RawProgram program;
          program.graph = std::make_unique<ir::Graph>();
          program.graph->set_name(name());
          program.module_attributes = module_attributes(loaded_.module);
          StorageMap storages;
          loaded_.add_regions(storages);
          WeightTable weights(*program.graph, storages);
          weights.add_names(loaded_.module);
          weights.make_named();
          program.state.other_names = weights.other_names();
          program.state.overlapping = ir::overlapping_weights(program.graph->weights());
          GraphImport import(*program.graph, weights, training, gradients, program.warnings);
          import.set_root(loaded_.module, known.forms);
          std::vector<Imported> inputs{Imported(c10::IValue(loaded_.module._ivalue()))};
          for (const BoundArgument& argument : bound) {
            const std::size_t first = program.inputs.size();
            inputs.push_back(add_inputs(import, argument, program.inputs));
            if (is_tensor_list(argument))
              program.lists.push_back({argument.name, first, program.inputs.size() - first});
          }
          import.make_heaps();
          import.make_changed(known.identities);
          follow(import, program, std::move(inputs));
          import.set_form_types();
          import.require_unchanged();
          program.state.left_out = import.changes();
          return program;
        } catch (GraphImport::Anew& more) {
          const std::size_t before = known.identities.size() + known.forms.size();
          known.identities.merge(more.identities);
          known.forms.merge(more.forms);
          if (known.identities.size() + known.forms.size() == before)
            throw Error(Code::Internal, "the import is restarted without end");
        }
      }
    });
  }

  // The import refuses operators that must not run if it reaches them. If a run takes another path, they raise there.
  // LibTorch compiles a copy when it first runs, so each is kept.
  jit::Function& runnable(jit::Function& method, const CodeFacts& code) {
    std::unique_ptr<jit::Function>& barred = barred_[&method];
    if (!barred) barred = barred_function(method, code);
    return barred ? *barred : method;
  }

  // `call` runs the method in the gradient mode that the import assumes: disabled, except for training code that asks
  // for the mode.
  static c10::IValue run_method(const CodeFacts& code, Training training, const std::function<c10::IValue()>& call) {
    const c10::AutoGradMode gradients(code.asks_for_gradients && training == Training::Train);
    const Interruptible interruptible;
    try {
      return call();
    } catch (const std::exception& e) {
      const std::string text = text_of(e), op = texts::operator_without_kernel(text);
      if (!op.empty())
        throw Error(Code::Unsupported, "the program cannot be run: operator " + op +
                                           " has no implementation here; load the library that defines it");
      if (dynamic_cast<const c10::NotImplementedError*>(&e))
        throw Error(Code::Unsupported, "the program cannot be run: " + text);
      rethrow(Code::Program, "the program fails on the example inputs");
    } catch (...) {
      rethrow(Code::Program, "the program fails on the example inputs");
    }
  }

  // The keys of a dict in the result.
  static ir::Tensor keys_of(c10::IValue result, std::string_view path) {
    for (std::size_t begin = 1; begin < path.size();) {
      const std::size_t end = std::min(path.find('.', begin), path.size());
      result = result.toTupleRef().elements().at(std::stoul(std::string(path.substr(begin, end - begin))));
      begin = end + 1;
    }
    const bool are_integers = result.toGenericDict().keyType()->kind() == c10::TypeKind::IntType;
    const auto dtype = are_integers ? at::kLong : at::kDouble;
    std::vector<at::Tensor> keys;
    for (const auto& entry : result.toGenericDict()) keys.push_back(at::scalar_tensor(entry.key().toScalar(), dtype));
    return to_ir(keys.empty() ? at::empty({0}, dtype) : at::stack(keys));
  }

  // The value of an input or attribute after a run.
  ir::Tensor value_of(const ir::StateWrite& write, const NamedValues& inputs, const c10::IValue& result) const {
    if (write.kind == ir::StateWrite::Kind::Keys) return keys_of(result, write.name);
    const auto input = std::ranges::find_if(inputs, [&](const auto& named) { return named.first == write.name; });
    const bool is_input = write.kind == ir::StateWrite::Kind::Input;
    const c10::IValue held = !is_input               ? value_at(loaded_.module._ivalue(), write.name)
                             : input != inputs.end() ? input->second
                                                     : c10::IValue();
    std::vector<ir::Tensor> values = held.isNone() ? std::vector<ir::Tensor>() : flat_outputs(held);
    if (values.size() != 1)
      throw Error(Code::Unsupported, "the value of '" + write.name + "' after a run cannot be read");
    return std::move(values[0]);
  }

  // During its lifetime, the modules contain copies of the values that a run may change: everything except modules.
  // Parameters in a file and constants of the code are not copied: if a run wrote to one, it is read from the file
  // again.
  class KeepState {
   public:
    explicit KeepState(const LoadedModule& loaded, bool copies_parameters = false) : loaded_(loaded) {
      const jit::Module& module = loaded.module;
      const bool parameters = copies_parameters || loaded.regions.empty();
      for (const at::Tensor& tensor : loaded.tensors) versions_.emplace_back(tensor, tensor._version());
      const c10::NoGradGuard no_grad;
      TensorCopies copies;
      std::unordered_set<const void*> seen;
      for (const auto& [path, m] : module.named_modules()) {
        if (!seen.insert(m._ivalue().get()).second) continue;
        const c10::ClassTypePtr type = m.type();
        for (std::size_t slot = 0; slot < type->numAttributes(); ++slot) {
          const c10::IValue value = m._ivalue()->getSlot(slot);
          if ((type->is_parameter(slot) && !parameters) || value.isModule() || value.isCustomClass()) continue;
          value.visit([&](const c10::IValue& part) {
            if (part.isTensor() && part.toTensor().defined()) copies.of(part.toTensor());
            return false;
          });
          kept_.emplace_back(m._ivalue(), slot, copies.of(value));
          given_.push_back(
              {(path.empty() ? path : path + ".") + type->getAttributeName(slot), std::get<2>(kept_.back())});
        }
      }
      exchange();
    }
    ~KeepState() {
      exchange();
      for (const auto& [tensor, version] : versions_)
        if (tensor._version() != version) loaded_.read_again(tensor);
    }
    // Attributes whose value was replaced; for lists and dicts, whose object was replaced.
    NamedValues set_attributes() const {
      NamedValues set;
      for (std::size_t i = 0; i < kept_.size(); ++i) {
        const c10::IValue& now = std::get<0>(kept_[i])->getSlot(std::get<1>(kept_[i]));
        const bool is_number = now.isScalar() || now.isString() || now.isDevice();
        const bool is_same = is_number ? now.tagKind() == given_[i].second.tagKind() && now == given_[i].second
                                       : now.isSameIdentity(given_[i].second);
        if (!is_same && given_[i].first != "training" && !given_[i].first.ends_with(".training"))
          set.emplace_back(given_[i].first, now);
      }
      return set;
    }
    KeepState(const KeepState&) = delete;
    KeepState& operator=(const KeepState&) = delete;

   private:
    void exchange() {
      for (auto& [object, slot, value] : kept_) {
        c10::IValue other = object->getSlot(slot);
        object->setSlot(slot, std::move(value));
        value = std::move(other);
      }
    }

    const LoadedModule& loaded_;
    std::vector<std::tuple<c10::intrusive_ptr<c10::ivalue::Object>, std::size_t, c10::IValue>> kept_;
    NamedValues given_;                                          // the copies, by attribute path
    std::vector<std::pair<at::Tensor, std::int64_t>> versions_;  // of tensors in the file
  };

  // State that a recording uses until it ends.
  struct Held {
    Held(std::unique_lock<CallMutex> held, const LoadedModule& loaded)
        : lock(std::move(held)), state(loaded, /*copies_parameters=*/true) {}

    std::unique_lock<CallMutex> lock;
    KeepState state;
  };

  CodeFacts facts_of(const std::string& method) {
    const std::lock_guard lock(mutex_);  // LibTorch's nodes look up their operators lazily
    return code_facts(loaded_.module, find(method));
  }

  jit::Function& find(const std::string& method) const {
    if (jit::Function* f = loaded_.module.type()->findMethod(method)) return *f;
    if (method == "forward" && !loaded_.entry.empty()) return find(loaded_.entry);
    std::string known;
    for (const std::string& m : methods()) known += (known.empty() ? "'" : ", '") + m + "'";
    const std::string text =
        method == "forward" ? "'forward' method must be a script method" : "there is no method '" + method + "'";
    throw Error(Code::Argument, loaded_.name + ": " + text +
                                    (known.empty() ? "; the module has no methods" : "; the module has " + known));
  }

  LoadedModule loaded_;
  CallMutex mutex_;
  std::unordered_map<const jit::Function*, std::unique_ptr<jit::Function>>
      barred_;  // the copy that runs instead; null: the method itself runs
  std::once_flag filled_;
};

}  // namespace

std::shared_ptr<Archive> make_archive(LoadedModule module) {
  return std::make_shared<LoadedArchive>(std::move(module));
}

std::shared_ptr<Archive> load_archive(const std::string& path) {
  return make_archive(load_module(ArchiveFile::open(path)));
}

std::shared_ptr<Archive> load_archive(std::vector<std::byte> bytes) {
  return make_archive(load_module(ArchiveFile::from_bytes(std::move(bytes))));
}

}  // namespace tonnx::torch
