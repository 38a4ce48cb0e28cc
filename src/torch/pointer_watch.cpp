#include "torch/pointer_watch.h"

#include <algorithm>
#include <utility>

#include <c10/core/impl/COW.h>
#include <c10/util/ParallelGuard.h>

namespace tonnx::torch {

namespace cow = c10::impl::cow;

namespace {

bool is_copy_on_write(const c10::Storage& storage) {
  return cow::is_cow_data_ptr(storage.unsafeGetStorageImpl()->_mutable_data_ptr_no_checks());
}

// False for memory that cannot be made so, and for a storage that is copy-on-write already, which has other owners.
bool make_copy_on_write(const c10::Storage& storage) {
  c10::StorageImpl& memory = *storage.unsafeGetStorageImpl();
  if (is_copy_on_write(storage) || !cow::has_simple_data_ptr(memory)) return false;
  return cow::lazy_clone_storage(memory) != nullptr;  // the clone is dropped, so that there is nothing to copy
}

}  // namespace

PointerWatch::Watched& PointerWatch::entry(const c10::Storage& storage, const JitValue* value) {
  const auto [found, is_new] = places_.try_emplace(storage.unsafeGetStorageImpl(), watched_.size());
  if (is_new) watched_.push_back({storage, value});
  if (is_new) ordinary_.push_back(storage.unsafeGetStorageImpl());
  return watched_[found->second];
}

void PointerWatch::add(const c10::Storage& storage, const JitValue* value) {
  if (storage.device().is_cpu() && storage.nbytes() > 0) entry(storage, value);
}

void PointerWatch::unmark(std::size_t place) {
  Watched& watched = watched_[place];
  if (!std::exchange(watched.is_marked, false)) return;
  ordinary_.push_back(watched.storage.unsafeGetStorageImpl());
  if (!is_copy_on_write(watched.storage)) return taken_.push_back(watched.value);
  const c10::ParallelGuard any_thread(false);  // LibTorch refuses it in the body of parallel_for()
  watched.storage.unsafeGetStorageImpl()->mutable_data();
}

void PointerWatch::suspend(const c10::Storage& storage) {
  const auto found = places_.find(storage.unsafeGetStorageImpl());
  if (found != places_.end()) unmark(found->second);
}

void PointerWatch::suspend_all() {
  for (std::size_t place = 0; place < watched_.size(); ++place) unmark(place);
}

void PointerWatch::exclude(const c10::Storage& storage) {
  entry(storage, nullptr).is_excluded = true;
  suspend(storage);
}

void PointerWatch::resume() {
  for (const c10::StorageImpl* memory : ordinary_) {
    const auto found = places_.find(memory);
    if (found == places_.end()) continue;
    Watched& watched = watched_[found->second];
    if (watched.is_marked || watched.is_excluded) continue;
    watched.is_marked = make_copy_on_write(watched.storage);
    if (!watched.is_marked) drop(found->second);
  }
  ordinary_.clear();
}

void PointerWatch::drop(std::size_t place) {
  places_.erase(watched_[place].storage.unsafeGetStorageImpl());
  if (place + 1 < watched_.size()) {
    watched_[place] = std::move(watched_.back());
    places_[watched_[place].storage.unsafeGetStorageImpl()] = place;
  }
  watched_.pop_back();
}

// From `end` down to `begin`, because drop() moves the last storage to the place of another.
void PointerWatch::look_at(std::size_t begin, std::size_t end) {
  for (std::size_t place = end; place-- > begin;) {
    const Watched& watched = watched_[place];
    if (watched.is_marked && !is_copy_on_write(watched.storage)) unmark(place);
    if (watched.storage.use_count() == 1) drop(place);
  }
}

std::vector<const PointerWatch::JitValue*> PointerWatch::taken(bool look_at_all) {
  const std::size_t count = watched_.size();
  const std::size_t newest = look_at_all || count <= kWindow ? 0 : count - kWindow;
  look_at(newest, count);
  if (next_ >= newest) next_ = 0;
  const std::size_t end = std::min(next_ + kWindow, newest);
  look_at(next_, end);
  next_ = end;
  return std::exchange(taken_, {});
}

void PointerWatch::stop() {
  suspend_all();
  watched_.clear();
  places_.clear();
  ordinary_.clear();
  taken_.clear();
}

}  // namespace tonnx::torch
