#include "cli/function_file.h"

#include <filesystem>

#include "cli/program_file.h"
#include "cli/usage.h"

namespace tonnx::cli {

Registry registry_of(const std::vector<std::string>& functions) {
  Registry registry;
  for (const std::string& text : functions) {
    std::string file = text, name;
    std::error_code failed;
    const std::size_t colons = text.rfind("::");
    const std::size_t before = colons == std::string::npos || colons == 0 ? colons : text.rfind(':', colons - 1);
    if (before != std::string::npos && before != 0 && !std::filesystem::exists(text, failed)) {
      file = text.substr(0, before);
      name = text.substr(before + 1);
    }
    try {
      registry.add_functions(text_of(file), name);
    } catch (const Error& error) {
      if (error.status() == TONNX_STATUS_FILE) throw;
      throw Error(error.status(), "--function '" + text + "': " + error.what());
    }
  }
  return registry;
}

}  // namespace tonnx::cli
