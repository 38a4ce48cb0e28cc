#include "program/facts/sample_sizes.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>

#include "ir/refusal.h"
#include "ir/text.h"
#include "program/facts/refused_sizes.h"

namespace tonnx::program {

namespace {

constexpr std::size_t kSizes = 3;          // sizes in use per symbol, besides the example's
constexpr std::size_t kMixedSamples = 2;   // samples in which all symbols change
constexpr std::int64_t kLeast = 2;         // least size in use: an axis of size 1 may be broadcast instead of failing
constexpr std::int64_t kSmallBorders = 3;  // if 1 fails, each size up to this one is tried
constexpr std::int64_t kParts = 8;         // fractions of the least size that runs, tried if no small one does
constexpr std::size_t kMostPaired = 4;     // symbols of which each pair is tried at size 1

// Two sizes far from the example show the growth; one is odd, so that remainders differ. A small size shows clamping.
std::vector<std::int64_t> alternates(std::int64_t s) {
  std::vector<std::int64_t> result;
  for (const std::int64_t v : {2 * s, 2 * s + 73, s > 4 ? 3 : s + 3, 2 * s + 64, s + 32, 3 * s, 4 * s, s + 1, s - 1,
                               s / 2, s + 2, s - 2, s + 8, s - 8, s + 16, s / 4, 8 * s})
    if (v >= 2 && v != s && std::find(result.begin(), result.end(), v) == result.end()) result.push_back(v);
  return result;
}

}  // namespace

void SampleSizes::Alternates::refill() {
  while (active.size() < kSizes && !left.empty()) {
    active.push_back(left.front());
    left.erase(left.begin());
  }
}

void SampleSizes::Alternates::drop(std::int64_t v) {
  std::erase(active, v);
  failed.push_back(v);
  refill();
}

SampleSizes::SampleSizes(const std::vector<FreeSymbol>& symbols, const std::vector<InputAxis>& axes,
                         std::size_t choices, const SampleHints* earlier, const std::vector<SizeRelation>& related)
    : axes_(axes) {
  for (const FreeSymbol& symbol : symbols) {
    layout_.names.push_back(symbol.name);
    example_.push_back(symbol.size);
  }
  for (std::size_t k = 0; k < symbols.size(); ++k) {
    if (symbols[k].others.empty()) continue;
    SymbolTable::Group& group = layout_.groups.emplace_back(1, k);
    for (const std::string& other : symbols[k].others) {
      group.push_back(layout_.names.size());
      layout_.names.push_back(other);
    }
  }
  for (const SizeRelation& relation : related) layout_.names.push_back(relation.symbol);
  layout_.related = related;
  if (earlier) refused_apart_ = earlier->refused_apart;
  for (std::size_t k = 0; k < symbols.size(); ++k) {
    Alternates& own = symbols_.emplace_back();
    own.size = symbols[k].size;
    if (earlier && earlier->failed.contains(symbols[k].name)) own.failed = earlier->failed.at(symbols[k].name);
    std::vector<std::int64_t> sizes = example_;
    for (const std::int64_t size : alternates(own.size)) {
      sizes[k] = size;
      const bool has_failed = std::ranges::find(own.failed, size) != own.failed.end();
      if (own.left.size() < choices && !has_failed && is_possible(sizes, kLeast)) own.left.push_back(size);
    }
    own.refill();
    if (own.active.empty()) raise_fixed(k);
    if (earlier && earlier->borders.contains(symbols[k].name)) {
      const Borders& known = earlier->borders.at(symbols[k].name);
      own.borders.refused = known.refused;
      own.borders.added = known.added;
      for (const std::int64_t size : known.run) add_border(k, size);
    } else {
      add_border(k, 1);
    }
  }
}

bool SampleSizes::add_border(std::size_t symbol, std::int64_t size) {
  Alternates& own = symbols_[symbol];
  std::vector<std::int64_t> sizes = example_;
  sizes[symbol] = size;
  const std::array tried = {&own.active, &own.borders.run, &own.borders.refused, &own.failed};
  const auto has = [size](const auto* known) { return std::ranges::find(*known, size) != known->end(); };
  const bool is_new = size != own.size && std::ranges::none_of(tried, has);
  if (!is_new || !is_possible(sizes, 1)) return false;
  own.borders.run.push_back(size);
  return true;
}

bool SampleSizes::add(const std::vector<std::vector<std::int64_t>>& further, std::size_t most) {
  bool any = false;
  for (std::size_t symbol = 0; symbol < symbols_.size(); ++symbol)
    for (const std::int64_t size : further[symbol]) {
      if (symbols_[symbol].borders.added >= most) break;
      if (!add_border(symbol, size)) continue;
      ++symbols_[symbol].borders.added;
      any = true;
    }
  return any;
}

// True if every axis has at least min(least, its example size) at these sizes of the free symbols.
bool SampleSizes::is_possible(const std::vector<std::int64_t>& sizes, std::int64_t least) const {
  return std::all_of(axes_.begin(), axes_.end(), [&](const InputAxis& axis) {
    const auto size = axis.size().value(layout_.names, layout_.completed(sizes));
    const auto example = axis.size().value(layout_.names, layout_.completed(example_));
    return size && example && *size >= std::min(least, *example);
  });
}

SymbolTable SampleSizes::table() {
  SymbolTable table = layout_;
  table.sizes.push_back(example_);
  origin_ = {-1};
  for (std::size_t k = 0; k < symbols_.size(); ++k) {
    for (const auto* sizes : {&symbols_[k].active, &symbols_[k].borders.run})
      for (const std::int64_t size : *sizes) {
        table.sizes.push_back(example_);
        table.sizes.back()[k] = size;
        origin_.push_back(static_cast<int>(k));
      }
  }
  if (symbols_.size() > 1) add_mixed(table);
  for (std::vector<std::int64_t>& sizes : table.sizes) sizes = layout_.completed(std::move(sizes));
  add_breaking(table);
  return table;
}

// Adds samples in which all symbols change.
void SampleSizes::add_mixed(SymbolTable& table) {
  std::size_t mixed = 0;
  for (std::size_t shift = 0; shift < 4 * kSizes && mixed < kMixedSamples; ++shift) {
    std::vector<std::int64_t> sizes;
    for (std::size_t k = 0; k < symbols_.size(); ++k) {
      const auto& active = symbols_[k].active;
      // From the second sample on the offsets differ, so that symbols with equal examples do not stay equal.
      const std::size_t offset = shift % 2 == 1 ? k : k + k / kSizes;
      sizes.push_back(active[(shift + (shift > 0 ? offset : 0)) % active.size()]);
    }
    if (refused_.contains(sizes) || !is_possible(sizes, kLeast) ||
        std::find(table.sizes.begin(), table.sizes.end(), sizes) != table.sizes.end())
      continue;
    table.sizes.push_back(std::move(sizes));
    origin_.push_back(-1);
    ++mixed;
  }
  add_smallest(table);
}

// Adds a sample with all symbols at 1, or, if it fails, one per pair: a product of two sizes may be below a bound only
// if both are small.
void SampleSizes::add_smallest(SymbolTable& table) {
  const auto add = [&](std::vector<std::int64_t> sizes) {
    if (refused_.contains(sizes)) return false;
    if (!is_possible(sizes, 1) || std::ranges::find(table.sizes, sizes) != table.sizes.end()) return true;
    table.sizes.push_back(std::move(sizes));
    origin_.push_back(-1);
    return true;
  };
  const std::size_t count = example_.size();
  if (add(std::vector<std::int64_t>(count, 1)) || count > kMostPaired) return;
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = a + 1; b < count; ++b) {
      std::vector<std::int64_t> sizes = example_;
      sizes[a] = sizes[b] = 1;
      add(std::move(sizes));
    }
}

void SampleSizes::add_breaking(SymbolTable& table) {
  if (table.groups.empty() && table.related.empty()) return;
  std::vector<std::vector<std::int64_t>> far(kSizes);
  for (const Alternates& symbol : symbols_) {
    std::vector<std::int64_t> sizes = symbol.active;
    std::ranges::sort(sizes, std::greater());
    for (std::size_t k = 0; k < kSizes; ++k) far[k].push_back(sizes[std::min(k, sizes.size() - 1)]);
  }
  for (std::vector<std::int64_t>& sizes : breaking_sizes(table, axes_, far, refused_apart_)) {
    table.sizes.push_back(std::move(sizes));
    origin_.push_back(-1);
  }
}

// Adds the sizes to the refusal of the place, one per place.
void SampleSizes::note_refusal(const SampleFailure& failure, ChangedSizes sizes) {
  SizeRefusal refusal = refusal_at(*failure.node, failure.message);
  auto found = std::ranges::find(refusals_, refusal.key, &SizeRefusal::key);
  if (found == refusals_.end()) found = refusals_.insert(found, std::move(refusal));
  if (std::ranges::find(found->sizes, sizes) == found->sizes.end()) found->sizes.push_back(std::move(sizes));
}

std::optional<SizeRefusal> SampleSizes::refusal_inside(const SymbolTable& table, const SampleFailure& failure) const {
  SizeRefusal refusal = refusal_at(*failure.node, failure.message);
  refusal.is_inside = true;
  refusal.of_last_walk = !failure.node->is("prim::RaiseException");  // a pass removes these
  for (const std::size_t sample : failure.samples)
    if (table.broken(table.sizes[sample]).empty()) refusal.sizes.push_back(changed_sizes(table, table.sizes[sample]));
  return refusal.sizes.empty() ? std::nullopt : std::optional(std::move(refusal));
}

void SampleSizes::leave(SampleHints& hints) const {
  for (const SizeRefusal& refusal : refusals_) hints.add(refusal);
  for (std::size_t k = 0; k < symbols_.size(); ++k)
    if (!symbols_[k].failed.empty()) hints.failed[layout_.names[k]] = symbols_[k].failed;
  hints.borders.clear();
  for (std::size_t k = 0; k < symbols_.size(); ++k) hints.borders.emplace(layout_.names[k], symbols_[k].borders);
  hints.refused_apart = refused_apart_;
}

std::int64_t SampleSizes::reach(const std::string& symbol) const {
  const std::size_t k = layout_.position(symbol);
  if (k >= symbols_.size()) return 0;
  std::int64_t reach = 0;
  for (const std::int64_t size : symbols_[k].active) reach = std::max(reach, std::abs(size - symbols_[k].size));
  return reach;
}

bool SampleSizes::runs_only_at(const std::string& symbol, const std::vector<std::int64_t>& sizes) const {
  const Alternates& own = symbols_[layout_.position(symbol)];
  const auto is_known = [&](std::int64_t size) { return std::ranges::find(sizes, size) != sizes.end(); };
  return !own.failed.empty() && std::ranges::all_of(own.active, is_known);
}

void SampleSizes::fail(const SymbolTable& table, const SampleFailure& failure) {
  for (const std::size_t sample : failure.samples) {
    const std::vector<std::int64_t>& sizes = table.sizes[sample];
    if (!table.broken(sizes).empty()) {
      refused_apart_.insert(changed_sizes(table, sizes));
      continue;
    }
    note_refusal(failure, changed_sizes(table, sizes));
    if (origin_[sample] < 0) {
      refused_.emplace(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(symbols_.size()));
      continue;
    }
    const auto k = static_cast<std::size_t>(origin_[sample]);
    if (replace_border(k, table.sizes[sample][k])) continue;
    symbols_[k].node = failure.node;
    symbols_[k].message = failure.message;
    symbols_[k].drop(table.sizes[sample][k]);
    if (symbols_[k].active.empty()) raise_fixed(k);
  }
}

// Returns false if the size is not a border. If the program fails at a small border, larger ones are tried: only sizes
// below a bound (`x[:3]`) show the bound.
bool SampleSizes::replace_border(std::size_t symbol, std::int64_t size) {
  Alternates& own = symbols_[symbol];
  if (std::erase(own.borders.run, size) == 0) return false;
  own.borders.refused.push_back(size);
  const std::int64_t least = std::min(own.size, *std::ranges::min_element(own.active));
  const auto add = [&](std::int64_t next) {
    if (next > size && next < least) add_border(symbol, next);
  };
  if (size == 1)
    for (std::int64_t next = 2; next <= kSmallBorders; ++next) add(next);
  const bool has_small =
      std::ranges::any_of(own.borders.run, [](std::int64_t border) { return border <= kSmallBorders; });
  if (size > kSmallBorders || has_small) return true;
  for (std::int64_t part = 1; part < kParts; ++part) add(part * least / kParts);
  return true;
}

void SampleSizes::raise_fixed(std::size_t k) const {
  const Alternates& s = symbols_[k];
  const std::string text = "dynamic axis " + layout_.names[k] +
                           " is fixed by the program: it runs at the example's size " + std::to_string(s.size) +
                           ", but at ";
  if (!s.node) throw FixedSymbol{layout_.names[k], ir::Error(ir::Code::Argument, text + "no other")};
  const std::string tried = ir::comma_list(s.failed, [](std::int64_t size) { return std::to_string(size); });
  const std::string why = ir::first_line(s.message);
  throw FixedSymbol{layout_.names[k],
                    refusal(*s.node, text + "none of " + tried + " (" + why + ")", ir::Code::Argument)};
}

}  // namespace tonnx::program
