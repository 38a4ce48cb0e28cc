#include "backend/libtorch.h"

#include <algorithm>
#include <atomic>
#include <dlfcn.h>
#include <mutex>
#include <string>
#include <vector>

#include "backend/backend_files.h"
#include "backend/entry.h"
#include "backend/process_libtorch.h"
#include "backend/running_call.h"
#include "backend/scope.h"
#include "ir/dependency_error.h"
#include "ir/observer.h"

namespace tonnx::backend {
namespace {

using ir::DependencyError;

std::atomic<Backend*> instance = nullptr;
std::mutex loading_mutex;
std::atomic<bool> is_guest = false;

constexpr std::uint32_t kOldestLibTorch = 0x020700;

template <class Function>
Function* function_of(void* handle, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(handle, name));
}

// Throws the error for a LibTorch without a backend that can be loaded. `tried`: the paths that were tried, one a line.
[[noreturn]] void refuse(const LibTorch& libtorch, const std::string& tried) {
  const std::vector<std::string> lines = backend_lines();
  const std::string found = "\n  " + libtorch.file + ": " + libtorch_text(libtorch.version);
  if (std::ranges::count(lines, line_text(libtorch.version)) > 0)
    throw DependencyError("the backend for " + libtorch_text(libtorch.version) + " cannot be loaded:" + tried + found);
  std::string listed;
  for (const std::string& line : lines) listed += (listed.empty() ? "backends for " : ", ") + line;
  const std::string way_out = libtorch.version < kOldestLibTorch
                                  ? "\nuse LibTorch 2.7 or newer"
                                  : "\nbuild the backend (make backend LIBTORCH=DIR), install a package of tonnx that "
                                    "has it, or use another LibTorch";
  throw DependencyError("the process has " + libtorch_text(libtorch.version) + "; tonnx has " +
                        (listed.empty() ? "no backend" : listed) + tried + found + way_out);
}

Backend& load(const std::string& folder) {
  const LibTorch libtorch = load_process_libtorch(folder);
  std::string tried;
  if (libtorch.version == 0) refuse(libtorch, tried);
  void* const handle = open_backend(libtorch.version, tried);
  if (!handle) refuse(libtorch, tried);
  const auto stamp = function_of<const char*()>(handle, kStampFunction);
  const auto line = function_of<std::uint32_t()>(handle, kLineFunction);
  const auto backend = function_of<Backend*(const Host*)>(handle, kBackendFunction);
  const std::string file = backend_name(libtorch.version);
  if (!stamp || !line || !backend)
    throw DependencyError("the " + file + " that was found does not belong to tonnx, or is of another build");
  const std::string theirs = stamp();
  if (theirs != build_stamp())
    throw DependencyError(file + " is of another build of tonnx (" + theirs + ") than " + own_file() + " (" +
                          build_stamp() + "); install both from the same build");
  if (line() != line_of(libtorch.version))
    throw DependencyError(file + " is built for LibTorch " + line_text(line() << 8) + ", and the process has " +
                          libtorch_text(libtorch.version) + ": the file was renamed");
  static constexpr Host host = {wait_at_exit, checkpoint, step, ir::is_observed, ir::limits};
  return *backend(is_guest.load(std::memory_order_relaxed) ? nullptr : &host);
}

void load_once(const std::string& folder) {
  if (loaded()) return;
  const Loading loading;
  instance.store(&load(folder), std::memory_order_release);
}

Backend& entered() {
  refuse_second_libtorch();
  wait_at_exit();
  Scope::begin_all(*loaded());
  return *loaded();
}

}  // namespace

Backend& libtorch() {
  if (!loaded()) {
    const std::lock_guard lock(loading_mutex);
    load_once({});
  }
  return entered();
}

Backend& libtorch_in(const std::string& folder) {
  const std::lock_guard lock(loading_mutex);
  if (loaded())
    load_process_libtorch(folder);
  else
    load_once(folder);
  return entered();
}

void be_guest() noexcept { is_guest.store(true, std::memory_order_relaxed); }

Backend* loaded() noexcept { return instance.load(std::memory_order_acquire); }

std::uint32_t libtorch_version() {
  const std::vector<LibTorch> found = loaded_libtorchs();
  return found.size() == 1 ? found[0].version : 0;
}

}  // namespace tonnx::backend
