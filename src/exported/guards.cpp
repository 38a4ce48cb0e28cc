#include "exported/guards.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <random>
#include <set>

#include "exported/expression.h"

namespace tonnx::exported {
namespace {

using ir::Polynomial;

constexpr std::string_view kComparisons[] = {"==", "!=", ">=", "<=", ">", "<"};
constexpr std::size_t kSamples = 500;
constexpr std::string_view kCounted = "flat_args";  // name of the list of inputs in exports with strict=True

struct Comparison {
  std::string_view sign;
  Polynomial left = 0;
  Polynomial right = 0;
  std::optional<std::int64_t> written = {};  // the number on one side, if it is written out
};

struct Guard {
  std::string text;
  std::vector<Comparison> any;  // one of them must hold; empty: not supported
  std::set<std::string> inputs = {};
};

// Splits "A and B" into its parts; returns other text unchanged.
std::vector<std::string_view> parts_of(std::string_view guard) {
  constexpr std::string_view kAnd = " and ";
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= guard.size();) {
    const std::size_t end = std::min(guard.find(kAnd, begin), guard.size());
    parts.push_back(guard.substr(begin, end - begin));
    begin = end + kAnd.size();
  }
  const auto is_whole = [](std::string_view part) {
    return std::ranges::count(part, '(') == std::ranges::count(part, ')');
  };
  if (guard.find(" or ") != std::string_view::npos || !std::ranges::all_of(parts, is_whole)) return {guard};
  return parts;
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Parses one guard; references to inputs become names that an expression may have.
class GuardReader {
 public:
  GuardReader(std::string_view text, const GuardInputs& inputs) : text_(text), inputs_(inputs) {}

  // One for each of the conditions that must all hold.
  std::vector<Guard> read() {
    std::string plain;
    while (at_ < text_.size()) {
      const bool place = text_.substr(at_).starts_with("L['") && (at_ == 0 || !is_word(text_[at_ - 1]));
      if (!place) {
        plain += text_[at_++];
        continue;
      }
      const std::string name = kPlace + std::to_string(places_.size());
      Place read = place_here();
      sizes_.emplace(name, read.size);
      places_.push_back(std::move(read));
      plain += name;
    }
    std::vector<Guard> guards;
    for (const std::string_view part : parts_of(plain)) guards.push_back(guard(part));
    return guards;
  }

 private:
  struct Place {
    std::string text;
    std::string input;
    Polynomial size = Polynomial::invalid();
  };

  static constexpr const char* kPlace = "input";

  Guard guard(std::string_view plain) const {
    Guard guard;
    for (std::size_t at = 0; at < plain.size();) {
      const bool place = plain.substr(at).starts_with(kPlace) && (at == 0 || !is_word(plain[at - 1]));
      std::size_t number = 0;
      const char* const digits = plain.data() + at + std::string_view(kPlace).size();
      const auto [after, error] =
          place ? std::from_chars(digits, plain.data() + plain.size(), number) : std::from_chars_result{digits, {}};
      const char* const end = error == std::errc() ? after : digits;
      if (end == digits || number >= places_.size()) {
        guard.text += plain[at++];
        continue;
      }
      guard.text += places_[number].text;
      if (!places_[number].input.empty()) guard.inputs.insert(places_[number].input);
      at = static_cast<std::size_t>(end - plain.data());
    }
    for (std::size_t begin = 0; begin <= plain.size();) {
      const std::size_t end = std::min(plain.find(" or ", begin), plain.size());
      const auto one = comparison(plain.substr(begin, end - begin));
      if (!one) {
        guard.any.clear();
        break;
      }
      guard.any.push_back(*one);
      begin = end + 4;
    }
    return guard;
  }

  // Parses L['x']['y'][0].z.size()[1], which the program calls x_y_0_z, or L['flat_args'][2].size()[1], of its third
  // input; the text starts after the L.
  Place place_here() {
    Place place;
    std::string name;
    const auto part = [&](std::string_view word) { name += (name.empty() ? "" : "_") + name_of(word); };
    bool is_counted = false;
    const auto size = [&](std::optional<std::size_t> axis) {
      place.input = name;
      return is_counted || !has_numbered_kin(name) ? inputs_.size(name, axis) : Polynomial::invalid();
    };
    for (++at_;;) {
      const std::string_view rest = text_.substr(at_);
      constexpr std::string_view kSize = ".size()[";
      if (rest.starts_with(kSize)) {
        const std::size_t end = text_.find(']', at_);
        std::size_t axis = 0;
        if (end == std::string_view::npos) return place;
        if (const auto [after, error] = std::from_chars(rest.data() + kSize.size(), text_.data() + end, axis);
            error != std::errc() || after != text_.data() + end)
          return place;
        place.text += text_.substr(at_, end + 1 - at_);
        at_ = end + 1;
        place.size = size(axis);
        return place;
      }
      if (rest.starts_with('[')) {
        const std::size_t end = bracket_end();
        if (end == std::string_view::npos) return at_ = text_.size(), place;
        const std::string_view key = text_.substr(at_ + 1, end - at_ - 1);
        const bool is_text = key.starts_with('\'') || key.starts_with('"');
        at_ = end + 1;
        if (name == kCounted && !is_text) {
          std::size_t position = 0;
          const std::errc error = std::from_chars(key.data(), key.data() + key.size(), position).ec;
          if (error == std::errc() && position < inputs_.names.size()) place.text = name = inputs_.names[position];
          is_counted = true;
          continue;
        }
        place.text +=
            name.empty() && is_text ? std::string(key.substr(1, key.size() - 2)) : "[" + std::string(key) + "]";
        part(is_text ? key.substr(1, key.size() - 2) : key);
      } else if (rest.starts_with('.')) {
        std::size_t end = at_ + 1;
        while (end < text_.size() && is_word(text_[end])) ++end;
        part(text_.substr(at_ + 1, end - at_ - 1));
        place.text += text_.substr(at_, end - at_);
        at_ = end;
      } else {
        place.size = size(std::nullopt);
        return place;
      }
    }
  }

  // End of the bracket that opens here; ignores quoted brackets.
  std::size_t bracket_end() const {
    int depth = 0;
    char quote = 0;
    for (std::size_t at = at_; at < text_.size(); ++at) {
      const char c = text_[at];
      if (quote) {
        if (c == '\\') ++at;
        if (c == quote) quote = 0;
      } else if (c == '\'' || c == '"') {
        quote = c;
      } else if (c == '[' || c == '(') {
        ++depth;
      } else if ((c == ']' || c == ')') && --depth == 0) {
        return at;
      }
    }
    return std::string_view::npos;
  }

  // True if the name may belong to two inputs, d['A'] and d['a']. PyTorch then appends a number to the second one.
  bool has_numbered_kin(const std::string& name) const {
    return std::ranges::any_of(inputs_.names, [&](std::string_view other) {
      return other.size() > name.size() + 1 && other.starts_with(name) && other[name.size()] == '_' &&
             std::all_of(other.begin() + static_cast<std::ptrdiff_t>(name.size()) + 1, other.end(),
                         [](unsigned char c) { return std::isdigit(c); });
    });
  }

  // The part of an input's name that PyTorch creates from a key.
  static std::string name_of(std::string_view key) {
    std::string name;
    for (std::size_t at = 0; at < key.size(); ++at) {
      if (key[at] == '\\' && at + 1 < key.size()) ++at;
      name += is_word(key[at]) ? static_cast<char>(std::tolower(static_cast<unsigned char>(key[at]))) : '_';
    }
    return name;
  }

  std::optional<Comparison> comparison(std::string_view text) const {
    for (const std::string_view sign : kComparisons) {
      const std::size_t at = text.find(sign);
      if (at == std::string_view::npos) continue;
      const std::string_view left = text.substr(0, at), right = text.substr(at + sign.size());
      Comparison made{sign, side(left), side(right), parse_expression(left).constant()};
      if (!made.written) made.written = parse_expression(right).constant();
      return made.left.is_valid() && made.right.is_valid() ? std::optional(std::move(made)) : std::nullopt;
    }
    return std::nullopt;
  }

  Polynomial side(std::string_view text) const {
    Polynomial side = parse_expression(text);
    if (!side.is_valid()) return side;
    for (const std::string& symbol : side.symbols())
      if (const auto known = sizes_.find(symbol); known == sizes_.end() || !known->second.is_valid())
        return Polynomial::invalid();
    return side.with(sizes_);
  }

  std::string_view text_;
  const GuardInputs& inputs_;
  std::size_t at_ = 0;
  std::vector<Place> places_;
  std::map<std::string, Polynomial> sizes_;
};

bool is_constant(const Comparison& comparison) { return comparison.left.constant() && comparison.right.constant(); }

// PyTorch excludes sizes 0 and 1, and those at which two strides of a tensor would be equal. Any other excluded size
// may be a branch of the program that differs there.
bool is_own_choice(const Guard& guard, const Comparison& comparison) {
  if (comparison.sign != "!=" || guard.text.find('%') != std::string::npos) return false;
  const auto number = is_constant(comparison)      ? comparison.written
                      : comparison.left.constant() ? comparison.left.constant()
                                                   : comparison.right.constant();
  return number ? *number == 0 || *number == 1 : guard.inputs.size() == 1;
}

bool holds(const Comparison& comparison, const std::vector<std::string>& names,
           const std::vector<std::int64_t>& sizes) {
  const auto left = comparison.left.value(names, sizes), right = comparison.right.value(names, sizes);
  if (!left || !right) return false;
  if (comparison.sign == "==") return *left == *right;
  if (comparison.sign == "!=") return *left != *right;
  if (comparison.sign == ">=") return *left >= *right;
  if (comparison.sign == "<=") return *left <= *right;
  return comparison.sign == ">" ? *left > *right : *left < *right;
}

// Samples of sizes within the range of each symbol; small sizes are more frequent.
std::vector<std::vector<std::int64_t>> samples_of(const std::vector<std::string>& names,
                                                  const std::map<std::string, ir::SizeRange>& ranges) {
  std::mt19937 random(1);
  std::vector<std::vector<std::int64_t>> samples(kSamples);
  for (const std::string& name : names) {
    const auto found = ranges.find(name);
    const ir::SizeRange range = found == ranges.end() ? ir::SizeRange() : found->second;
    const bool ends = range.max < std::numeric_limits<std::int32_t>::max();
    const std::int64_t steps = std::clamp<std::int64_t>(ends ? range.max - range.min : 4096, 0, 4096);
    for (std::size_t i = 0; i < kSamples; ++i) {
      const std::int64_t reach = i % 2 ? steps : std::min<std::int64_t>(steps, 20);
      const auto step = static_cast<std::int64_t>(random()) % (reach + 1);
      samples[i].push_back(ends && i % 16 == 15 ? range.max - step : range.min + step);
    }
  }
  return samples;
}

std::vector<Guard> read_guards(const Json& guards, const GuardInputs& inputs) {
  std::vector<Guard> read;
  for (const Json& text : guards)
    for (Guard& guard : GuardReader(text.string(), inputs).read()) read.push_back(std::move(guard));
  return read;
}

}  // namespace

std::optional<std::string> broken_guard(const Json& guards, const GuardInputs& inputs) {
  for (const Guard& guard : read_guards(guards, inputs)) {
    if (guard.any.empty() || !std::ranges::all_of(guard.any, is_constant)) continue;
    const auto holds_or_is_own = [&](const Comparison& one) { return holds(one, {}, {}) || is_own_choice(guard, one); };
    if (std::ranges::none_of(guard.any, holds_or_is_own)) return guard.text;
  }
  return std::nullopt;
}

std::vector<std::string> open_guards(const Json& guards, const GuardInputs& inputs,
                                     const std::map<std::string, ir::SizeRange>& ranges) {
  std::vector<Guard> read;
  std::set<std::string> symbols;
  for (Guard& guard : read_guards(guards, inputs)) {
    const auto is_same = [](const Comparison& one) { return one.sign == "==" && one.left == one.right; };
    if (std::ranges::any_of(guard.any, is_same)) continue;
    const auto is_own = [&](const Comparison& one) { return is_own_choice(guard, one); };
    if (!guard.any.empty() && std::ranges::all_of(guard.any, is_own)) continue;
    for (const Comparison& comparison : guard.any)
      for (const Polynomial* side : {&comparison.left, &comparison.right}) symbols.merge(side->symbols());
    read.push_back(std::move(guard));
  }
  const auto is_equality = [](const Guard& guard) { return guard.any.size() == 1 && guard.any[0].sign == "=="; };
  const auto keeps_single_sizes_out = [](const Guard& guard) {
    return guard.any.size() == 1 && guard.any[0].sign == "!=";
  };
  std::ranges::stable_partition(read, is_equality);
  std::ranges::stable_partition(read, [&](const Guard& guard) { return !keeps_single_sizes_out(guard); });
  const std::vector<std::string> names(symbols.begin(), symbols.end());
  std::vector<std::vector<std::int64_t>> samples = samples_of(names, ranges);
  std::vector<std::string> open;
  for (const Guard& guard : read) {
    const auto fails = [&](const std::vector<std::int64_t>& sizes) {
      return std::ranges::none_of(guard.any, [&](const Comparison& one) { return holds(one, names, sizes); });
    };
    if (guard.any.empty() || std::erase_if(samples, fails) > 0) open.push_back(guard.text);
  }
  return open;
}

}  // namespace tonnx::exported
