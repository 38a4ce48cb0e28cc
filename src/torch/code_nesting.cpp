#include "torch/code_nesting.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>
#include <vector>

namespace tonnx::torch {

namespace {

constexpr std::size_t kDeepest = 300;         // nested tokens
constexpr std::size_t kDeepestIndent = 2000;  // LibTorch writes two spaces for each block; long chains of elif nest

// Counts the tokens that may be nested: those since the last comma, line or bracket, in all open brackets. Strings and
// comments end as in LibTorch's lexer.
class Nesting {
 public:
  explicit Nesting(std::string_view source) : source_(source) {}

  bool is_too_deep() {
    while (at_ < source_.size() && all_ <= kDeepest && indent_ <= kDeepestIndent) step(source_[at_]);
    return all_ > kDeepest || indent_ > kDeepestIndent;
  }

 private:
  void step(char c) {
    const bool is_of_word = std::isalnum(static_cast<unsigned char>(c)) || c == '_';
    if (!is_of_word || !in_word_) token(c);
    in_word_ = is_of_word;
    ++at_;
  }

  void token(char c) {
    switch (c) {
      case ' ': indent_ += is_line_start_; return;
      case '\t':
      case '\r':
      case '\f': return;
      case '\n':
        if (open_.size() == 1) start_line();
        return;
      case ',': forget(); break;
      case ')':
      case ']':
      case '}': close(); break;
      case '#': comment(); return;
      case '"':
      case '\'': string(c); [[fallthrough]];
      default: count();
    }
    if (c == '(' || c == '[' || c == '{') open_.push_back(0);
    is_line_start_ = false;
  }

  void count() { ++all_, ++open_.back(); }
  void forget() {
    all_ -= open_.back();
    open_.back() = 0;
  }
  void close() {
    if (open_.size() == 1) return;  // LibTorch refuses it
    all_ -= open_.back();
    open_.pop_back();
  }
  void start_line() {
    forget();
    indent_ = 0;
    is_line_start_ = true;
  }

  // Moves to the last character before the end of the line; the tokens of a type comment count.
  void comment() {
    constexpr std::string_view kType = "# type:";
    if (source_.substr(at_).starts_with(kType))
      at_ += kType.size() - 1;
    else
      at_ = std::min(source_.find('\n', at_), source_.size()) - 1;
  }

  // Moves to the last quotation mark.
  void string(char quote) {
    const std::string_view rest = source_.substr(at_);
    const std::string three(3, quote);
    const std::string_view end = rest.starts_with(three) ? std::string_view(three) : rest.substr(0, 1);
    for (at_ += end.size(); at_ < source_.size() && !source_.substr(at_).starts_with(end); ++at_)
      at_ += source_[at_] == '\\';
    at_ += end.size() - 1;
  }

  const std::string_view source_;
  std::size_t at_ = 0, all_ = 0, indent_ = 0;
  std::vector<std::size_t> open_ = {0};  // tokens in each open bracket
  bool in_word_ = false, is_line_start_ = true;
};

}  // namespace

bool is_nested_too_deeply(std::string_view source) { return Nesting(source).is_too_deep(); }

}  // namespace tonnx::torch
