#include "mutator.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <set>
#include <string_view>
#include <utility>

#include "pieces.h"

namespace tonnx::fuzz {

namespace {

constexpr std::size_t kMaxSize = 1 << 15;
constexpr int kMaxDepth = 12;

constexpr std::array kWords = {"-1",
                               "9223372036854775807",
                               "-9223372036854775808",
                               "18446744073709551615",
                               "1e999",
                               "1e-320",
                               "(",
                               "[",
                               "{",
                               "\"",
                               "null",
                               "true",
                               "{}",
                               "[]",
                               "\"\"",
                               "**",
                               "//",
                               "%",
                               "Max(",
                               "Symbol('s0')",
                               "0"};
constexpr std::array<std::uint64_t, 14> kNumbers = {0,          1,          0x7f,       0x80,       0xff,
                                                    0x7fff,     0xffff,     0x7fffffff, 0x80000000, 0xffffffff,
                                                    1ULL << 62, ~0ULL >> 1, 1ULL << 63, ~0ULL};

bool is_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '-'; }

// A range of bytes: [first, second).
using Range = std::pair<std::size_t, std::size_t>;

// The word at or after an offset; empty if there is none.
Range word_at(std::string_view text, std::size_t at) {
  while (at < text.size() && !is_of_word(text[at])) ++at;
  if (at == text.size()) return {at, at};
  while (at > 0 && is_of_word(text[at - 1])) --at;
  std::size_t end = at;
  while (end < text.size() && is_of_word(text[end])) ++end;
  return {at, end};
}

// The part in brackets or quotes that begins at or after an offset, with them; empty if there is none.
Range part_at(std::string_view text, std::size_t at) {
  at = std::min(text.find_first_of("([{\"'", at), text.size());
  if (at == text.size()) return {at, at};
  if (text[at] == '"' || text[at] == '\'') {
    const std::size_t end = text.find(text[at], at + 1);
    return {at, end == std::string_view::npos ? at : end + 1};
  }
  int depth = 0;
  for (std::size_t end = at; end < text.size(); ++end) {
    depth += text[end] == '(' || text[end] == '[' || text[end] == '{';
    depth -= text[end] == ')' || text[end] == ']' || text[end] == '}';
    if (depth == 0) return {at, end + 1};
  }
  return {at, at};
}

void collect_words(std::string_view text, std::set<std::string>& words, int depth) {
  if (const auto pieces = depth < kMaxDepth ? split(text) : std::nullopt)
    for (const Piece& piece : pieces->all) {
      collect_words(piece.head, words, kMaxDepth);
      collect_words(piece.content, words, depth + 1);
    }
  for (Range word{0, 0}; (word = word_at(text, word.second)).first < text.size();)
    if (word.second - word.first <= 64) words.emplace(text.substr(word.first, word.second - word.first));
}

}  // namespace

Mutator::Mutator(std::uint32_t seed, const std::vector<std::string>& inputs) : random_(seed), inputs_(inputs) {
  std::set<std::string> words(kWords.begin(), kWords.end());
  for (const std::string& input : inputs) collect_words(input, words, 0);
  words_.assign(words.begin(), words.end());
}

std::string Mutator::next() {
  std::string text = any_input();
  for (std::size_t changes = 1 + below(4); changes > 0; --changes) change(text, 0);
  if (text.size() > kMaxSize) text.resize(kMaxSize);
  return text;
}

void Mutator::change(std::string& text, int depth) {
  // Bytes of a structured input are changed as well, so that its lengths and offsets become wrong.
  if (depth < kMaxDepth && below(8) > 0 && change_pieces(text, depth)) return;
  const auto printed = std::ranges::count_if(text, [](unsigned char c) { return std::isprint(c) || std::isspace(c); });
  if (below(4) > 0 && static_cast<std::size_t>(printed) * 10 >= text.size() * 9)
    change_text(text);
  else
    change_bytes(text);
}

bool Mutator::change_pieces(std::string& text, int depth) {
  auto pieces = split(text);
  if (!pieces) return false;
  auto& all = pieces->all;
  const auto at = all.begin() + static_cast<std::ptrdiff_t>(below(all.size()));
  switch (below(12)) {
    case 0: all.erase(at); break;
    case 1: all.insert(at, Piece(all[below(all.size())])); break;
    case 2: std::swap(at->content, all[below(all.size())].content); break;
    case 3: std::swap(*at, all[below(all.size())]); break;
    case 4: change_bytes(at->head); break;
    case 5:  // pieces of another input
      if (auto other = split(any_input()); other && other->format == pieces->format) {
        const std::size_t from = below(other->all.size()), count = 1 + below(other->all.size() - from);
        const auto first = other->all.begin() + static_cast<std::ptrdiff_t>(from);
        all.insert(at, first, first + static_cast<std::ptrdiff_t>(count));
      }
      break;
    default: {
      // Of a few pieces the largest: an archive has many entries of a few bytes.
      const auto size_of = [](const Piece& piece) { return piece.content.size(); };
      Piece* chosen = &*at;
      for (int i = 0; i < 2; ++i)
        if (Piece& other = all[below(all.size())]; size_of(other) > size_of(*chosen)) chosen = &other;
      change(chosen->content, depth + 1);
    }
  }
  text = join(*pieces, below(2) == 0);
  return true;
}

void Mutator::change_bytes(std::string& text) {
  const std::size_t at = below(text.size() + 1);
  switch (below(8)) {
    case 0:  // a bit
      if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
      break;
    case 1:  // a byte
      if (at < text.size()) text[at] = static_cast<char>(below(256));
      break;
    case 2: text.erase(at, 1 + below(16)); break;
    case 3: text.insert(at, words_[below(words_.size())]); break;
    case 4: {  // a number of 1 to 8 bytes
      const std::uint64_t number = kNumbers[below(kNumbers.size())];
      const std::size_t size = std::min<std::size_t>(std::size_t{1} << below(4), text.size() - at);
      if (size > 0) std::memcpy(text.data() + at, &number, size);
      break;
    }
    case 5: {  // a part of this input again
      const std::size_t from = below(text.size() + 1);
      text.insert(at, text.substr(from, 1 + below(64)));
      break;
    }
    case 6: {  // a part of another input
      const std::string& other = any_input();
      text.insert(at, other.substr(below(other.size() + 1), 1 + below(64)));
      break;
    }
    default: text.resize(at); break;
  }
}

void Mutator::change_text(std::string& text) {
  const std::size_t at = below(text.size() + 1);
  const bool is_word = below(2) == 0;
  const auto range_at = is_word ? word_at : part_at;
  const Range range = range_at(text, at), other = range_at(text, below(text.size() + 1));
  const std::size_t size = range.second - range.first;
  switch (below(5)) {
    case 0: text.erase(range.first, size); break;
    case 1:
    case 2: text.replace(range.first, size, words_[below(words_.size())]); break;
    case 3: text.replace(range.first, size, text.substr(other.first, other.second - other.first)); break;
    default: text.insert(range.first, text.substr(other.first, other.second - other.first)); break;
  }
}

}  // namespace tonnx::fuzz
