#include "torch/trace_memory.h"

#include <algorithm>
#include <utility>

#include "ir/refusal.h"
#include "torch/trace.h"
#include "torch/trace_functions.h"

namespace tonnx::torch {

using ir::Code;
using ir::Error;
namespace jit = ::torch::jit;

namespace {

c10::StorageImpl& storage_of(const at::Tensor& tensor) { return *tensor.storage().unsafeGetStorageImpl(); }

}  // namespace

std::string module_of(const jit::ScopePtr& scope) {
  if (!scope || scope->isRoot() || scope->isBlank()) return {};
  const std::string outer = module_of(scope->parent());
  const std::string name = TraceScope::of(scope->name().toUnqualString()).name;
  return outer.empty() || name.empty() ? outer + name : outer + "." + name;
}

bool is_recorded_operator(const jit::Node& node) { return !node.kind().is_prim(); }

bool TraceMemory::knows(const at::Tensor& tensor) const {
  if (!state_.hasValue(tensor)) return false;
  const auto extent = extents_.find(state_.getValue(tensor));
  return extent == extents_.end() ||
         (extent->second.storage == &storage_of(tensor) && extent->second.layout == Layout::of(tensor));
}

void TraceMemory::learn(const at::Tensor& tensor, JitValue* value, MemoryBlock& block) {
  const Layout layout = Layout::of(tensor);
  if (!state_.hasValue(tensor) || state_.getValue(tensor) != value) state_.setValue(tensor, value);
  if (!block.made) block.made = value;
  block.seen.push_back({layout, value});
  extents_[value] = {&storage_of(tensor), layout};
}

jit::Value* TraceMemory::new_input(const at::Tensor& tensor, const std::string& description) {
  JitValue* value = state_.graph->addInput();
  value->inferTypeFrom(tensor);
  state_.setValue(tensor, value);
  inputs_[value] = description;
  return value;
}

void TraceMemory::add_input(const at::Tensor& tensor, const std::string& name) {
  const std::lock_guard lock(mutex_);
  JitValue* value = new_input(tensor, "input '" + name + "'");
  has_quantised_input_ |= tensor.is_quantized();
  MemoryBlock& block = blocks_.find_or_add(tensor);
  block.recorded = true;
  block.depends_on_input = true;
  block.add_whole_span();
  learn(tensor, value, block);
  watch(tensor);
  pointer_watch_.resume();
}

void TraceMemory::add_weight(const at::Tensor& tensor, const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (!is_plain_tensor(tensor)) {
    if (!state_.hasValue(tensor)) {
      new_input(tensor, "weight '" + name + "'");
      weights_.push_back({tensor, name});
    }
    return;
  }
  MemoryBlock& block = blocks_.find_or_add(tensor);
  if (block.depends_on_input) throw Error(Code::Argument, "weight '" + name + "' is computed from an input");
  if (block.declared && knows(tensor)) {
    const auto is_same = [&](const Weight& known) {
      return is_plain_tensor(known.tensor) && known.tensor.is_alias_of(tensor) &&
             Layout::of(known.tensor) == Layout::of(tensor);
    };
    const auto known = std::ranges::find_if(weights_, is_same);
    if (known != weights_.end() && known->name != name) other_names_.push_back({tensor, name, known->name});
    return;
  }
  if (!block.declared && state_.hasValue(tensor) && !state_.getValue(tensor)->uses().empty())
    late_weights_.push_back(name);
  if (!block.declared) block.add_whole_span();
  block.declared = true;
  learn(tensor, new_input(tensor, "weight '" + name + "'"), block);
  weights_.push_back({tensor, name});
}

Origin TraceMemory::origin_of(const at::Tensor& tensor) {
  const std::lock_guard lock(mutex_);
  if (is_plain_tensor(tensor))
    if (const MemoryBlock* block = blocks_.find(tensor)) return {block->depends_on_input, block->drawn};
  return {state_.hasValue(tensor), false};
}

bool TraceMemory::holds_computed(const at::Tensor& tensor) {
  const std::lock_guard lock(mutex_);
  const MemoryBlock* block = is_plain_tensor(tensor) ? blocks_.find(tensor) : nullptr;
  return block && block->depends_on_input;
}

void TraceMemory::computed_elsewhere(const at::Tensor& tensor, const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (!is_plain_tensor(tensor)) return;
  if (MemoryBlock* known = blocks_.find(tensor)) {
    known->touched = name;
    return;
  }
  MemoryBlock& block = blocks_.find_or_add(tensor);
  block.depends_on_input = true;
  block.untraced = name;
}

void TraceMemory::read(const at::Tensor& tensor, const std::string& reader) {
  const std::lock_guard lock(mutex_);
  // A number that LibTorch converted to a tensor stays a number.
  if (!is_plain_tensor(tensor) || tensor.unsafeGetTensorImpl()->is_wrapped_number()) return;
  MemoryBlock* block = blocks_.find(tensor);
  if (knows(tensor)) {
    if (block) check(tensor, *block, reader);
    return;
  }
  if (state_.hasValue(tensor)) state_.delValue(tensor);
  if (!block && tensor.numel() > 0) block = blocks_.find_overlap(tensor);
  if (!block) return capture(tensor);
  const std::string& maker = block->untraced.empty() && !block->recorded ? block->touched : block->untraced;
  if (!maker.empty() && tensor.numel() > 0) {
    capture(tensor);
    return refuse(reader + " reads a tensor that " + maker +
                      " computed from a traced tensor while nothing was recorded; call only operators of LibTorch that "
                      "its tracer sees, on the recording thread",
                  reader);
  }
  if (!block->recorded) return capture(tensor);
  const auto storage = block->storage.lock();
  const Layout layout = Layout::of(tensor, *storage);
  if (block->value_of(layout)) {
    check(tensor, *block, reader);
    return alias(tensor, block->value_of(layout));  // a write by the host creates another value
  }
  capture(tensor);
  if (tensor.numel() == 0) return;
  refuse(reader + " reads a tensor that shares the memory of " + describe(block->made) +
             ", but was created outside of the recorded operators (data(), set_data(), from_blob over data_ptr(), or a "
             "view from before the recording); use detach() and views of the traced tensor",
         reader);
}

void TraceMemory::check(const at::Tensor& tensor, MemoryBlock& block, const std::string& reader) {
  if (block.declared && !block.recorded) return;  // see check_weights()
  if (block.written_root && state_.hasValue(tensor) && root_of(state_.getValue(tensor)) != block.written_root)
    return refuse(reader +
                      " reads a tensor from outside of the recording whose memory was written to through another "
                      "tensor; create the view inside of the recorded code",
                  reader);
  const bool own = block.storage._unsafe_get_target() == &storage_of(tensor);
  const ByteRange range = own ? bytes_of(tensor) : kWholeStorage;
  const auto storage = block.storage.lock();
  for (MemoryBlock::Span& span : block.spans) {
    if (!span.range.overlaps(range)) continue;
    const std::uint64_t now = checksum(*storage, span.range);
    if (now == span.checksum) continue;
    span.checksum = now;
    if (!block.depends_on_input && block.touched.empty() && span.root.defined()) {
      record_host_write(span, block);
      continue;
    }
    refuse(reader + " reads " + describe(block.made) +
               " after it was written to outside of the recorded operators (data_ptr(), an accessor, memcpy, another "
               "thread); write "
               "with operators such as index_put_, copy_ or fill_",
           reader);
  }
}

void TraceMemory::record_host_write(MemoryBlock::Span& span, MemoryBlock& block) {
  const auto storage = block.storage.lock();
  if (!knows(span.root))
    return refuse("memory was written to outside of the recorded operators after its tensor got other memory");
  const ByteRange range = bytes_of(span.root);
  jit::Value* before = state_.getValue(span.root);
  jit::Value* constant = state_.graph->insertConstant(over_copy(span.root, copy_of(*storage, range), range));
  if (before->uses().empty() && !inputs_.contains(before)) return learn(span.root, constant, block);
  jit::Node* copy = state_.graph->create(c10::aten::copy_, {before, constant, state_.graph->insertConstant(false)}, 1);
  state_.graph->insertNode(copy);
  copy->output()->inferTypeFrom(span.root);
  learn(span.root, copy->output(), block);
  note_write(block, copy);
}

void TraceMemory::capture(const at::Tensor& tensor) {
  MemoryBlock& block = blocks_.find_or_add(tensor);
  at::Tensor held;
  if (block.declared) {
    held = without_history(tensor);
    captured_.push_back({held, tensor});
  } else {
    const ByteRange range = bytes_of(tensor);
    const c10::StorageImpl& storage = storage_of(tensor);
    const std::uint64_t now = checksum(storage, range);
    const auto same = [&](const MemoryBlock::Span& span) {
      return span.range.begin == range.begin && span.range.end == range.end && span.checksum == now && span.copy;
    };
    auto span = std::find_if(block.spans.begin(), block.spans.end(), same);
    if (span != block.spans.end()) {
      // The same view again, by another tensor.
      if (JitValue* known = block.value_of(Layout::of(tensor))) return learn(tensor, known, block);
    } else {
      block.spans.push_back({range, now, tensor, copy_of(storage, range)});
      span = std::prev(block.spans.end());
    }
    held = over_copy(tensor, span->copy, range);
    captured_.push_back({held, tensor});
  }
  learn(tensor, state_.graph->insertConstant(held), block);
}

void TraceMemory::alias(const at::Tensor& tensor, JitValue* value) {
  jit::Node* node = state_.graph->create(c10::aten::detach, {value}, 1);
  state_.graph->insertNode(node);
  node->output()->inferTypeFrom(tensor);
  state_.setValue(tensor, node->output());
  extents_[node->output()] = {&storage_of(tensor), Layout::of(tensor)};
}

// Follows views and writes back to the constant or input.
const jit::Value* TraceMemory::root_of(const JitValue* value) const {
  for (;;) {
    const auto own = extents_.find(value);
    const JitValue* source = nullptr;
    if (own != extents_.end())
      for (const JitValue* input : value->node()->inputs()) {
        const auto extent = extents_.find(input);
        if (extent != extents_.end() && extent->second.storage == own->second.storage) source = input;
        if (source) break;
      }
    if (!source) return value;
    value = source;
  }
}

void TraceMemory::before_write(const at::Tensor& tensor) {
  const std::lock_guard lock(mutex_);
  if (!is_plain_tensor(tensor)) return;
  MemoryBlock* block = blocks_.find(tensor);
  if (!block || block->recorded) return;
  if (block->declared) {
    const c10::StorageImpl& storage = storage_of(tensor);
    const c10::Storage copy = copy_of(storage, kWholeStorage);
    for (Weight& weight : weights_)
      if (is_plain_tensor(weight.tensor) && &storage_of(weight.tensor) == &storage) {
        weight.now = std::exchange(weight.tensor, over_copy(weight.tensor, copy, kWholeStorage));
        weight.written = true;
      }
  }
}

void TraceMemory::look_again(const at::Tensor& tensor, MemoryBlock& block) {
  const ByteRange range = bytes_of(tensor);
  for (MemoryBlock::Span& span : block.spans)
    if (span.range.overlaps(range)) span.checksum = checksum(storage_of(tensor), span.range);
}

void TraceMemory::written(const at::Tensor& tensor, Origin origin) {
  const std::lock_guard lock(mutex_);
  if (!is_plain_tensor(tensor) || !state_.hasValue(tensor)) return;
  JitValue* value = state_.getValue(tensor);
  MemoryBlock& block = blocks_.find_or_add(tensor);
  if (block.spans.empty()) block.add_whole_span();
  const bool was_outside = !std::exchange(block.recorded, true);
  block.written = true;
  block.depends_on_input |= origin.input;
  block.drawn |= origin.drawn;
  note_write(block, value->node());
  look_again(tensor, block);
  if (!extents_.contains(value)) {
    learn(tensor, value, block);
    samples_[value] = sample_of(tensor);
  }
  if (was_outside && block.spans.size() + block.declared > 1) block.written_root = root_of(value);
}

void TraceMemory::note_write(MemoryBlock& block, const jit::Node* writer) {
  block.writer = writer;
  for (const std::size_t output : block.returned) returned_[output].is_written = true;
  block.returned.clear();
}

void TraceMemory::returned(const at::Tensor& tensor, const jit::Node* begin, jit::Node* end, std::size_t index) {
  const std::lock_guard lock(mutex_);
  JitValue* value = end->output(index);
  value->inferTypeFrom(tensor);
  state_.setValue(tensor, value);
  if (!is_plain_tensor(tensor)) return;
  MemoryBlock& block = blocks_.find_or_add(tensor);
  const jit::Node* maker = block.made ? block.made->node() : nullptr;
  const bool is_outside =
      !maker || maker->kind() == c10::prim::Param || maker->kind() == c10::prim::Constant || !maker->isAfter(begin);
  learn(tensor, value, block);
  block.returned.push_back(returned_.size());
  returned_.push_back({begin, value, is_outside, is_outside && block.writer && block.writer->isAfter(begin)});
}

// True if code after the function reads its memory through a value of the function, or another of its outputs.
// `of_storage`: the values with the output's storage.
bool TraceMemory::has_other_readers(const Returned& output, const std::vector<const JitValue*>& of_storage) const {
  const jit::Node* end = output.value->node();
  for (const JitValue* value : of_storage) {
    if (value == output.value || value == end->input(output.value->offset())) continue;
    if (value->node() == end) return true;
    if (value->node()->kind() == c10::prim::Param || !value->node()->isAfter(output.begin) ||
        value->node()->isAfter(end))
      continue;
    for (const jit::Use& use : value->uses())
      if (use.user->kind() == c10::prim::Return || use.user->isAfter(end)) return true;
  }
  return false;
}

std::vector<const jit::Value*> TraceMemory::shared_outputs() const {
  std::unordered_map<const c10::StorageImpl*, std::vector<const JitValue*>> values;
  if (!returned_.empty())
    for (const auto& [value, extent] : extents_) values[extent.storage].push_back(value);
  std::vector<const jit::Value*> shared;
  for (const Returned& output : returned_) {
    if (!output.is_written) continue;
    if (output.is_outside || has_other_readers(output, values.at(extents_.at(output.value).storage)))
      shared.push_back(output.value);
  }
  return shared;
}

bool TraceMemory::is_written(const at::Tensor& tensor) {
  const std::lock_guard lock(mutex_);
  const MemoryBlock* block = is_plain_tensor(tensor) ? blocks_.find(tensor) : nullptr;
  return block && block->written;
}

std::vector<TraceMemory::Captured> TraceMemory::written_captures() {
  std::vector<Captured> written;
  for (const Captured& captured : captured_)
    if (is_written(captured.tensor)) written.push_back(captured);
  return written;
}

void TraceMemory::release() {
  const std::lock_guard lock(mutex_);
  blocks_ = {};
  captured_.clear();
  weights_.clear();
  other_names_.clear();
}

void TraceMemory::result(const at::Tensor& tensor, const OperatorTraits& traits, Origin origin) {
  const std::lock_guard lock(mutex_);
  if (!is_plain_tensor(tensor)) return;
  if (!state_.hasValue(tensor)) return;
  MemoryBlock* known = blocks_.find(tensor);
  JitValue* value = state_.getValue(tensor);
  if (extents_.contains(value)) return;
  MemoryBlock& block = blocks_.find_or_add(tensor);
  if (!known || !block.untraced.empty()) {
    block.untraced.clear();
    block.recorded = true;
    block.depends_on_input = origin.input;
    block.drawn = origin.drawn;
    // A model has zeros where LibTorch has uninitialised memory.
    if (traits.uninitialised) fill_with_zeros(storage_of(tensor));
    block.add_whole_span();
    if (traits.creates) block.spans.front().root = tensor;
  }
  learn(tensor, value, block);
  samples_[value] = sample_of(tensor);
}

void TraceMemory::check_weights() {
  const std::lock_guard lock(mutex_);
  for (const Weight& weight : weights_) {
    if (!is_plain_tensor(weight.tensor)) continue;
    const MemoryBlock* block = blocks_.find(weight.tensor);
    if (weight.written || !block) continue;
    const MemoryBlock::Span& span = block->spans.front();
    if (checksum(storage_of(weight.tensor), span.range) != span.checksum)
      refuse(
          "weight '" + weight.name +
          "' was written to outside of the recorded operators (data_ptr(), an accessor, memcpy) while it was traced; "
          "write with operators, or before the trace");
  }
}

void TraceMemory::refuse(const std::string& text, const std::string& op) {
  const std::lock_guard lock(mutex_);
  if (refusal_) return;
  ir::Reason reason{.op = op, .text = text, .module = module_of(state_.graph->current_scope()), .source = {}};
  if (op.find("::") != std::string::npos) reason.source = place_of(nullptr);
  ir::Reason site = reason;
  site.op.clear();  // it is in the text
  refusal_.emplace(Code::Unsupported, "the recording differs from the code: " + ir::to_string(site),
                   std::vector{std::move(reason)});
}

void TraceMemory::throw_refusal() const {
  if (refusal_) throw *refusal_;
}

std::string TraceMemory::describe(const JitValue* value) const {
  if (!value) return "a tensor from outside of the recording";
  if (const auto input = inputs_.find(value); input != inputs_.end()) return input->second;
  const jit::Node* node = value->node();
  if (is_function_mark(*node)) return describe(node->input(value->offset()));
  while (!is_recorded_operator(*node) && node->inputs().size() == 1) node = node->input()->node();  // of a list
  if (node->kind() == c10::prim::Constant) return "a tensor from outside of the recording";
  return "the result of " + ir::describe_site({.op = node->kind().toQualString(),
                                               .text = {},
                                               .module = module_of(const_cast<jit::Node*>(node)->scope()),
                                               .source = place_of(node)});
}

// For null: location of the next operator.
std::string TraceMemory::place_of(const jit::Node* node) const {
  std::size_t number = 1;
  for (const jit::Node* each : state_.graph->nodes()) {
    if (each == node) break;
    number += is_recorded_operator(*each);
  }
  return "operator " + std::to_string(number) + " of the recording";
}

}  // namespace tonnx::torch
