#pragma once

#include <cstdint>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>

#include "exported/json.h"

namespace tonnx::exported {

// Writes a JSON document as text, part by part. It keeps no values: those of a JSON library allocate memory when they
// are destroyed, and the process ends if there is none.
class JsonWriter {
 public:
  // `indent`: spaces for each level, with every item on a line of its own; 0: no white space.
  explicit JsonWriter(std::size_t indent = 0) : indent_(indent) {}

  JsonWriter& begin_object() { return begin('{'); }
  JsonWriter& end_object() { return end('}'); }
  JsonWriter& begin_array() { return begin('['); }
  JsonWriter& end_array() { return end(']'); }
  // The key of the next value of an object. The caller writes each key once.
  JsonWriter& key(std::string_view name);

  // Bytes that are not UTF-8 become U+FFFD.
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(std::nullptr_t) { return raw("null"); }
  JsonWriter& value(bool flag) { return raw(flag ? "true" : "false"); }
  template <std::integral T>
  JsonWriter& value(T number) {
    return raw(std::to_string(number));
  }
  // null for numbers that are not finite.
  JsonWriter& value(double number);
  // A value of a document.
  JsonWriter& value(const Json& json);
  // An array, or the object of a map with strings as keys.
  template <std::ranges::input_range Items>
    requires(!std::is_convertible_v<Items, std::string_view>)
  JsonWriter& value(const Items& items) {
    constexpr bool kIsMap = requires { typename Items::mapped_type; };
    begin(kIsMap ? '{' : '[');
    for (const auto& item : items) {
      if constexpr (kIsMap) {
        member(item.first, item.second);
      } else {
        value(item);
      }
    }
    return end(kIsMap ? '}' : ']');
  }

  template <class T>
  JsonWriter& member(std::string_view name, const T& its_value) {
    return key(name).value(its_value);
  }

  const std::string& text() const { return text_; }

 private:
  JsonWriter& begin(char bracket);
  JsonWriter& end(char bracket);
  JsonWriter& raw(std::string_view text);
  void separate();
  void break_line();

  std::size_t indent_;
  std::size_t level_ = 0;
  bool is_first_ = true;    // of an object or array
  bool after_key_ = false;  // the next value belongs to a key
  std::string text_;
};

// Appends a string with its quotes; bytes that are not UTF-8 become U+FFFD.
void append_json_string(std::string_view text, std::string& out);

}  // namespace tonnx::exported
