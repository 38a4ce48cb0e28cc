#include "exported/expression.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>

namespace tonnx::exported {

namespace {

constexpr std::int64_t kHighestPower = 8;
constexpr int kDeepest = 200;

}  // namespace

Expression Expression::integer(std::int64_t value) {
  Expression e;
  e.known_ = true;
  if (value != 0) e.terms_[{}] = value;
  return e;
}

Expression Expression::atom(std::string text) {
  Expression e;
  e.known_ = true;
  e.terms_[{std::move(text)}] = 1;
  return e;
}

ir::Dim Expression::dim() const {
  if (!known_) return {};
  if (terms_.empty()) return ir::Dim(0);
  if (terms_.size() == 1 && terms_.begin()->first.empty())
    return terms_.begin()->second < 0 ? ir::Dim() : ir::Dim(terms_.begin()->second);
  return ir::Dim::symbolic(text());
}

std::string Expression::text() const {
  std::string out;
  const auto add = [&](const Product& product, std::int64_t factor) {
    const std::uint64_t magnitude = factor < 0 ? 0 - static_cast<std::uint64_t>(factor) : static_cast<std::uint64_t>(factor);
    out += out.empty() ? (factor < 0 ? "-" : "") : (factor < 0 ? " - " : " + ");
    if (product.empty() || magnitude != 1) out += std::to_string(magnitude) + (product.empty() ? "" : "*");
    for (std::size_t i = 0; i < product.size(); ++i) out += (i ? "*" : "") + product[i];
  };
  for (const auto& [product, factor] : terms_)
    if (!product.empty()) add(product, factor);
  const auto constant = terms_.find({});
  if (constant != terms_.end()) add({}, constant->second);
  return out.empty() ? "0" : out;
}

Expression Expression::operator+(const Expression& other) const {
  if (!known_ || !other.known_) return {};
  Expression sum = *this;
  for (const auto& [product, factor] : other.terms_) {
    std::int64_t& term = sum.terms_[product];
    if (__builtin_add_overflow(term, factor, &term)) return {};
    if (term == 0) sum.terms_.erase(product);
  }
  return sum;
}

Expression Expression::operator*(const Expression& other) const {
  if (!known_ || !other.known_) return {};
  Expression result = integer(0);
  for (const auto& [left, a] : terms_) {
    for (const auto& [right, b] : other.terms_) {
      Expression term = integer(0);
      Product product = left;
      product.insert(product.end(), right.begin(), right.end());
      std::sort(product.begin(), product.end());
      std::int64_t factor = 0;
      if (__builtin_mul_overflow(a, b, &factor)) return {};
      term.terms_[std::move(product)] = factor;
      result = result + term;
    }
  }
  return result;
}

namespace {

// Sympy's functions of integers by the names of its two forms, and how they are written here.
std::optional<std::string> function_text(const std::string& name, const std::vector<Expression>& arguments) {
  std::vector<std::string> texts;
  for (const Expression& argument : arguments) {
    if (!argument.is_known()) return std::nullopt;
    texts.push_back(argument.text());
  }
  const auto call = [&](const char* function) {
    std::sort(texts.begin(), texts.end());
    std::string out = std::string(function) + "(";
    for (std::size_t i = 0; i < texts.size(); ++i) out += (i ? ", " : "") + texts[i];
    return out + ")";
  };
  if (texts.size() == 2) {
    if (name == "FloorDiv" || name == "CleanDiv" || name == "floordiv") return "((" + texts[0] + ")//(" + texts[1] + "))";
    if (name == "Mod" || name == "PythonMod") return "((" + texts[0] + ")%(" + texts[1] + "))";
    if (name == "CeilDiv") return "ceil((" + texts[0] + ")/(" + texts[1] + "))";
  }
  if (texts.size() >= 2) {
    if (name == "Max" || name == "max") return call("max");
    if (name == "Min" || name == "min") return call("min");
  }
  return std::nullopt;
}

class Parser {
 public:
  Parser(std::string_view text, const std::map<std::string, std::string>& names) : text_(text), names_(names) {}

  Expression run() {
    Expression result = sum();
    skip();
    return failed_ || at_ != text_.size() ? Expression() : result;
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
  Expression fail() {
    failed_ = true;
    return {};
  }

  Expression sum() {
    if (++depth_ > kDeepest) return fail();
    Expression result = take("-") ? Expression::integer(-1) * product() : product();
    while (!failed_) {
      if (take("+")) {
        result = result + product();
      } else if (take("-")) {
        result = result + Expression::integer(-1) * product();
      } else {
        break;
      }
    }
    --depth_;
    return result;
  }

  Expression product() {
    Expression result = power();
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

  Expression power() {
    Expression base = primary();
    return take("**") ? raised(base, primary()) : base;
  }

  static Expression raised(const Expression& base, const Expression& exponent) {
    const ir::Dim n = exponent.dim();
    if (!n.is_fixed() || n.size() > kHighestPower) return {};
    Expression result = Expression::integer(1);
    for (std::int64_t i = 0; i < n.size(); ++i) result = result * base;
    return result;
  }

  Expression primary() {
    skip();
    if (take("(")) {
      Expression inner = sum();
      return take(")") ? inner : fail();
    }
    if (at_ >= text_.size()) return fail();
    const auto c = static_cast<unsigned char>(text_[at_]);
    if (std::isdigit(c)) return number();
    if (std::isalpha(c) || c == '_') return word();
    return fail();
  }

  Expression number() {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc()) return fail();
    at_ = static_cast<std::size_t>(end - text_.data());
    return Expression::integer(value);
  }

  std::string name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_' || text_[at_] == '.'))
      ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  Expression symbol(const std::string& name) const {
    const auto given = names_.find(name);
    return Expression::atom(given == names_.end() ? name : given->second);
  }

  Expression word() {
    std::string word = name();
    if (const std::size_t dot = word.rfind('.'); dot != std::string::npos) word = word.substr(dot + 1);
    if (!take("(")) return symbol(word);
    if (word == "Symbol") return quoted_symbol();
    if (word == "Integer") {
      Expression value = sum();
      return take(")") ? value : fail();
    }
    std::vector<Expression> arguments;
    while (!failed_ && !take(")")) {
      arguments.push_back(sum());
      take(",");
      if (at_ >= text_.size()) return fail();
    }
    return function(word, arguments);
  }

  // Symbol('s0', positive=True, integer=True)
  Expression quoted_symbol() {
    skip();
    if (!take("'")) return fail();
    const std::size_t end = text_.find('\'', at_);
    const std::size_t close = end == std::string_view::npos ? end : text_.find(')', end);
    if (close == std::string_view::npos) return fail();
    const std::string name(text_.substr(at_, end - at_));
    at_ = close + 1;
    return symbol(name);
  }

  Expression function(const std::string& name, const std::vector<Expression>& arguments) {
    if (failed_) return {};
    if (name == "One") return Expression::integer(1);
    if (name == "Add" || name == "Mul") {
      Expression result = Expression::integer(name == "Add" ? 0 : 1);
      for (const Expression& argument : arguments) result = name == "Add" ? result + argument : result * argument;
      return result;
    }
    if ((name == "Pow" || name == "PowByNatural") && arguments.size() == 2) return raised(arguments[0], arguments[1]);
    if (name == "Identity" && arguments.size() == 1) return arguments[0];
    const auto text = function_text(name, arguments);
    return text ? Expression::atom(*text) : Expression();
  }

  std::string_view text_;
  const std::map<std::string, std::string>& names_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool failed_ = false;
};

}  // namespace

Expression parse_expression(std::string_view text, const std::map<std::string, std::string>& names) {
  return Parser(text, names).run();
}

}  // namespace tonnx::exported
