// Tensors whose memory or sizes are replaced, which LibTorch's tracer does not record.
#include "torch/trace_memory.h"

namespace tonnx::torch {

namespace jit = ::torch::jit;

std::optional<TraceMemory::Resized> TraceMemory::before_resize(const at::Tensor& tensor) {
  const std::lock_guard lock(mutex_);
  if (!is_plain_tensor(tensor) || !state_.hasValue(tensor)) return std::nullopt;
  return Resized{tensor, Layout::of(tensor), state_.getValue(tensor), tensor.storage().nbytes() == 0};
}

void TraceMemory::resized(const Resized& before) {
  const std::lock_guard lock(mutex_);
  const at::Tensor& tensor = before.tensor;
  if (before.layout == Layout::of(tensor)) return state_.setValue(tensor, before.value);
  // Does not change memory that other tensors share.
  if (!before.had_no_memory || tensor.numel() == 0) return;
  jit::Graph& graph = *state_.graph;
  jit::Value* none = graph.insertConstant(c10::IValue());
  jit::Value* dtype = graph.insertConstant(static_cast<std::int64_t>(tensor.scalar_type()));
  jit::Node* node =
      graph.create(c10::aten::empty, {graph.insertConstant(tensor.sizes()), dtype, none, none, none, none}, 1);
  graph.insertNode(node);
  node->output()->inferTypeFrom(tensor);
  fill_with_zeros(*tensor.storage().unsafeGetStorageImpl());
  MemoryBlock& block = blocks_.find_or_add(tensor);
  block.recorded = true;
  block.depends_on_input = block.drawn = false;
  block.add_whole_span();
  block.spans.front().root = tensor;
  learn(tensor, node->output(), block);
  samples_[node->output()] = sample_of(tensor);
}

void TraceMemory::given_memory(const at::Tensor& tensor) {
  const std::lock_guard lock(mutex_);
  if (state_.hasValue(tensor)) state_.delValue(tensor);
}

}  // namespace tonnx::torch
