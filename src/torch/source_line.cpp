#include "torch/source_line.h"

#include <charconv>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ir/python_source.h"
#include "ir/source_line.h"
#include "torch/place_file.h"

namespace tonnx::torch {

namespace jit = ::torch::jit;

namespace {

struct Frame {
  std::string_view file;
  std::size_t line;
};

// Parses a line of a recorded Python stack: "/path/model.py(12): forward".
std::optional<Frame> frame_of(std::string_view text) {
  const std::size_t close = text.find("): ");
  if (close == std::string_view::npos) return std::nullopt;
  const std::size_t open = text.rfind('(', close);
  if (open == std::string_view::npos) return std::nullopt;
  Frame frame{text.substr(0, open), 0};
  const auto [end, error] = std::from_chars(text.data() + open + 1, text.data() + close, frame.line);
  if (error != std::errc() || end != text.data() + close) return std::nullopt;
  return frame;
}

std::optional<Frame> user_frame(std::string_view stack) {
  while (!stack.empty()) {
    const std::size_t end = stack.find('\n');
    const auto frame = frame_of(stack.substr(0, end));
    if (!frame) return std::nullopt;
    if (!ir::is_torch_package(frame->file)) return frame;
    if (end == std::string_view::npos) break;
    stack.remove_prefix(end + 1);
  }
  return std::nullopt;
}

// The line of the user's own code: the innermost frame of a recorded Python stack outside of the torch package; empty
// for a range inside of it (the caller's line is more useful).
ir::SourceText line_of(const jit::SourceRange& range) {
  const auto original = range.findSourceRangeThatGenerated();
  const jit::SourceRange& best = original ? *original : range;
  if (!best.source()) return {};
  const std::string stack = best.text().str();
  if (best.source()->filename() == kPlaceFile) return stack;
  if (frame_of(std::string_view(stack).substr(0, stack.find('\n')))) {
    const auto frame = user_frame(stack);
    return frame ? ir::line_name(frame->file, frame->line) : std::string();
  }
  const auto place = best.file_line_col();
  if (!place) return {};
  const auto& [file, line, column] = *place;
  // Code in the archive itself ("code/__torch__/...") is not the user's, and may be that of a recording.
  if (file.empty() || line == 0 || file.starts_with("code/")) return {};
  return {ir::is_torch_package(file) ? std::string() : ir::line_name(file, line), true};
}

}  // namespace

std::shared_ptr<const ir::SourceLine> source_line(const jit::SourceRange& range,
                                                  std::shared_ptr<const ir::SourceLine> caller) {
  if (!range.source()) return caller;
  return std::make_shared<const ir::SourceLine>([range, caller = std::move(caller)] {
    ir::SourceText own;
    try {
      own = line_of(range);
    } catch (const std::exception&) {
      // If records cannot be read, the caller's line is used.
    }
    if (own.text.empty() && caller) own.text = caller->text();
    return own;
  });
}

}  // namespace tonnx::torch
