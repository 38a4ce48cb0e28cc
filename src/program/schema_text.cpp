#include "program/schema_text.h"

#include <cctype>
#include <map>
#include <mutex>
#include <string>

#include "ir/error.h"

namespace tonnx::program {
namespace {

using ir::Argument;
using ir::Constant;
using ir::Schema;
using ir::Type;

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
    if (take('(')) {
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
                    "schema not understood at column " + std::to_string(at_) + ": " + std::string(text_));
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
    const std::string name = word();
    if (name == "Tensor") return Type::of(Type::Kind::Tensor);
    if (name == "int" || name == "SymInt") return Type::of(Type::Kind::Int);
    if (name == "float") return Type::of(Type::Kind::Float);
    if (name == "bool") return Type::of(Type::Kind::Bool);
    if (name == "complex") return Type::of(Type::Kind::Complex);
    if (name == "Scalar" || name == "number") return Type::of(Type::Kind::Number);
    if (name == "str") return Type::of(Type::Kind::String);
    if (name == "Device") return Type::of(Type::Kind::Device);
    if (name == "ScalarType" || name == "Layout" || name == "MemoryFormat") return Type::of(Type::Kind::Int);
    if (name == "NoneType") return Type::of(Type::Kind::None);
    if (name == "t" || name == "Any") return Type::of(Type::Kind::Any);
    Type type = Type::of(Type::Kind::Other);
    type.name = name;
    return type;
  }

  Argument argument() {
    Argument argument;
    argument.type = base_type();
    while (true) {
      if (take('(')) {
        alias(argument);
      } else if (peek() == '[') {
        while (!take(']')) ++at_;
        argument.type = Type::list(std::move(argument.type));
      } else if (take('?')) {
        argument.type = Type{Type::Kind::Optional, {std::move(argument.type)}, {}};
      } else {
        break;
      }
    }
    if (is_word(peek())) argument.name = word();
    if (take('=')) argument.default_value = value();
    return argument;
  }

  void alias(Argument& argument) {
    if (take('*')) {
      argument.alias_set = "*";
    } else {
      argument.alias_set = word();
      argument.is_write = take('!');
      if (take("->")) take('*');
    }
    expect(')');
  }

  Constant value() {
    if (take('[')) {
      Constant::List list;
      while (!take(']')) {
        list.items.push_back(value());
        take(',');
      }
      return {std::move(list)};
    }
    if (peek() == '"' || peek() == '\'') {
      const char quote = text_[at_++];
      std::string s;
      while (at_ < text_.size() && text_[at_] != quote) s += text_[at_++];
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
      return {std::stod(s)};
    if (!s.empty() && (std::isdigit(static_cast<unsigned char>(s[0])) || s[0] == '-'))
      return {static_cast<std::int64_t>(std::stoll(s))};
    return {s};  // the name of an enumerator: Mean, contiguous_format
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Schema parse_schema(std::string_view text) { return Parser(text).schema(); }

ir::SchemaPtr shared_schema(std::string_view text) {
  static std::mutex mutex;
  static std::map<std::string, ir::SchemaPtr, std::less<>> known;
  const std::scoped_lock lock(mutex);
  const auto found = known.find(text);
  if (found != known.end()) return found->second;
  return known.emplace(std::string(text), std::make_shared<const Schema>(parse_schema(text))).first->second;
}

}  // namespace tonnx::program
