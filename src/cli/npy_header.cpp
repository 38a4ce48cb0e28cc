#include "cli/npy_header.h"

#include <charconv>
#include <optional>

namespace tonnx::cli {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kLongestHeader = 64 * 1024;
constexpr std::size_t kMostAxes = 64;  // NumPy's own limit

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Parses a Python dict with the keys 'descr', 'fortran_order' and 'shape', in any order.
class Header {
 public:
  explicit Header(std::string_view text) : text_(text) {}

  NpyHeader read() {
    require('{', "is not a dict");
    while (!take('}')) {
      entry(string("a key"));
      if (take(',')) continue;
      require('}', "is not a dict");
      break;
    }
    skip();
    if (at_ != text_.size()) fail("has text after the dict");
    for (const auto& [is_read, key] : {std::pair(descr_, "descr"), {order_, "fortran_order"}, {shape_, "shape"}})
      if (!is_read) fail("lacks '" + std::string(key) + "'");
    return result_;
  }

 private:
  void entry(const std::string& key) {
    require(':', "is not a dict");
    if (key == "descr") {
      once(descr_, key);
      descr();
    } else if (key == "fortran_order") {
      once(order_, key);
      result_.fortran_order = word("True");
      if (!result_.fortran_order && !word("False")) fail("has a 'fortran_order' that is neither True nor False");
    } else if (key == "shape") {
      once(shape_, key);
      shape();
    } else {
      fail("has the key '" + key + "', which is unknown");
    }
  }

  void once(bool& is_read, const std::string& key) {
    if (is_read) fail("has '" + key + "' twice");
    is_read = true;
  }

  void descr() {
    skip();
    if (at_ < text_.size() && (text_[at_] == '[' || text_[at_] == '(' || text_[at_] == '{'))
      throw NpyFault("a dtype with fields is not supported; save each field as a separate array");
    result_.descr = string("'descr'");
  }

  void shape() {
    require('(', "has a 'shape' that is not a tuple");
    while (!take(')')) {
      result_.shape.push_back(size());
      if (result_.shape.size() > kMostAxes) throw NpyFault("it has more than " + std::to_string(kMostAxes) + " axes");
      if (take(',')) continue;
      require(')', "has a 'shape' that is not a tuple of integers");
      break;
    }
  }

  std::int64_t size() {
    skip();
    const std::size_t begin = at_;
    if (at_ < text_.size() && text_[at_] == '-') ++at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    const std::string_view digits = text_.substr(begin, at_ - begin);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error == std::errc::invalid_argument) fail("has a 'shape' that is not a tuple of integers");
    if (digits.front() == '-') throw NpyFault("its size " + shortened(digits) + " is negative");
    if (error != std::errc()) throw NpyFault("its size " + shortened(digits) + " does not fit in 64 bits");
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // Python 2's suffix of long integers
    return value;
  }

  std::string string(const std::string& what) {
    skip();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    const std::size_t end = quote == '\'' || quote == '"' ? text_.find(quote, at_ + 1) : std::string_view::npos;
    if (end == std::string_view::npos) fail("has no string for " + what);
    const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return shortened(inside);
  }

  static std::string shortened(std::string_view text) {
    constexpr std::size_t kShown = 40;
    return text.size() <= kShown ? std::string(text) : std::string(text.substr(0, kShown)) + "...";
  }

  bool word(std::string_view wanted) {
    skip();
    if (!text_.substr(at_).starts_with(wanted)) return false;
    at_ += wanted.size();
    return true;
  }

  bool take(char c) { return word(std::string_view(&c, 1)); }
  void require(char c, const char* otherwise) {
    if (!take(c)) fail(otherwise);
  }
  void skip() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  }

  [[noreturn]] static void fail(const std::string& why) { throw NpyFault("its header " + why); }

  std::string_view text_;
  std::size_t at_ = 0;
  NpyHeader result_;
  bool descr_ = false, order_ = false, shape_ = false;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view file) {
  if (!file.starts_with(kMagic)) throw NpyFault("not a .npy file");
  const auto byte = [&](std::size_t i) -> std::size_t {
    if (i >= file.size()) throw NpyFault("the file is truncated: it ends in its header");
    return static_cast<unsigned char>(file[i]);
  };
  const std::size_t major = byte(6), minor = byte(7);
  if (major < 1 || major > 3 || minor != 0)
    throw NpyFault("format version " + std::to_string(major) + "." + std::to_string(minor) +
                   " is not supported, only 1.0, 2.0 and 3.0");
  std::size_t length = byte(8) | byte(9) << 8;
  if (major > 1) length |= byte(10) << 16 | byte(11) << 24;
  const std::size_t begin = major > 1 ? 12 : 10;
  if (length > kLongestHeader)
    throw NpyFault("its header has " + std::to_string(length) + " bytes; at most " + std::to_string(kLongestHeader) +
                   " are read");
  if (length > file.size() - begin) throw NpyFault("the file is truncated: it ends in its header");
  NpyHeader header = Header(file.substr(begin, length)).read();
  header.end = begin + length;
  return header;
}

}  // namespace tonnx::cli
