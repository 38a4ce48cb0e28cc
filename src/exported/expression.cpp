#include "exported/expression.h"

#include <cctype>
#include <charconv>
#include <utility>
#include <vector>

namespace tonnx::exported {

namespace {

using ir::Polynomial;
using ir::SizeFunction;

constexpr std::int64_t kHighestPower = 8;
constexpr int kDeepestExpression = 200;

// Integer functions of sympy, by the names in both of its forms.
Polynomial call(const std::string& name, std::vector<Polynomial> arguments) {
  static const std::map<std::string, SizeFunction> kOfTwo = {
      {"FloorDiv", SizeFunction::FloorDivide}, {"CleanDiv", SizeFunction::FloorDivide},
      {"floordiv", SizeFunction::FloorDivide}, {"Mod", SizeFunction::Remainder},
      {"PythonMod", SizeFunction::Remainder},  {"CeilDiv", SizeFunction::CeilDivide}};
  static const std::map<std::string, SizeFunction> kOfMany = {
      {"Max", SizeFunction::Max}, {"max", SizeFunction::Max}, {"Min", SizeFunction::Min}, {"min", SizeFunction::Min}};
  const auto& table = arguments.size() == 2 && kOfTwo.contains(name) ? kOfTwo : kOfMany;
  const auto found = table.find(name);
  if (found == table.end() || arguments.size() < 2) return Polynomial::invalid();
  return Polynomial::call(found->second, std::move(arguments));
}

class Parser {
 public:
  Parser(std::string_view text, const std::map<std::string, std::string>& names) : text_(text), names_(names) {}

  Polynomial run() {
    Polynomial result = sum();
    skip();
    return failed_ || at_ != text_.size() ? Polynomial::invalid() : result;
  }

 private:
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(std::string_view token) {
    skip();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  Polynomial fail() {
    failed_ = true;
    return Polynomial::invalid();
  }

  Polynomial sum() {
    if (++depth_ > kDeepestExpression) return fail();
    Polynomial result = take("-") ? product() * -1 : product();
    while (!failed_) {
      if (take("+")) {
        result = result + product();
      } else if (take("-")) {
        result = result - product();
      } else {
        break;
      }
    }
    --depth_;
    return result;
  }

  Polynomial product() {
    Polynomial result = power();
    while (!failed_) {
      if (take("//")) {
        result = function("FloorDiv", {result, power()});
      } else if (take("%")) {
        result = function("Mod", {result, power()});
      } else if (take("*")) {
        result = result * power();
      } else {
        break;
      }
    }
    return result;
  }

  Polynomial power() {
    Polynomial base = primary();
    return take("**") ? raised(base, primary()) : base;
  }

  static Polynomial raised(const Polynomial& base, const Polynomial& exponent) {
    const auto n = exponent.constant();
    if (!n || *n < 0 || *n > kHighestPower) return Polynomial::invalid();
    Polynomial result = 1;
    for (std::int64_t i = 0; i < *n; ++i) result = result * base;
    return result;
  }

  Polynomial primary() {
    skip();
    if (take("(")) {
      Polynomial inner = sum();
      return take(")") ? inner : fail();
    }
    if (at_ >= text_.size()) return fail();
    const auto c = static_cast<unsigned char>(text_[at_]);
    if (std::isdigit(c)) return number();
    if (std::isalpha(c) || c == '_') return word();
    return fail();
  }

  Polynomial number() {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc()) return fail();
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }

  std::string name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_' || text_[at_] == '.'))
      ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  Polynomial symbol(const std::string& name) const {
    const auto given = names_.find(name);
    return Polynomial::symbol(given == names_.end() ? name : given->second);
  }

  Polynomial word() {
    std::string word = name();
    if (const std::size_t dot = word.rfind('.'); dot != std::string::npos) word = word.substr(dot + 1);
    if (!take("(")) return symbol(word);
    if (word == "Symbol") return quoted_symbol();
    if (word == "Integer") {
      Polynomial value = sum();
      return take(")") ? value : fail();
    }
    std::vector<Polynomial> arguments;
    while (!failed_ && !take(")")) {
      arguments.push_back(sum());
      take(",");
      if (at_ >= text_.size()) return fail();
    }
    return function(word, std::move(arguments));
  }

  // For example Symbol('s0', positive=True, integer=True).
  Polynomial quoted_symbol() {
    skip();
    if (!take("'")) return fail();
    const std::size_t end = text_.find('\'', at_);
    const std::size_t close = end == std::string_view::npos ? end : text_.find(')', end);
    if (close == std::string_view::npos) return fail();
    const std::string name(text_.substr(at_, end - at_));
    at_ = close + 1;
    return symbol(name);
  }

  Polynomial function(const std::string& name, std::vector<Polynomial> arguments) const {
    if (failed_) return Polynomial::invalid();
    if (name == "One") return Polynomial(1);
    if (name == "Add" || name == "Mul") {
      Polynomial result = name == "Add" ? 0 : 1;
      for (const Polynomial& argument : arguments) result = name == "Add" ? result + argument : result * argument;
      return result;
    }
    if ((name == "Pow" || name == "PowByNatural") && arguments.size() == 2) return raised(arguments[0], arguments[1]);
    if (name == "Identity" && arguments.size() == 1) return arguments[0];
    return call(name, std::move(arguments));
  }

  std::string_view text_;
  const std::map<std::string, std::string>& names_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool failed_ = false;
};

}  // namespace

Polynomial parse_expression(std::string_view text, const std::map<std::string, std::string>& names) {
  return Parser(text, names).run();
}

}  // namespace tonnx::exported
