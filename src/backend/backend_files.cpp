#include "backend/backend_files.h"

#include <algorithm>
#include <charconv>
#include <dlfcn.h>
#include <filesystem>
#include <utility>

#include "backend/process_libtorch.h"

namespace tonnx::backend {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "libtonnx_torch-";
constexpr std::string_view kSuffix = ".so";

using Line = std::pair<unsigned, unsigned>;

// An object of this library; its address leads to the file.
const char marker = 0;

// A relative path is relative to the working directory at load time.
const fs::path own_path = [] {
  Dl_info info;
  std::error_code ignored;
  return fs::absolute(::dladdr(&marker, &info) && info.dli_fname ? info.dli_fname : "", ignored);
}();

// The folder of that library, by its name and, if that is a symbolic link, of the file itself. Each is preceded by its
// folder tonnx-SOVERSION, if there is one: a system's library folder may have backends of several versions of tonnx.
std::vector<fs::path> own_folders() {
  std::vector<fs::path> own = {own_path.parent_path()};
  std::error_code missing;
  const fs::path real = fs::canonical(own_path, missing);
  if (!missing && real.parent_path() != own.front()) own.push_back(real.parent_path());
  std::vector<fs::path> folders;
  for (const fs::path& folder : own) {
    const fs::path versioned = folder / "tonnx-" TONNX_SOVERSION;
    if (fs::is_directory(versioned, missing)) folders.push_back(versioned);
    folders.push_back(folder);
  }
  return folders;
}

// Reads "libtonnx_torch-2.11.so". Returns false for other names.
bool read_line(std::string_view name, Line& line) {
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return false;
  name.remove_prefix(kPrefix.size());
  name.remove_suffix(std::min(kSuffix.size(), name.size()));
  const char* const end = name.data() + name.size();
  const auto [dot, no_major] = std::from_chars(name.data(), end, line.first);
  if (no_major != std::errc() || dot == end || *dot != '.') return false;
  const auto [rest, no_minor] = std::from_chars(dot + 1, end, line.second);
  return no_minor == std::errc() && rest == end;
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

}  // namespace

std::string own_file() { return own_path.string(); }

std::string file_beside(const std::string& name) {
  std::error_code missing;
  for (const fs::path& folder : own_folders())
    if (fs::is_regular_file(folder / name, missing)) return (folder / name).string();
  return {};
}

std::vector<std::string> backend_lines() {
  std::vector<Line> lines;
  std::error_code unreadable;
  for (const fs::path& folder : own_folders())
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, unreadable))
      if (Line line; read_line(entry.path().filename().string(), line)) lines.push_back(line);
  std::ranges::sort(lines);
  const auto repeated = std::ranges::unique(lines);
  lines.erase(repeated.begin(), repeated.end());
  std::vector<std::string> texts;
  for (const auto& [major, minor] : lines) texts.push_back(std::to_string(major) + "." + std::to_string(minor));
  return texts;
}

std::string backend_name(std::uint32_t version) {
  return std::string(kPrefix) + line_text(version) + std::string(kSuffix);
}

void* open_backend(std::uint32_t version, std::string& tried) {
  const std::string name = backend_name(version);
  std::error_code ignored;
  for (const fs::path& folder : own_folders()) {
    const fs::path path = folder / name;
    if (fs::exists(path, ignored)) return open(path.string(), tried);
    tried += "\n  " + path.string() + ": no such file";
  }
  return open(name, tried);
}

}  // namespace tonnx::backend
