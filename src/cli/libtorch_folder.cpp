#include "cli/libtorch_folder.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <vector>

#include "cli/usage.h"
#include "tonnx.hpp"

namespace tonnx::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPython = "python3.";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// The folders python3.11 and the like of a folder, newest first.
std::vector<fs::path> python_folders(const fs::path& folder) {
  std::vector<std::pair<int, fs::path>> found;
  std::error_code unreadable;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, unreadable))
    if (const std::string name = entry.path().filename().string(); name.starts_with(kPython))
      if (int minor = 0; read(std::string_view(name).substr(kPython.size()), minor))
        found.emplace_back(minor, entry.path());
  std::ranges::sort(found, std::greater());
  std::vector<fs::path> folders;
  for (auto& [minor, path] : found) folders.push_back(std::move(path));
  return folders;
}

// The LibTorch of the package torch in a Python installation; "" if there is none.
std::string libtorch_of_prefix(const fs::path& prefix) {
  std::error_code ignored;
  for (const fs::path& lib : {prefix / "lib", prefix / "local" / "lib"})
    for (const fs::path& python : python_folders(lib))
      for (const char* packages : {"site-packages", "dist-packages"})
        if (const fs::path folder = python / packages / "torch" / "lib";
            fs::exists(folder / "libtorch_cpu.so", ignored))
          return folder.string();
  return {};
}

// The LibTorch of the Python that started this program (packaging/python), else of the active virtual environment, else
// of the python3 that PATH finds.
std::string libtorch_of_python() {
  if (std::string starter = variable("TONNX_PYTHON_LIBTORCH"); !starter.empty()) return starter;
  if (const std::string active = variable("VIRTUAL_ENV"); !active.empty())
    if (std::string folder = libtorch_of_prefix(active); !folder.empty()) return folder;
  std::istringstream path(variable("PATH"));
  for (std::string folder; std::getline(path, folder, ':');) {
    const fs::path python = fs::path(folder) / "python3";
    std::error_code failed;
    if (folder.empty() || !fs::exists(python, failed)) continue;
    // A virtual environment links to the Python of another installation, which is the next place.
    std::string found = libtorch_of_prefix(python.parent_path().parent_path());
    if (const fs::path real = fs::canonical(python, failed); found.empty() && !failed)
      found = libtorch_of_prefix(real.parent_path().parent_path());
    return found;
  }
  return {};
}

}  // namespace

void add_libtorch_flag(CLI::App& command, std::string& folder) {
  command.add_option("--libtorch", folder,
                     "folder with the libtorch_cpu.so to use; default: TONNX_LIBTORCH, then where the loader finds "
                     "one, then the torch of the active Python");
}

int with_libtorch(const std::string& folder, const std::function<int()>& command) {
  const std::string given = folder.empty() ? variable("TONNX_LIBTORCH") : folder;
  if (!given.empty()) load_libtorch(given);
  try {
    return command();
  } catch (const Error& error) {
    if (!given.empty() || error.class_name() != "DependencyError" || libtorch_version() != 0) throw;
    const std::string found = libtorch_of_python();
    if (found.empty()) throw;
    load_libtorch(found);
  }
  return command();
}

}  // namespace tonnx::cli
