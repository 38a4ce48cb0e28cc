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

struct Comparison {
  std::string_view sign;
  Polynomial left = 0;
  Polynomial right = 0;
  std::optional<std::int64_t> written = {};  // the number that stands on one side
};

struct Guard {
  std::string text;
  std::vector<Comparison> any;  // one of them holds; none: not understood
  std::set<std::string> inputs = {};
};

// Reads one guard: places of inputs become names that an expression may have.
class GuardReader {
 public:
  GuardReader(std::string_view text, const InputSize& size_of) : text_(text), size_of_(size_of) {}

  Guard read() {
    std::string plain;
    Guard guard;
    while (at_ < text_.size()) {
      const bool place = text_.substr(at_).starts_with("L['") && (at_ == 0 || !std::isalnum(static_cast<unsigned char>(text_[at_ - 1])));
      if (!place) {
        guard.text += text_[at_];
        plain += text_[at_++];
        continue;
      }
      const std::string name = "input" + std::to_string(sizes_.size());
      sizes_.insert_or_assign(name, input(guard.text));
      plain += name;
    }
    for (std::size_t begin = 0; begin <= plain.size();) {
      const std::size_t end = std::min(plain.find(" or ", begin), plain.size());
      const auto one = comparison(std::string_view(plain).substr(begin, end - begin));
      if (!one) {
        guard.any.clear();
        break;
      }
      guard.any.push_back(*one);
      begin = end + 4;
    }
    guard.inputs = std::move(inputs_);
    return guard;
  }

 private:
  // L['x']['y'][0].z.size()[1], which the program calls x_y_0_z; its text is appended without the L.
  Polynomial input(std::string& text) {
    std::string name;
    const auto size_of = [&](std::optional<std::size_t> axis) {
      inputs_.insert(name);
      return size_of_(name, axis);
    };
    const auto part = [&](std::string_view word) { name += (name.empty() ? "" : "_") + std::string(word); };
    for (at_ += 1;;) {
      const std::string_view rest = text_.substr(at_);
      const std::size_t begin = at_;
      if (rest.starts_with(".size()[")) {
        const std::size_t end = text_.find(']', at_);
        std::size_t axis = 0;
        if (end == std::string_view::npos ||
            std::from_chars(text_.data() + at_ + 8, text_.data() + end, axis).ptr != text_.data() + end)
          return Polynomial::invalid();
        at_ = end + 1;
        text += text_.substr(begin, at_ - begin);
        return size_of(axis);
      }
      if (rest.starts_with("['")) {
        const std::size_t end = text_.find("']", at_);
        if (end == std::string_view::npos) return at_ = text_.size(), Polynomial::invalid();
        const std::string_view word = text_.substr(at_ + 2, end - at_ - 2);
        text += name.empty() ? std::string(word) : "['" + std::string(word) + "']";
        part(word);
        at_ = end + 2;
      } else if (rest.starts_with("[")) {
        const std::size_t end = std::min(text_.find(']', at_), text_.size() - 1);
        part(text_.substr(at_ + 1, end - at_ - 1));
        text += text_.substr(begin, end + 1 - begin);
        at_ = end + 1;
      } else if (rest.starts_with(".")) {
        std::size_t end = at_ + 1;
        while (end < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[end])) || text_[end] == '_')) ++end;
        part(text_.substr(at_ + 1, end - at_ - 1));
        text += text_.substr(begin, end - begin);
        at_ = end;
      } else {
        return size_of(std::nullopt);
      }
    }
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
    const Polynomial side = parse_expression(text);
    if (!side.is_valid()) return side;
    for (const std::string& symbol : side.symbols())
      if (const auto known = sizes_.find(symbol); known == sizes_.end() || !known->second.is_valid()) return Polynomial::invalid();
    return side.with(sizes_);
  }

  std::string_view text_;
  const InputSize& size_of_;
  std::size_t at_ = 0;
  std::map<std::string, Polynomial> sizes_;
  std::set<std::string> inputs_;
};

// PyTorch keeps sizes of 0 and 1 out, and those at which two strides of one tensor would be the same. All else may be a branch of
// the program, which takes the other one at the sizes that are kept out.
bool is_own_choice(const Guard& guard, const Comparison& comparison) {
  if (comparison.sign != "!=" || guard.text.find('%') != std::string::npos) return false;
  const bool is_told = comparison.left.constant() && comparison.right.constant();
  const auto number = is_told                      ? comparison.written
                      : comparison.left.constant() ? comparison.left.constant()
                                                   : comparison.right.constant();
  return number ? *number == 0 || *number == 1 : guard.inputs.size() == 1;
}

bool holds(const Comparison& comparison, const std::vector<std::string>& names, const std::vector<std::int64_t>& sizes) {
  const auto left = comparison.left.value(names, sizes), right = comparison.right.value(names, sizes);
  if (!left || !right) return false;
  if (comparison.sign == "==") return *left == *right;
  if (comparison.sign == "!=") return *left != *right;
  if (comparison.sign == ">=") return *left >= *right;
  if (comparison.sign == "<=") return *left <= *right;
  return comparison.sign == ">" ? *left > *right : *left < *right;
}

// Sizes of each symbol within its range, the small ones more often.
std::vector<std::vector<std::int64_t>> samples_of(const std::vector<std::string>& names, const std::map<std::string, ir::SizeRange>& ranges) {
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

// "A and B" as its parts, anything else as it is.
std::vector<std::string_view> parts_of(std::string_view guard) {
  constexpr std::string_view kAnd = " and ";
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= guard.size();) {
    const std::size_t end = std::min(guard.find(kAnd, begin), guard.size());
    parts.push_back(guard.substr(begin, end - begin));
    begin = end + kAnd.size();
  }
  const auto is_whole = [](std::string_view part) { return std::ranges::count(part, '(') == std::ranges::count(part, ')'); };
  if (guard.find(" or ") != std::string_view::npos || !std::ranges::all_of(parts, is_whole)) return {guard};
  return parts;
}

std::vector<Guard> read_guards(const Json& guards, const InputSize& size_of) {
  std::vector<Guard> read;
  for (const Json& text : guards)
    for (const std::string_view part : parts_of(text.string())) read.push_back(GuardReader(part, size_of).read());
  return read;
}

}  // namespace

std::optional<std::string> broken_guard(const Json& guards, const InputSize& size_of) {
  const auto is_told = [](const Comparison& one) { return one.left.constant() && one.right.constant(); };
  for (const Guard& guard : read_guards(guards, size_of)) {
    if (guard.any.empty() || !std::ranges::all_of(guard.any, is_told)) continue;
    const auto holds_or_is_own = [&](const Comparison& one) { return holds(one, {}, {}) || is_own_choice(guard, one); };
    if (std::ranges::none_of(guard.any, holds_or_is_own)) return guard.text;
  }
  return std::nullopt;
}

std::vector<std::string> open_guards(const Json& guards, const InputSize& size_of, const std::map<std::string, ir::SizeRange>& ranges) {
  std::vector<Guard> read;
  std::set<std::string> symbols;
  for (Guard& guard : read_guards(guards, size_of)) {
    const auto is_same = [](const Comparison& one) { return one.sign == "==" && one.left == one.right; };
    if (std::ranges::any_of(guard.any, is_same)) continue;
    const auto is_own = [&](const Comparison& one) { return is_own_choice(guard, one); };
    if (!guard.any.empty() && std::ranges::all_of(guard.any, is_own)) continue;
    for (const Comparison& comparison : guard.any)
      for (const Polynomial* side : {&comparison.left, &comparison.right}) symbols.merge(side->symbols());
    read.push_back(std::move(guard));
  }
  const auto is_equality = [](const Guard& guard) { return guard.any.size() == 1 && guard.any[0].sign == "=="; };
  const auto keeps_single_sizes_out = [](const Guard& guard) { return guard.any.size() == 1 && guard.any[0].sign == "!="; };
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
