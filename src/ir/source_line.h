#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace tonnx::ir {

// "model.py:12" of "/path/model.py" and 12.
std::string line_name(std::string_view file, std::size_t line);

// A line of the user's code, "model.py:12". It is looked for when it is first asked for: finding it in an archive's
// records costs more than lowering its node, and most exports ask for none. May be asked by any thread.
class SourceLine {
 public:
  explicit SourceLine(std::string text) : text_(std::move(text)) {}
  // `find` is called at most once and tells an empty text where the line is not known; it does not throw.
  explicit SourceLine(std::function<std::string()> find) : find_(std::move(find)) {}

  // Empty where the line is not known.
  const std::string& text() const;

 private:
  mutable std::once_flag asked_;
  mutable std::function<std::string()> find_;
  mutable std::string text_;
};

}  // namespace tonnx::ir
