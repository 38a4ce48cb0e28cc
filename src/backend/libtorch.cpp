#include "backend/libtorch.h"

#include <atomic>
#include <dlfcn.h>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "backend/entry.h"
#include "backend/scope.h"
#include "ir/dependency_error.h"

namespace tonnx::backend {
namespace {

using ir::DependencyError;
namespace fs = std::filesystem;

// The name as the loader knows it, and the one without a version, as a copy may have.
constexpr const char* kNames[] = {"libtonnx_torch.so." TONNX_SOVERSION, "libtonnx_torch.so"};

std::atomic<Backend*> instance = nullptr;

std::string file_of(const void* address) {
  Dl_info info;
  return dladdr(address, &info) && info.dli_fname ? info.dli_fname : "";
}

// The library that this code is part of. Its name may be relative to the folder in which the process was when it loaded
// it.
const fs::path own_file = [] {
  std::error_code ignored;
  return fs::absolute(file_of(&instance), ignored);
}();

// The folder of that library, as it was named and, where that is a link, of the file itself.
std::vector<fs::path> own_folders() {
  std::vector<fs::path> folders = {own_file.parent_path()};
  std::error_code missing;
  const fs::path real = fs::canonical(own_file, missing);
  if (!missing && real.parent_path() != folders.front()) folders.push_back(real.parent_path());
  return folders;
}

void* open(const std::string& path, std::string& tried) {
  // Its own symbols are bound at once, as it is linked so; LibTorch's inner ones as they are called.
  void* handle = ::dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (handle) return handle;
  const char* why = ::dlerror();
  const std::string reason = why ? why : "it cannot be loaded";
  tried += "\n  " + (reason.starts_with(path) ? reason : path + ": " + reason);
  return nullptr;
}

void* find(std::string& tried) {
  std::error_code ignored;
  for (const fs::path& folder : own_folders())
    for (const char* name : kNames) {
      const fs::path path = folder / name;
      // One that is there is the one, even if it cannot be loaded.
      if (fs::exists(path, ignored)) return open(path.string(), tried);
      tried += "\n  " + path.string() + ": no such file";
    }
  return open(kNames[0], tried);
}

template <class Function>
Function* function_of(void* handle, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(handle, name));
}

Backend& load() {
  std::string tried;
  void* const handle = find(tried);
  if (!handle)
    throw DependencyError(std::string("this needs LibTorch, and ") + kNames[0] +
                          ", the part of tonnx that is linked with it, cannot be loaded:" + tried);
  const auto stamp = function_of<const char*()>(handle, kStampFunction);
  const auto backend = function_of<Backend*()>(handle, kBackendFunction);
  if (!stamp || !backend) throw DependencyError(std::string("the ") + kNames[0] + " found is none of tonnx's");
  const std::string theirs = stamp();
  if (theirs != build_stamp())
    throw DependencyError(file_of(reinterpret_cast<const void*>(stamp)) + " is of another build of tonnx (" + theirs +
                          ") than " + own_file.string() + " (" + build_stamp() + "); install the two of one build");
  return *backend();
}

}  // namespace

Backend& libtorch() {
  if (!loaded()) {
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    if (!loaded()) instance.store(&load(), std::memory_order_release);
  }
  Scope::begin_all(*loaded());
  return *loaded();
}

Backend* loaded() noexcept { return instance.load(std::memory_order_acquire); }

}  // namespace tonnx::backend
