#include "torch/memory_blocks.h"

#include <algorithm>

namespace tonnx::torch {

void MemoryBlock::add_whole_span() {
  spans.assign(1, {kWholeStorage, checksum(*storage.lock(), kWholeStorage), {}, {}});
}

::torch::jit::Value* MemoryBlock::value_of(const Layout& layout) const {
  const auto same = [&](const Seen& item) { return item.layout == layout; };
  const auto found = std::find_if(seen.rbegin(), seen.rend(), same);
  return found == seen.rend() ? nullptr : found->value;
}

MemoryBlock* MemoryBlocks::find(const at::Tensor& tensor) {
  const auto it = blocks_.find(tensor.storage().unsafeGetStorageImpl());
  if (it == blocks_.end()) return nullptr;
  if (!it->second.storage.expired()) return &it->second;
  blocks_.erase(it);
  return nullptr;
}

MemoryBlock& MemoryBlocks::find_or_add(const at::Tensor& tensor) {
  if (MemoryBlock* found = find(tensor)) return *found;
  const c10::Storage& storage = tensor.storage();
  return blocks_.emplace(storage.unsafeGetStorageImpl(), storage.getWeakStorageImpl()).first->second;
}

MemoryBlock* MemoryBlocks::find_overlap(const at::Tensor& tensor) {
  const auto address = [](const c10::StorageImpl& storage, const ByteRange& range) {
    const auto base = reinterpret_cast<std::size_t>(storage.data());
    return ByteRange{base + range.begin, base + range.end};
  };
  const c10::StorageImpl& own = *tensor.storage().unsafeGetStorageImpl();
  const ByteRange wanted = address(own, bytes_of(tensor));
  MemoryBlock* result = nullptr;
  for (auto it = blocks_.begin(); it != blocks_.end();) {
    const auto alive = it->second.storage.lock();
    if (!alive) {
      it = blocks_.erase(it);
      continue;
    }
    if (it->second.recorded && alive.get() != &own && alive->device() == own.device() &&
        address(*alive, {0, alive->nbytes()}).overlaps(wanted))
      result = &it->second;
    ++it;
  }
  return result;
}

}  // namespace tonnx::torch
