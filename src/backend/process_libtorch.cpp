#include "backend/process_libtorch.h"

#include <algorithm>
#include <atomic>
#include <dlfcn.h>
#include <link.h>
#include <memory>

#include "ir/dependency_error.h"

namespace tonnx::backend {
namespace {

using ir::DependencyError;
namespace fs = std::filesystem;

constexpr const char* kLibrary = "libtorch_cpu.so";
constexpr const char* kVersionFunction = "aoti_torch_abi_version";
// c10::Dispatcher::realSingleton(), which older versions have as well.
constexpr const char* kDispatcher = "_ZN3c1010Dispatcher13realSingletonEv";

struct Close {
  void operator()(void* handle) const noexcept { ::dlclose(handle); }
};
using Handle = std::unique_ptr<void, Close>;

// Null if the library is not loaded.
Handle loaded_library(const char* name) { return Handle(::dlopen(name, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD)); }

std::string file_of(void* handle) {
  link_map* map = nullptr;
  return ::dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map->l_name ? map->l_name : "";
}

std::string file_with(const void* address) {
  Dl_info info;
  return ::dladdr(address, &info) && info.dli_fname ? info.dli_fname : "";
}

// Names by which the loader knows the libraries of the process; the program itself has an empty one.
std::vector<std::string> loaded_names() {
  std::vector<std::string> names;
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* all) {
        static_cast<std::vector<std::string>*>(all)->emplace_back(info->dlpi_name ? info->dlpi_name : "");
        return 0;
      },
      &names);
  return names;
}

// Number of libraries that the process has loaded so far, including those that were closed.
unsigned long long load_count() noexcept {
  unsigned long long count = 0;
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        *static_cast<unsigned long long*>(out) = info->dlpi_adds;
        return 1;
      },
      &count);
  return count;
}

std::uint32_t version_of(const void* function) {
  const std::uint64_t bytes = reinterpret_cast<std::uint64_t (*)()>(const_cast<void*>(function))();
  return static_cast<std::uint32_t>(bytes >> 40);
}

// The LibTorch that a library is or depends on; without a file if there is none.
LibTorch libtorch_of(void* handle, const std::string& name) {
  if (const void* function = ::dlsym(handle, kVersionFunction)) return {file_with(function), version_of(function)};
  if (const void* function = ::dlsym(handle, kDispatcher)) return {file_with(function)};
  return {fs::path(name).filename() == kLibrary ? name : ""};
}

[[noreturn]] void refuse_two(const std::vector<LibTorch>& found) {
  std::string text = "the process has several LibTorchs, and tonnx can work with one only:";
  for (const LibTorch& one : found) text += "\n  " + one.file + ": " + libtorch_text(one.version);
  throw DependencyError(text + "\nload the LibTorch of the program before tonnx needs one");
}

fs::path library_in(const fs::path& folder) {
  std::error_code ignored;
  for (const fs::path& path : {folder / kLibrary, folder / "lib" / kLibrary})
    if (fs::exists(path, ignored)) return fs::absolute(path, ignored);
  throw DependencyError("no LibTorch in '" + folder.string() + "': neither " + kLibrary + " nor lib/" + kLibrary +
                        " is there");
}

void load_library(const fs::path& folder) {
  const std::string path = folder.empty() ? kLibrary : library_in(folder).string();
  if (::dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL)) return;
  const char* why = ::dlerror();
  throw DependencyError("LibTorch is needed, but cannot be loaded:\n  " + std::string(why ? why : path) +
                        "\nset its folder: LD_LIBRARY_PATH, tonnx_libtorch_load, or --libtorch of the command line");
}

std::atomic<unsigned long long> checked_loads = 0;

}  // namespace

std::uint32_t line_of(std::uint32_t version) noexcept { return version >> 8; }

std::string line_text(std::uint32_t version) {
  return std::to_string(version >> 16) + "." + std::to_string(version >> 8 & 0xFF);
}

std::string libtorch_text(std::uint32_t version) {
  if (version == 0) return "a LibTorch older than 2.7";
  return "LibTorch " + line_text(version) + "." + std::to_string(version & 0xFF);
}

std::vector<LibTorch> loaded_libtorchs() {
  std::vector<LibTorch> found;
  for (const std::string& name : loaded_names()) {
    const Handle handle = name.empty() ? Handle(::dlopen(nullptr, RTLD_LAZY)) : loaded_library(name.c_str());
    if (!handle) continue;
    LibTorch one = libtorch_of(handle.get(), name);
    const auto is_same = [&](const LibTorch& other) { return other.file == one.file; };
    if (!one.file.empty() && std::ranges::none_of(found, is_same)) found.push_back(std::move(one));
  }
  return found;
}

LibTorch load_process_libtorch(const fs::path& folder) {
  std::vector<LibTorch> found = loaded_libtorchs();
  const bool was_loaded = !found.empty();
  if (!was_loaded) {
    load_library(folder);
    found = loaded_libtorchs();
  }
  if (found.size() > 1) refuse_two(found);
  // The name by which the backends ask for it.
  const Handle handle = loaded_library(kLibrary);
  if (found.empty() || !handle || file_of(handle.get()) != found[0].file) {
    const std::string what =
        found.empty() ? "a LibTorch that is not found again" : libtorch_text(found[0].version) + " in " + found[0].file;
    throw DependencyError("the process has " + what + ", and tonnx needs a shared library called " + kLibrary);
  }
  if (std::error_code ignored;
      was_loaded && !folder.empty() && !fs::equivalent(library_in(folder), found[0].file, ignored))
    throw DependencyError("LibTorch of '" + folder.string() + "' cannot be loaded: the process already has " +
                          libtorch_text(found[0].version) + " (" + found[0].file + "), and can have one only");
  return found[0];
}

void refuse_second_libtorch() {
  const unsigned long long loads = load_count();
  if (loads == checked_loads.load(std::memory_order_acquire)) return;
  if (const std::vector<LibTorch> found = loaded_libtorchs(); found.size() > 1) refuse_two(found);
  checked_loads.store(loads, std::memory_order_release);
}

}  // namespace tonnx::backend
