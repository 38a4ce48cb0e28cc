// Preloaded into a process, or linked into it, makes allocations of C++ fail on the threads that request it.
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

thread_local std::int64_t before = 0, left = 0, failed = 0;

}  // namespace

void* operator new(std::size_t size) {
  if (left > 0 && before-- <= 0) {
    --left;
    ++failed;
    throw std::bad_alloc();
  }
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}

// std::stable_sort uses this one. A sanitizer's own would not match the functions below.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return operator new(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

// After `succeed` further allocations of this thread, `fail` ones fail. Returns how many have failed since the last
// call.
extern "C" std::int64_t failing_new(std::int64_t succeed, std::int64_t fail) {
  const std::int64_t result = failed;
  before = succeed;
  left = fail;
  failed = 0;
  return result;
}

extern "C" std::int64_t Java_org_tonnx_FailingNew_set(void*, void*, std::int64_t succeed, std::int64_t fail) {
  return failing_new(succeed, fail);
}
