#include "program/writes.h"

namespace tonnx::program {

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
