#include "program/site.h"

namespace tonnx::program {

std::string describe_site(const ir::Node& node) {
  std::string text = node.full_name();
  const std::string module = node.location().module_path();
  if (!module.empty()) text += " in " + module;
  if (node.location().source) text += " (" + *node.location().source + ")";
  return text;
}

ir::Error refusal(const ir::Node& node, const std::string& reason, ir::Code code) {
  ir::Reason entry;
  entry.op = node.full_name();
  entry.text = reason;
  entry.module = node.location().module_path();
  if (node.location().source) entry.source = *node.location().source;
  return ir::Error(code, describe_site(node) + ": " + reason, {std::move(entry)});
}

bool writes_argument(const ir::Node& node, std::size_t input) {
  const ir::Schema* schema = node.schema();
  return schema && input < schema->arguments.size() && schema->arguments[input].is_write;
}

bool writes(const ir::Node& node) {
  if (const ir::Schema* schema = node.schema())
    for (const ir::Argument& argument : schema->arguments)
      if (argument.is_write) return true;
  return false;
}

}  // namespace tonnx::program
