#include "exported/locations.h"

#include <charconv>
#include <optional>

#include "ir/python_source.h"
#include "ir/source_line.h"

namespace tonnx::exported {

namespace {

constexpr std::string_view kFile = "File \"";
constexpr std::string_view kLine = "\", line ";

// Parses a line of a Python stack, `File "/path/model.py", line 12, in forward`, to "/path/model.py:12".
struct Frame {
  std::string_view file;
  std::size_t line = 0;
};

std::optional<Frame> frame_of(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos || !text.substr(begin).starts_with(kFile)) return std::nullopt;
  text.remove_prefix(begin + kFile.size());
  const std::size_t end = text.find(kLine);
  if (end == std::string_view::npos) return std::nullopt;
  Frame frame{text.substr(0, end), 0};
  const char* number = text.data() + end + kLine.size();
  if (std::from_chars(number, text.data() + text.size(), frame.line).ec != std::errc()) return std::nullopt;
  return frame;
}

// Returns "features.0" for "features.0@1", the second call of a module.
std::string_view without_call(std::string_view path) {
  const std::size_t at = path.rfind('@');
  return at == std::string_view::npos ? path : path.substr(0, at);
}

struct Module {
  std::string_view path;
  std::string_view type;
};

// Parses KEY,PATH,TYPE; a path may have commas.
std::optional<Module> module_of(std::string_view entry) {
  const std::size_t first = entry.find(',');
  const std::size_t last = entry.rfind(',');
  if (first == std::string_view::npos || first == last) return std::nullopt;
  Module module{without_call(entry.substr(first + 1, last - first - 1)), entry.substr(last + 1)};
  if (module.type.starts_with("_empty_nn_module_stack")) return std::nullopt;
  return module;
}

// "net.Block" for "net.make.<locals>.Block" would be another class: only the marker is removed. A class of the program
// that was run as a script has no module, as in archives of TorchScript.
std::string class_of(std::string_view type) {
  constexpr std::string_view kMain = "__main__.", kLocals = "<locals>.";
  if (type.starts_with(kMain)) type.remove_prefix(kMain.size());
  std::string result(type);
  for (std::size_t at = 0; (at = result.find(kLocals)) != std::string::npos;) result.erase(at, kLocals.size());
  return result;
}

}  // namespace

std::shared_ptr<const ir::Scope> Locations::scope(std::string_view modules) {
  if (modules.empty()) return nullptr;
  if (const auto known = scopes_.find(modules); known != scopes_.end()) return known->second;
  const std::size_t end = modules.rfind(';');
  const auto parent = end == std::string_view::npos ? nullptr : scope(modules.substr(0, end));
  std::shared_ptr<const ir::Scope> result = parent;
  if (const auto module = module_of(end == std::string_view::npos ? modules : modules.substr(end + 1))) {
    const std::string outer = parent ? parent->path() + "." : std::string();
    std::string_view name = module->path;
    if (outer.size() > 1 && name.starts_with(outer)) name.remove_prefix(outer.size());
    if (!parent || !name.empty())
      result = std::make_shared<const ir::Scope>(ir::Scope{parent, class_of(module->type), std::string(name)});
  }
  scopes_.emplace(modules, result);
  return result;
}

// Returns the innermost line outside of LibTorch's own Python code.
std::shared_ptr<const ir::SourceLine> Locations::line(std::string_view trace) {
  if (const auto known = lines_.find(trace); known != lines_.end()) return known->second;
  std::shared_ptr<const ir::SourceLine> result;
  for (std::string_view rest = trace; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    const auto frame = frame_of(rest.substr(0, end));
    if (frame && !ir::is_torch_package(frame->file))
      result = std::make_shared<const ir::SourceLine>(ir::line_name(frame->file, frame->line));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  lines_.emplace(trace, result);
  return result;
}

ir::Location Locations::of(const Json& metadata) {
  const auto text = [&](const char* key) -> std::string_view {
    const Json* found = metadata.find(key);
    return found && found->is_string() ? found->string() : std::string_view();
  };
  return {scope(text("nn_module_stack")), line(text("stack_trace"))};
}

}  // namespace tonnx::exported
