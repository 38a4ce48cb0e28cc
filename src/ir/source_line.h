#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace tonnx::ir {

// "model.py:12" of "/path/model.py" and 12.
std::string line_name(std::string_view file, std::size_t line);

// The text of a source line.
struct SourceText {
  SourceText(std::string line = {}, bool written = false) : text(std::move(line)), is_written(written) {}

  std::string text;  // "model.py:12"; empty if unknown
  bool is_written =
      false;  // true for a script, whose code does not depend on example inputs; false for a recording, and if unknown
};

// A line of the user's code, "model.py:12". It is looked up at the first access: the search in an archive's records
// costs more than lowering the node, and most exports need no lines. Thread-safe.
class SourceLine {
 public:
  explicit SourceLine(SourceText found) : found_(std::move(found)) {}
  // The same line (`origin` may be null), with the name of the source operator for which a pass created other nodes.
  SourceLine(std::shared_ptr<const SourceLine> origin, std::string made_for)
      : find_([origin = std::move(origin)] {
          return origin ? SourceText(origin->text(), origin->is_written()) : SourceText();
        }),
        made_for_(std::move(made_for)) {}
  explicit SourceLine(std::string text) : found_(std::move(text)) {}
  // `find` is called at most once and must not throw.
  explicit SourceLine(std::function<SourceText()> find) : find_(std::move(find)) {}

  const std::string& text() const { return found().text; }
  bool is_written() const { return found().is_written; }
  // The full name of the source operator, if a pass replaced it by other nodes; else empty.
  const std::string& made_for() const { return made_for_; }

 private:
  const SourceText& found() const;

  mutable std::once_flag asked_;
  mutable std::function<SourceText()> find_;
  mutable SourceText found_;
  std::string made_for_;
};

}  // namespace tonnx::ir
