#include "backend/libtorch.h"

#include <atomic>
#include <dlfcn.h>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "backend/entry.h"
#include "backend/running_call.h"
#include "backend/scope.h"
#include "ir/dependency_error.h"

namespace tonnx::backend {
namespace {

using ir::DependencyError;
namespace fs = std::filesystem;

// The versioned name that the loader knows, and the name without a version, which a copy may have.
constexpr const char* kNames[] = {"libtonnx_torch.so." TONNX_SOVERSION, "libtonnx_torch.so"};

std::atomic<Backend*> instance = nullptr;

std::string file_of(const void* address) {
  Dl_info info;
  return dladdr(address, &info) && info.dli_fname ? info.dli_fname : "";
}

// Path of the library that contains this code. A relative path is relative to the working directory at load time.
const fs::path own_file = [] {
  std::error_code ignored;
  return fs::absolute(file_of(&instance), ignored);
}();

// The folder of that library, by its name and, if that is a symbolic link, of the file itself.
std::vector<fs::path> own_folders() {
  std::vector<fs::path> folders = {own_file.parent_path()};
  std::error_code missing;
  const fs::path real = fs::canonical(own_file, missing);
  if (!missing && real.parent_path() != folders.front()) folders.push_back(real.parent_path());
  return folders;
}

void* open(const std::string& path, std::string& tried) {
  // The library's own symbols are bound at once, since it is linked that way; those inside LibTorch on first call.
  void* handle = ::dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (handle) return handle;
  const char* why = ::dlerror();
  const std::string reason = why ? why : "cannot be loaded";
  tried += "\n  " + (reason.starts_with(path) ? reason : path + ": " + reason);
  return nullptr;
}

void* find(std::string& tried) {
  std::error_code ignored;
  for (const fs::path& folder : own_folders())
    for (const char* name : kNames) {
      const fs::path path = folder / name;
      // If the file exists, it is used, even if it cannot be loaded.
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
    throw DependencyError(std::string("LibTorch is needed, but ") + kNames[0] +
                          ", the part of tonnx that is linked with it, cannot be loaded:" + tried);
  const auto stamp = function_of<const char*()>(handle, kStampFunction);
  const auto backend = function_of<Backend*(Checkpoint)>(handle, kBackendFunction);
  if (!stamp || !backend)
    throw DependencyError(std::string("the ") + kNames[0] + " that was found does not belong to tonnx");
  const std::string theirs = stamp();
  if (theirs != build_stamp())
    throw DependencyError(file_of(reinterpret_cast<const void*>(stamp)) + " is of another build of tonnx (" + theirs +
                          ") than " + own_file.string() + " (" + build_stamp() + "); install both from the same build");
  return *backend(checkpoint);
}

}  // namespace

Backend& libtorch() {
  if (!loaded()) {
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    if (!loaded()) {
      const Loading loading;
      instance.store(&load(), std::memory_order_release);
    }
  }
  checkpoint();
  Scope::begin_all(*loaded());
  return *loaded();
}

Backend* loaded() noexcept { return instance.load(std::memory_order_acquire); }

}  // namespace tonnx::backend
