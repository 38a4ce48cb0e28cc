#include "ir/dim.h"

#include <utility>

namespace tonnx::ir {

Dim::Dim(Polynomial size) {
  if (!size.is_valid()) return;
  if (const auto constant = size.constant()) {
    size_ = *constant < 0 ? -1 : *constant;
    return;
  }
  std::string text = size.text();
  named_ = std::make_shared<const Named>(std::move(size), std::move(text));
}

const std::string& Dim::text() const {
  static const std::string none;
  return named_ ? named_->text : none;
}

bool Dim::same(const Dim& other) const {
  if (is_fixed()) return size_ == other.size_;
  return named_ && other.named_ && (named_ == other.named_ || named_->size == other.named_->size);
}

bool Dim::is_symbol(const std::string& name) const {
  const std::string* own = named_ ? named_->size.symbol() : nullptr;
  return own && *own == name;
}

std::string text_of(const Dim& dim, const char* unknown) {
  return dim.is_fixed() ? std::to_string(dim.size()) : dim.is_symbolic() ? dim.text() : unknown;
}

}  // namespace tonnx::ir
