#include "torch/interruptible.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/runtime/operator.h>
#include <torch/library.h>

#include "torch/checkpoint.h"

namespace tonnx::torch {

namespace jit = ::torch::jit;

namespace {

constexpr const char* kLoopCheckpoint = "tonnx::checkpoint";

constexpr c10::DispatchKey kCheckpointKey = c10::DispatchKey::DeferredInit;

void check_and_run(const c10::OperatorHandle& op, c10::DispatchKeySet keys, c10::Stack* stack) {
  checkpoint();
  // An operator that writes to several `out` tensors returns references to its operands, which a boxed call releases
  // before it reads them.
  const auto count = static_cast<std::ptrdiff_t>(op.schema().arguments().size());
  const c10::Stack operands(stack->end() - count, stack->end());
  op.redispatchBoxed(keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, kCheckpointKey), stack);
}

// Once per process, for its whole life: a change of the dispatch table would need all threads to be idle.
bool has_fallback() {
  static const bool made = [] {
    try {
      auto* library = new ::torch::Library(::torch::Library::IMPL, "_", kCheckpointKey, __FILE__, __LINE__);
      library->fallback(::torch::CppFunction::makeFromBoxedFunction<&check_and_run>());
      return true;
    } catch (const c10::Error&) {  // another library uses the key
      return false;
    }
  }();
  return made;
}

// The operator only occurs in copies of code that are about to run. LibTorch assumes that an operator with conservative
// alias analysis has side effects, and keeps it.
void define_loop_checkpoint() {
  static const bool made = [] {
    jit::registerOperator(jit::Operator(
        std::string(kLoopCheckpoint) + "() -> ()", [](jit::Stack&) { checkpoint(); },
        c10::AliasAnalysisKind::CONSERVATIVE));
    return true;
  }();
  static_cast<void>(made);
}

// The code that a node calls, if it is known; null if not.
jit::Function* called_function(const jit::Node& node) {
  if (node.kind() == c10::prim::CallFunction)
    if (const auto type = node.input(0)->type()->cast<c10::FunctionType>()) return type->function();
  if (node.kind() == c10::prim::CallMethod)
    if (const auto type = node.input(0)->type()->cast<c10::ClassType>())
      return type->findMethod(node.s(jit::attr::name));
  return nullptr;
}

// Whether each run of some code runs an operator of LibTorch's dispatcher.
class OperatorSearch {
 public:
  bool runs_operator(const jit::Block& block) {
    const auto nodes = block.nodes();
    return std::any_of(nodes.begin(), nodes.end(), [this](const jit::Node* node) { return runs_operator(*node); });
  }

 private:
  bool runs_operator(const jit::Node& node) {
    if (const jit::Operator* op = node.maybeOperator(); op && op->isC10Op()) return true;
    if (node.kind() == c10::prim::If) return runs_operator(*node.blocks()[0]) && runs_operator(*node.blocks()[1]);
    jit::Function* const called = called_function(node);
    jit::GraphFunction* const code = called ? jit::tryToGraphFunction(*called) : nullptr;
    if (!code) return false;
    const auto found = known_.find(code);
    if (found != known_.end()) return found->second;
    code->ensure_defined();
    return known_[code] = runs_operator(*code->graph()->block());
  }

  std::unordered_map<const jit::GraphFunction*, bool> known_;
};

}  // namespace

bool lacks_checkpoints(const jit::Node& node) {
  return node.kind() == c10::prim::Loop && !OperatorSearch().runs_operator(*node.blocks()[0]);
}

void add_checkpoint(jit::Node& loop) {
  define_loop_checkpoint();
  jit::Block& body = *loop.blocks()[0];
  jit::Node* call = loop.owningGraph()->create(c10::Symbol::fromQualString(kLoopCheckpoint), 0);
  call->setSourceRange(loop.sourceRange());
  body.prependNode(call);
}

Interruptible::Interruptible() {
  if (is_observed() && has_fallback()) included_.emplace(kCheckpointKey);
}

}  // namespace tonnx::torch
