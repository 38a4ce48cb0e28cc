#include "ir/source_line.h"

namespace tonnx::ir {

const std::string& SourceLine::text() const {
  std::call_once(asked_, [this] {
    if (find_) text_ = find_();
    find_ = nullptr;
  });
  return text_;
}

}  // namespace tonnx::ir
