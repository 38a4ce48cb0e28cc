#include "exported/json.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace tonnx::exported {

namespace {

// Programs nest by blocks, ten levels each; every level takes a frame of the stack.
constexpr int kDeepest = 1000;
constexpr std::size_t kBlock = std::size_t{1} << 18;

constexpr const char* kNames[] = {"null", "a boolean", "a number", "a number", "a string", "an array", "an object"};

void write_string(std::string_view text, std::string& out) {
  constexpr char kDigits[] = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') (out += '\\') += c;
    else if (byte < 0x20) ((out += "\\u00") += kDigits[byte >> 4]) += kDigits[byte & 15];
    else out += c;
  }
  out += '"';
}

// The bytes of a character of UTF-8 that begins with a byte above 0x7F; 0 where it is none.
std::size_t length_of_character(const char* at, const char* end) {
  const auto byte = [&](std::ptrdiff_t i) { return static_cast<unsigned char>(at[i]); };
  const unsigned char first = byte(0);
  const std::size_t length = first >= 0xC2 && first <= 0xDF ? 2 : first >= 0xE0 && first <= 0xEF ? 3 : first >= 0xF0 && first <= 0xF4 ? 4 : 0;
  if (length == 0 || static_cast<std::size_t>(end - at) < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(static_cast<std::ptrdiff_t>(i)) & 0xC0) != 0x80) return 0;
  const unsigned char second = byte(1);
  const bool is_short = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool is_surrogate = first == 0xED && second > 0x9F;
  const bool is_beyond = first == 0xF4 && second > 0x8F;
  return is_short || is_surrogate || is_beyond ? 0 : length;
}

char* write_character(std::uint32_t code, char* out) {
  const auto put = [&](std::uint32_t byte) { *out++ = static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  }
  return out;
}

[[noreturn]] void mismatch(int kind, const char* wanted) {
  throw JsonError(std::string(kNames[kind]) + " stands where " + wanted + " should");
}

}  // namespace

const Json* Json::find(std::string_view key) const {
  if (!is_object()) return nullptr;
  const Member* end = members_ + size_;
  const Member* found = std::lower_bound(members_, end, key, [](const Member& m, std::string_view k) { return m.key < k; });
  return found != end && found->key == key ? &found->value : nullptr;
}

const Json& Json::at(std::string_view key) const {
  if (const Json* found = find(key)) return *found;
  if (!is_object()) mismatch(static_cast<int>(kind_), ("an object with '" + std::string(key) + "'").c_str());
  throw JsonError("an object has no '" + std::string(key) + "'");
}

const Json& Json::at(std::size_t index) const {
  const auto all = items();
  if (index >= all.size()) throw JsonError("an array of " + std::to_string(all.size()) + " has no item " + std::to_string(index));
  return all[index];
}

std::span<const Json::Member> Json::members() const {
  if (is_null()) return {};
  if (!is_object()) mismatch(static_cast<int>(kind_), "an object");
  return {members_, size_};
}

std::span<const Json> Json::items() const {
  if (is_null()) return {};
  if (!is_array()) mismatch(static_cast<int>(kind_), "an array");
  return {items_, size_};
}

std::size_t Json::size() const { return is_object() ? size_ : items().size(); }

std::string_view Json::string() const {
  if (!is_string()) mismatch(static_cast<int>(kind_), "a string");
  return {text_, size_};
}

bool Json::boolean() const {
  if (!is_boolean()) mismatch(static_cast<int>(kind_), "a boolean");
  return boolean_;
}

std::int64_t Json::integer() const {
  if (!is_integer()) mismatch(static_cast<int>(kind_), "a whole number of 64 bits");
  return integer_;
}

double Json::real() const {
  if (!is_number()) mismatch(static_cast<int>(kind_), "a number");
  return is_integer() ? static_cast<double>(integer_) : real_;
}

bool operator==(const Json& a, const Json& b) {
  if (a.kind_ != b.kind_) return a.is_number() && b.is_number() && a.real() == b.real();
  switch (a.kind_) {
    case Json::Kind::Null: return true;
    case Json::Kind::Boolean: return a.boolean_ == b.boolean_;
    case Json::Kind::Integer: return a.integer_ == b.integer_;
    case Json::Kind::Real: return a.real_ == b.real_;
    case Json::Kind::String: return a.string() == b.string();
    case Json::Kind::Array: return std::ranges::equal(a.items(), b.items());
    case Json::Kind::Object: break;
  }
  return std::ranges::equal(a.members(), b.members(),
                            [](const Json::Member& x, const Json::Member& y) { return x.key == y.key && x.value == y.value; });
}

void Json::write(std::string& out) const {
  char digits[32];
  switch (kind_) {
    case Kind::Null: out += "null"; break;
    case Kind::Boolean: out += boolean_ ? "true" : "false"; break;
    case Kind::Integer: out += std::to_string(integer_); break;
    case Kind::Real: {
      const std::string_view text(digits, std::to_chars(digits, digits + sizeof(digits), real_).ptr);
      out += text;
      if (text.find_first_of(".e") == std::string_view::npos) out += ".0";
      break;
    }
    case Kind::String: write_string(string(), out); break;
    case Kind::Array:
      out += '[';
      for (const Json& item : items()) {
        if (&item != items_) out += ',';
        item.write(out);
      }
      out += ']';
      break;
    case Kind::Object:
      out += '{';
      for (const Member& member : members()) {
        if (&member != members_) out += ',';
        write_string(member.key, out);
        out += ':';
        member.value.write(out);
      }
      out += '}';
  }
}

std::string Json::dump() const {
  std::string out;
  write(out);
  return out;
}

// Reads the copy of a text that the document owns, and unescapes its strings in place.
class JsonParser {
 public:
  JsonParser(JsonDocument& document, char* begin, char* end) : document_(document), begin_(begin), at_(begin), end_(end) {}

  Json run() {
    if (std::string_view(at_, rest()).starts_with("\xEF\xBB\xBF")) at_ += 3;
    const Json root = value(0);
    skip_spaces();
    if (at_ != end_) fail("something follows its value");
    return root;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw JsonError("at byte " + std::to_string(at_ - begin_) + ": " + why);
  }

  std::size_t rest() const { return static_cast<std::size_t>(end_ - at_); }

  void skip_spaces() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
  }

  // The next character that is no space, which is taken; it fails at the end.
  char next() {
    skip_spaces();
    if (at_ == end_) fail("it ends early");
    return *at_++;
  }

  bool word(std::string_view rest_of_word) {
    if (!std::string_view(at_, rest()).starts_with(rest_of_word)) return false;
    at_ += rest_of_word.size();
    return true;
  }

  Json value(int depth) {
    if (depth > kDeepest) fail("it nests deeper than " + std::to_string(kDeepest) + " levels");
    Json json;
    switch (const char c = next()) {
      case '{': return object(depth);
      case '[': return array(depth);
      case '"': {
        const std::string_view text = string();
        json.kind_ = Json::Kind::String;
        json.text_ = text.data();
        json.size_ = static_cast<std::uint32_t>(text.size());
        return json;
      }
      case 'n':
        if (word("ull")) return json;
        break;
      case 't':
      case 'f':
        json.kind_ = Json::Kind::Boolean;
        json.boolean_ = c == 't';
        if (word(c == 't' ? "rue" : "alse")) return json;
        break;
      default:
        if (c == '-' || (c >= '0' && c <= '9')) return number();
    }
    --at_;
    fail("no value begins here");
  }

  Json array(int depth) {
    const std::size_t first = items_.size();
    skip_spaces();
    if (at_ != end_ && *at_ == ']') {
      ++at_;
    } else {
      for (char c = ','; c == ',';) {
        items_.push_back(value(depth + 1));
        c = next();
        if (c != ',' && c != ']') fail("an array goes on without a comma");
      }
    }
    Json json;
    json.kind_ = Json::Kind::Array;
    json.size_ = static_cast<std::uint32_t>(items_.size() - first);
    json.items_ = moved(items_, first);
    return json;
  }

  Json object(int depth) {
    const std::size_t first = members_.size();
    skip_spaces();
    if (at_ != end_ && *at_ == '}') {
      ++at_;
    } else {
      for (char c = ','; c == ',';) {
        if (next() != '"') fail("an object has a key that is no string");
        const std::string_view key = string();
        if (next() != ':') fail("a key has no value");
        const Json member = value(depth + 1);
        members_.push_back({key, member});
        c = next();
        if (c != ',' && c != '}') fail("an object goes on without a comma");
      }
    }
    sort(first);
    Json json;
    json.kind_ = Json::Kind::Object;
    json.size_ = static_cast<std::uint32_t>(members_.size() - first);
    json.members_ = moved(members_, first);
    return json;
  }

  // By key; of members of one key the last one stays.
  void sort(std::size_t first) {
    const auto begin = members_.begin() + static_cast<std::ptrdiff_t>(first);
    const auto less = [](const Json::Member& a, const Json::Member& b) { return a.key < b.key; };
    const auto unordered = [&](const Json::Member& a, const Json::Member& b) { return !less(a, b); };
    if (std::adjacent_find(begin, members_.end(), unordered) == members_.end()) return;
    std::stable_sort(begin, members_.end(), less);
    auto last = begin;
    for (auto it = begin + 1; it != members_.end(); ++it) {
      if (last->key != it->key) ++last;
      *last = *it;
    }
    members_.erase(last + 1, members_.end());
  }

  // What stands on a stack from `first` on, in the document's memory.
  template <class T>
  const T* moved(std::vector<T>& stack, std::size_t first) {
    const std::size_t count = stack.size() - first;
    T* out = static_cast<T*>(document_.take(count * sizeof(T)));
    std::uninitialized_copy_n(stack.begin() + static_cast<std::ptrdiff_t>(first), count, out);
    stack.erase(stack.end() - static_cast<std::ptrdiff_t>(count), stack.end());
    return out;
  }

  // Behind its first quotation mark.
  std::string_view string() {
    char* const begin = at_;
    char* out = at_;
    for (;;) {
      if (at_ == end_) fail("a string has no end");
      const auto byte = static_cast<unsigned char>(*at_);
      if (byte == '"') break;
      if (byte < 0x20) fail("a string has a control character");
      if (byte == '\\') {
        ++at_;
        out = escape(out);
      } else if (byte < 0x80) {
        *out++ = *at_++;
      } else {
        const std::size_t length = length_of_character(at_, end_);
        if (length == 0) fail("a string is not in UTF-8");
        std::memmove(out, at_, length);
        out += length;
        at_ += length;
      }
    }
    ++at_;
    return {begin, static_cast<std::size_t>(out - begin)};
  }

  // What an escape stands for is never longer than the escape.
  char* escape(char* out) {
    if (at_ == end_) fail("a string has no end");
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const char c = *at_++;
    if (const std::size_t i = kLetters.find(c); i != std::string_view::npos) {
      *out = kMeanings[i];
      return out + 1;
    }
    if (c != 'u') fail("an escape is not known");
    std::uint32_t code = unit();
    if (code >= 0xDC00 && code <= 0xDFFF) fail("half of a character stands alone");
    if (code >= 0xD800 && code <= 0xDBFF) {
      if (!word("\\u")) fail("half of a character stands alone");
      const std::uint32_t low = unit();
      if (low < 0xDC00 || low > 0xDFFF) fail("half of a character stands alone");
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    return write_character(code, out);
  }

  std::uint32_t unit() {
    std::uint32_t code = 0;
    if (rest() < 4 || std::from_chars(at_, at_ + 4, code, 16).ptr != at_ + 4) fail("an escape is not known");
    at_ += 4;
    return code;
  }

  bool digits() {
    const char* first = at_;
    while (at_ != end_ && *at_ >= '0' && *at_ <= '9') ++at_;
    return at_ != first;
  }

  // Behind its first character. Whole numbers beyond 64 bits are real ones.
  Json number() {
    const char* first = --at_;
    if (*at_ == '-') ++at_;
    if (at_ != end_ && *at_ == '0') ++at_;
    else if (!digits()) fail("a number has no digits");
    const char* whole = at_;
    if (at_ != end_ && *at_ == '.' && (++at_, !digits())) fail("a number has no digits");
    if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
      ++at_;
      if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
      if (!digits()) fail("a number has no digits");
    }
    Json json;
    json.kind_ = Json::Kind::Integer;
    if (at_ == whole && std::from_chars(first, at_, json.integer_).ec == std::errc()) return json;
    json.kind_ = Json::Kind::Real;
    if (std::from_chars(first, at_, json.real_).ec != std::errc()) fail("a number is out of range");
    return json;
  }

  JsonDocument& document_;
  const char* const begin_;
  char* at_;
  char* const end_;
  std::vector<Json> items_;            // of arrays that are not closed yet
  std::vector<Json::Member> members_;  // of objects
};

JsonDocument::JsonDocument(std::string_view text) {
  if (text.size() > UINT32_MAX) throw JsonError("it is longer than 4 GiB");
  char* copy = static_cast<char*>(take(text.size()));
  std::copy(text.begin(), text.end(), copy);
  root_ = JsonParser(*this, copy, copy + text.size()).run();
}

void* JsonDocument::take(std::size_t bytes) {
  bytes = (bytes + alignof(Json::Member) - 1) / alignof(Json::Member) * alignof(Json::Member);
  if (bytes > left_) {
    const std::size_t size = std::max(bytes, kBlock);
    blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(size));
    if (size > kBlock) return blocks_.back().get();
    free_ = blocks_.back().get();
    left_ = size;
  }
  std::byte* taken = free_;
  free_ += bytes;
  left_ -= bytes;
  return taken;
}

}  // namespace tonnx::exported
