#include "ir/location.h"

#include "ir/class_name.h"
#include "ir/source_line.h"

namespace tonnx::ir {

std::string Scope::path() const {
  std::string out = parent ? parent->path() : std::string();
  if (name.empty()) return out;
  if (!out.empty()) out += '.';
  return out + name;
}

std::string Scope::text() const {
  std::string out = parent ? parent->text() + "/" : std::string();
  out += class_name(type);
  return name.empty() ? out : out + "[" + name + "]";
}

std::string Location::source() const { return line ? line->text() : std::string(); }

}  // namespace tonnx::ir
