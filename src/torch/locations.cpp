#include "torch/locations.h"

#include <charconv>
#include <optional>
#include <string_view>

#include "ir/python_source.h"
#include "torch/place_file.h"

namespace tonnx::torch {

namespace {

struct Frame {
  std::string_view file;
  std::size_t line;
};

// A line of a recorded Python stack: "/path/model.py(12): forward".
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

}  // namespace

SourceText SourceLines::intern(const std::string& file, std::size_t line) {
  auto& text = lines_[{file, line}];
  if (!text) {
    const std::size_t slash = file.rfind('/');
    const std::string base = slash == std::string::npos ? file : file.substr(slash + 1);
    text = std::make_shared<const std::string>(base + ":" + std::to_string(line));
  }
  return text;
}

SourceText SourceLines::of(const ::torch::jit::SourceRange& range) {
  if (!range.source()) return nullptr;
  const auto original = range.findSourceRangeThatGenerated();
  const ::torch::jit::SourceRange& best = original ? *original : range;
  if (!best.source()) return nullptr;
  const std::string stack = best.text().str();
  if (best.source()->filename() == kPlaceFile) return std::make_shared<const std::string>(stack);
  if (frame_of(std::string_view(stack).substr(0, stack.find('\n')))) {
    const auto frame = user_frame(stack);
    return frame ? intern(std::string(frame->file), frame->line) : nullptr;
  }
  const auto place = best.file_line_col();
  if (!place) return nullptr;
  const auto& [file, line, column] = *place;
  // Code the archive itself holds ("code/__torch__/...") is not the user's.
  if (file.empty() || line == 0 || ir::is_torch_package(file) || file.starts_with("code/")) return nullptr;
  return intern(file, line);
}

}  // namespace tonnx::torch
