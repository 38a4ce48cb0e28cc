#include "torch/archive.h"

#include <c10/core/InferenceMode.h>
#include <c10/core/GradMode.h>

#include <mutex>

#include "aten/training_flags.h"
#include "ir/error.h"
#include "torch/arguments.h"
#include "torch/deep_stack.h"
#include "torch/flat_outputs.h"
#include "torch/guard.h"
#include "torch/libtorch_texts.h"
#include "torch/loaded_module.h"
#include "torch/outside.h"
#include "torch/random_state.h"

namespace tonnx::torch {

using ir::Code;
using ir::Error;
using ir::RawProgram;
using ir::Training;
namespace jit = ::torch::jit;

namespace {

// In eval mode the modules' own flags are false: a flag that is true was fixed by a trace, or by the program.
void warn_of_training(const ir::Graph& graph, std::vector<std::string>& warnings) {
  const std::string text = aten::kept_training(graph);
  if (!text.empty()) warnings.push_back(text + "; trace the model after eval()");
}

void set_training(const jit::Module& module, Training training) {
  if (training == Training::Preserve) return;
  for (const jit::Module& m : module.modules()) {
    const auto slot = m.type()->findAttributeSlot("training");
    if (slot && m._ivalue()->getSlot(*slot).isBool()) m._ivalue()->setSlot(*slot, training == Training::Train);
  }
}

class LoadedArchive final : public Archive {
 public:
  explicit LoadedArchive(LoadedModule loaded) : loaded_(std::move(loaded)) {}

  const std::string& path() const override { return loaded_.file->path(); }
  std::string name() const override { return loaded_.module.type()->name()->name(); }

  std::vector<std::string> methods() const override {
    std::vector<std::string> result;
    for (const jit::Function* f : loaded_.module.type()->methods()) result.push_back(f->name());
    std::stable_partition(result.begin(), result.end(), [](const std::string& n) { return n == "forward"; });
    return result;
  }

  std::vector<ir::Argument> parameters(const std::string& method) const override {
    return guarded(Code::Internal, "", [&] {
      std::vector<ir::Argument> all = to_ir(find(method).getSchema())->arguments;
      if (!all.empty()) all.erase(all.begin());
      return all;
    });
  }

  RawProgram import(const ir::Arguments& arguments, const std::string& method, Training training) override {
    const std::lock_guard lock(mutex_);  // LibTorch's nodes look their operators up lazily
    return guarded(Code::Internal, "the program cannot be read", [&] {
      jit::Function& function = find(method);
      const auto bound = bind_arguments(function.getSchema(), arguments);
      RawProgram program;
      program.graph = std::make_unique<ir::Graph>();
      program.graph->set_name(name());
      StorageMap storages;
      loaded_.add_regions(storages);
      WeightTable weights(*program.graph, storages);
      weights.add_names(loaded_.module);
      weights.make_named();
      GraphImport import(*program.graph, weights, training, program.warnings);
      import.set_root(loaded_.module);
      std::vector<Imported> inputs{Imported(c10::IValue(loaded_.module._ivalue()))};
      for (const BoundArgument& argument : bound) inputs.push_back(add_inputs(import, argument, program.inputs));
      const auto results = import.call(function, std::move(inputs));
      for (const Imported& result : results) import.add_outputs(result, "", program.output_names);
      remove_dead_nodes(*program.graph);
      if (training == Training::Eval) warn_of_training(*program.graph, program.warnings);
      return program;
    });
  }

  std::vector<ir::Tensor> run(const ir::Arguments& arguments, const std::string& method, Training training) override {
    // The import refuses what these arguments come to; it follows every call.
    if (names_outside(loaded_.module)) import(arguments, method, training);
    const std::lock_guard lock(mutex_);
    const auto bound = guarded(Code::Internal, "", [&] { return bind_arguments(find(method).getSchema(), arguments); });
    std::vector<c10::IValue> stack{loaded_.module._ivalue()};
    for (const BoundArgument& argument : bound)
      stack.push_back(to_ivalue(argument.value, argument.type).deepcopy());
    std::call_once(filled_, [this] { loaded_.fill(); });
    const KeepState state(loaded_.module);
    set_training(loaded_.module, training);
    const c10::NoGradGuard no_grad;
    const KeepRandomState keep;
    c10::IValue result;
    try {
      jit::Function& function = find(method);
      run_deep(function, [&] { result = function(std::move(stack)); });
    } catch (const c10::NotImplementedError& e) {
      const std::string text = text_of(e), op = texts::operator_without_kernel(text);
      throw Error(Code::Unsupported,
                  "the program cannot be run: " +
                      (op.empty() ? text
                                  : "operator " + op +
                                        " has no implementation here; load the library that defines it"));
    } catch (...) {
      rethrow(Code::Program, "the program fails on the example inputs");
    }
    return guarded(Code::Internal, "the outputs cannot be read", [&] { return flat_outputs(result); });
  }

 private:
  // For as long as it lives, the modules hold copies of what a run may change: all that is no parameter and no module.
  class KeepState {
   public:
    explicit KeepState(const jit::Module& module) {
      c10::IValue::HashIdentityIValueMap copies;
      for (const jit::Module& m : module.modules()) {
        const c10::ClassTypePtr type = m.type();
        for (std::size_t slot = 0; slot < type->numAttributes(); ++slot) {
          const c10::IValue value = m._ivalue()->getSlot(slot);
          if (type->is_parameter(slot) || value.isModule() || value.isCustomClass()) continue;
          kept_.emplace_back(m._ivalue(), slot, value.deepcopy(copies));
        }
      }
      exchange();
    }
    ~KeepState() { exchange(); }
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

    std::vector<std::tuple<c10::intrusive_ptr<c10::ivalue::Object>, std::size_t, c10::IValue>> kept_;
  };

  jit::Function& find(const std::string& method) const {
    if (jit::Function* f = loaded_.module.type()->findMethod(method)) return *f;
    std::string known;
    for (const std::string& m : methods()) known += (known.empty() ? "'" : ", '") + m + "'";
    const std::string text = method == "forward" ? "'forward' method must be a script method"
                                                 : "there is no method '" + method + "'";
    throw Error(Code::Argument, loaded_.file->what() + ": " + text +
                                    (known.empty() ? "; the module has no methods" : "; the module has " + known));
  }

  LoadedModule loaded_;
  std::mutex mutex_;
  std::once_flag filled_;
};

std::shared_ptr<Archive> load_from(std::shared_ptr<const ArchiveFile> file) {
  return std::make_shared<LoadedArchive>(load_module(std::move(file)));
}

}  // namespace

std::shared_ptr<Archive> load_archive(const std::string& path) { return load_from(ArchiveFile::open(path)); }

std::shared_ptr<Archive> load_archive(std::vector<std::byte> bytes) {
  return load_from(ArchiveFile::from_bytes(std::move(bytes)));
}

}  // namespace tonnx::torch
