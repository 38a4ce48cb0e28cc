#include "exported/json_writer.h"

#include <charconv>
#include <cmath>

#include "ir/utf8.h"

namespace tonnx::exported {

void append_json_string(std::string_view text, std::string& out) {
  constexpr char kDigits[] = "0123456789abcdef";
  constexpr std::string_view kEscaped = "\"\\\b\f\n\r\t", kLetters = "\"\\bfnrt";
  out += '"';
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text.front());
    const std::size_t size = ir::character_size(text);
    if (const std::size_t at = kEscaped.find(text.front()); at != std::string_view::npos)
      (out += '\\') += kLetters[at];
    else if (byte < 0x20)
      ((out += "\\u00") += kDigits[byte >> 4]) += kDigits[byte & 15];
    else
      out += size > 0 ? text.substr(0, size) : "\xEF\xBF\xBD";
    text.remove_prefix(size > 0 ? size : 1);
  }
  out += '"';
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  append_json_string(name, text_);
  text_ += indent_ > 0 ? ": " : ":";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  separate();
  append_json_string(text, text_);
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  if (!std::isfinite(number)) return value(nullptr);
  char digits[32];
  const std::string_view shortest(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
  raw(shortest);
  if (shortest.find_first_of(".e") == std::string_view::npos) text_ += ".0";
  return *this;
}

JsonWriter& JsonWriter::value(const Json& json) {
  if (json.is_null()) return value(nullptr);
  if (json.is_boolean()) return value(json.get<bool>());
  if (json.is_integer()) return value(json.get<std::int64_t>());
  if (json.is_number()) return value(json.get<double>());
  if (json.is_string()) return value(json.string());
  if (json.is_array()) return value(json.items());
  begin_object();
  for (const auto& [name, member_value] : json.members()) member(name, member_value);
  return end_object();
}

JsonWriter& JsonWriter::begin(char bracket) {
  separate();
  text_ += bracket;
  ++level_;
  is_first_ = true;
  return *this;
}

JsonWriter& JsonWriter::end(char bracket) {
  --level_;
  if (!is_first_) break_line();
  text_ += bracket;
  is_first_ = false;
  return *this;
}

JsonWriter& JsonWriter::raw(std::string_view text) {
  separate();
  text_ += text;
  return *this;
}

// Before a value or a key: the comma and the line break.
void JsonWriter::separate() {
  if (after_key_) {
    after_key_ = false;
    is_first_ = false;
    return;
  }
  if (!is_first_) text_ += ',';
  if (level_ > 0) break_line();
  is_first_ = false;
}

void JsonWriter::break_line() {
  if (indent_ > 0) text_.append(1, '\n').append(level_ * indent_, ' ');
}

}  // namespace tonnx::exported
