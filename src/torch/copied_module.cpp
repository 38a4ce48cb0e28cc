#include "torch/copied_module.h"

#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <c10/core/GradMode.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>

#include "torch/archive.h"
#include "torch/guard.h"
#include "torch/host_device.h"
#include "torch/loaded_module.h"
#include "torch/tensor_copies.h"

namespace tonnx::torch {

using ir::Code;
namespace jit = ::torch::jit;

namespace {

void replace_constants(jit::Block& block, TensorCopies& copies) {
  for (jit::Node* node : block.nodes()) {
    for (const c10::Symbol name : node->attributeNames())
      if (node->kindOf(name) == jit::AttributeKind::t && node->t(name).defined())
        node->t_(name, copies.of(node->t(name)));
    for (jit::Block* inner : node->blocks()) replace_constants(*inner, copies);
  }
}

// LibTorch's own copy has its own classes and code, but the values of the original, and a module that occurs twice is
// copied twice. Merges these copies, and copies the values.
class ValueCopier {
 public:
  ValueCopier(const jit::Module& original, bool share) : copies_(share) {
    for_each_tensor(original, [this](const at::Tensor& tensor) { copies_.of(tensor); });
  }

  void copy(const jit::Module& original, const jit::Module& made) {
    known_.emplace(original._ivalue().get(), made._ivalue());
    const c10::ClassTypePtr type = original.type();
    for (std::size_t i = 0; i < type->numAttributes(); ++i) {
      const std::string& name = type->getAttributeName(i);
      const c10::IValue value = original._ivalue()->getSlot(i);
      const std::size_t slot = made.type()->getAttributeSlot(name);
      if (!value.isModule()) {
        made._ivalue()->setSlot(slot, copies_.of(value));
        continue;
      }
      const auto known = known_.find(value.toObject().get());
      if (known != known_.end())
        made._ivalue()->setSlot(slot, known->second);
      else
        copy(value.toModule(), made._ivalue()->getSlot(slot).toModule());
    }
    if (classes_.insert(made.type().get()).second)
      for (jit::Function* method : made.type()->methods()) {
        jit::Block& code = *jit::toGraphFunction(*method).graph()->block();
        replace_constants(code, copies_);
        name_the_host(code);
      }
  }

 private:
  TensorCopies copies_;
  std::unordered_map<const c10::ivalue::Object*, c10::intrusive_ptr<c10::ivalue::Object>> known_;
  std::unordered_set<const c10::ClassType*> classes_;
};

}  // namespace

std::shared_ptr<backend::Archive> copy_module(const void* jit_module, bool share_weights) {
  const jit::Module& module = *static_cast<const jit::Module*>(jit_module);
  const std::string name = "module '" + module.type()->name()->name() + "'";
  return guarded(Code::Unsupported, name + " cannot be copied", [&] {
    const c10::NoGradGuard no_grad;
    const jit::Module made = module.clone(/*inplace=*/true);
    ValueCopier(module, share_weights).copy(module, made);
    return make_archive({nullptr, made, name, {}, {}, {}});
  });
}

}  // namespace tonnx::torch
