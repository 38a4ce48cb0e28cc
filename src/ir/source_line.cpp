#include "ir/source_line.h"

namespace tonnx::ir {

std::string line_name(std::string_view file, std::size_t line) {
  const std::size_t slash = file.rfind('/');
  return std::string(file.substr(slash == std::string_view::npos ? 0 : slash + 1)) + ":" + std::to_string(line);
}

const SourceText& SourceLine::found() const {
  std::call_once(asked_, [this] {
    if (find_) found_ = find_();
    find_ = nullptr;
  });
  return found_;
}

}  // namespace tonnx::ir
