#include "aten/schema_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>
#include <utility>

#include "ir/error.h"

namespace tonnx::aten {
namespace {

using ir::Argument;
using ir::Constant;
using ir::Schema;
using ir::Type;

// The largest accepted length of a list type with a length: int[2].
constexpr std::int64_t kLongestList = 64;

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Schema schema() {
    Schema schema;
    schema.name = word();
    expect(':');
    expect(':');
    schema.name += "::" + word();
    if (take('.')) schema.overload = word();
    expect('(');
    while (!take(')')) {
      if (take("...")) {
        schema.is_vararg = true;
      } else if (!take('*')) {
        schema.arguments.push_back(argument());
      }
      take(',');
    }
    expect("->");
    if (take("...")) {
      return schema;
    } else if (take('(')) {
      while (!take(')')) {
        schema.returns.push_back(argument());
        take(',');
      }
    } else if (peek() != '\0') {
      schema.returns.push_back(argument());
    }
    return schema;
  }

 private:
  [[noreturn]] void fail() const {
    throw ir::Error(ir::Code::Internal,
                    "cannot parse the schema at column " + std::to_string(at_) + ": " + std::string(text_));
  }

  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  char peek() {
    skip();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  bool take(std::string_view s) {
    skip();
    if (text_.substr(at_, s.size()) != s) return false;
    at_ += s.size();
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail();
  }
  void expect(std::string_view s) {
    if (!take(s)) fail();
  }
  static bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
  std::string word() {
    skip();
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    if (begin == at_) fail();
    return std::string(text_.substr(begin, at_ - begin));
  }

  Type base_type() {
    if (take('(')) return nested(Type::Kind::Tuple);
    std::string name = word();
    while (text_.substr(at_, 1) == ".") {
      ++at_;
      name += "." + word();
    }
    if (name == "Tensor") return Type::of(Type::Kind::Tensor);
    if (name == "int" || name == "SymInt") return Type::of(Type::Kind::Int);
    if (name == "float" || name == "SymFloat") return Type::of(Type::Kind::Float);
    if (name == "bool" || name == "SymBool") return Type::of(Type::Kind::Bool);
    if (name == "complex") return Type::of(Type::Kind::Complex);
    if (name == "Scalar" || name == "number") return Type::of(Type::Kind::Number);
    if (name == "str" || name == "Dimname") return Type::of(Type::Kind::String);
    if (name == "Device") return Type::of(Type::Kind::Device);
    if (name == "ScalarType" || name == "Layout" || name == "MemoryFormat") return Type::of(Type::Kind::Int);
    if (name == "NoneType") return Type::of(Type::Kind::None);
    if (name == "Any" || is_variable(name)) return Type::of(Type::Kind::Any);
    if (name == "Dict") {
      expect('(');
      return nested(Type::Kind::Dict);
    }
    if (name == "Future") {  // forked code runs in place
      expect('(');
      return nested(Type::Kind::Other).elements.at(0);
    }
    if (name == "Await" || name == "RRef") {
      expect('(');
      const std::size_t begin = at_;
      nested(Type::Kind::Other);
      name += text_.substr(begin - 1, at_ - begin + 1);
    }
    const bool is_class = name.starts_with("__torch__.");
    return Type{is_class ? Type::Kind::Object : Type::Kind::Other, {}, std::move(name)};
  }

  // A type variable: t, tVal, t1.
  static bool is_variable(std::string_view name) {
    if (name == "t") return true;
    const auto second = name.size() > 1 && name[0] == 't' ? static_cast<unsigned char>(name[1]) : 0;
    return std::isupper(second) || std::isdigit(second);
  }

  Type nested(Type::Kind kind) {
    Type type = Type::of(kind);
    while (!take(')')) {
      Argument item;
      type.elements.push_back(complete_type(item));
      take(',');
    }
    return type;
  }

  // Reads a type with its alias marks, which are stored in `argument`.
  Type complete_type(Argument& argument) {
    Type type = base_type();
    while (true) {
      if (take('(')) {
        alias(argument);
      } else if (peek() == '[') {
        ++at_;
        if (!take(']')) {
          length_ = number<std::int64_t>(word());
          if (length_ > kLongestList) fail();
          expect(']');
        }
        type = Type::list(std::move(type));
      } else if (take('?')) {
        type = Type{Type::Kind::Optional, {std::move(type)}, {}};
      } else {
        return type;
      }
    }
  }

  Argument argument() {
    Argument argument;
    length_ = 0;
    argument.type = complete_type(argument);
    if (is_word(peek())) argument.name = word();
    if (!take('=')) return argument;
    Constant given = value();
    // int[2] padding=0: a scalar default means a list of that length.
    if (argument.type.is(Type::Kind::List) && given.is_number())
      given = {Constant::List{std::vector<Constant>(static_cast<std::size_t>(length_), given)}};
    argument.default_value = std::move(given);
    return argument;
  }

  void alias(Argument& argument) {
    if (take('*')) {
      argument.alias_set = "*";
    } else {
      argument.alias_set = word();
      while (take('|')) argument.alias_set = std::min(argument.alias_set, word());
      argument.is_write = take('!');
      if (take("->")) take('*');
    }
    expect(')');
  }

  char escaped() {
    ++at_;
    const char c = at_ < text_.size() ? text_[at_++] : '\0';
    constexpr std::string_view letters = "ntrfv";
    const std::size_t at = letters.find(c);
    return at == std::string_view::npos ? c : "\n\t\r\f\v"[at];
  }

  // The whole string as a number that fits.
  template <class Number>
  Number number(std::string_view text) const {
    while (text.ends_with(' ')) text.remove_suffix(1);
    Number value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) fail();
    return value;
  }

  Constant value() {
    if (take('[')) {
      Constant::List list;
      while (!take(']')) {
        if (peek() == '\0') fail();
        list.items.push_back(value());
        take(',');
      }
      return {std::move(list)};
    }
    if (peek() == '"' || peek() == '\'') {
      const char quote = text_[at_++];
      std::string s;
      while (at_ < text_.size() && text_[at_] != quote) {
        s += text_[at_] == '\\' ? escaped() : text_[at_++];
      }
      if (at_ >= text_.size()) fail();
      ++at_;
      return {std::move(s)};
    }
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != ')' && text_[at_] != ']') ++at_;
    const std::string s(text_.substr(begin, at_ - begin));
    if (s == "None") return {Constant::None{}};
    if (s == "True") return {true};
    if (s == "False") return {false};
    if (s.find_first_of(".e") != std::string::npos && s.find_first_of("0123456789") != std::string::npos &&
        !std::isalpha(static_cast<unsigned char>(s[0])))
      return {number<double>(s)};
    if (!s.empty() && (std::isdigit(static_cast<unsigned char>(s[0])) || s[0] == '-')) return {number<std::int64_t>(s)};
    return {s};  // the name of an enumerator: Mean, contiguous_format
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::int64_t length_ = 0;  // length of the last list type: 2 for int[2]
};

}  // namespace

Schema parse_schema(std::string_view text) { return Parser(text).schema(); }

}  // namespace tonnx::aten
