#include "program/apart_sizes.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace tonnx::program {

using Group = SymbolTable::Group;
using Sizes = std::vector<std::int64_t>;

namespace {

constexpr std::size_t kMostChosen = 4;  // of so many things every choice is made
constexpr std::size_t kMostTied = 6;    // symbols that are never 1 alone of which every choice is made

std::vector<bool> opposite(std::vector<bool> choice) {
  choice.flip();
  return choice;
}

std::vector<std::vector<bool>> every_choice_of(std::size_t count) {
  std::vector<std::vector<bool>> choices;
  for (unsigned bits = 1; bits + 1 < 1U << count; ++bits) {
    std::vector<bool>& choice = choices.emplace_back();
    for (std::size_t i = 0; i < count; ++i) choice.push_back(bits >> i & 1U);
  }
  std::ranges::stable_sort(choices, {}, [](const auto& choice) { return std::ranges::count(choice, true); });
  return choices;
}

class ApartSizes {
 public:
  ApartSizes(const SymbolTable& table, const std::vector<InputAxis>& axes, const std::set<ChangedSizes>& refused)
      : table_(table), axes_(axes), refused_(refused) {}

  std::vector<Sizes> run(const std::vector<Sizes>& far) {
    bases_ = {table_.sizes.front()};
    for (const Sizes& free : far) bases_.push_back(table_.completed(free));
    for (const Group& group : table_.groups)
      for (const std::vector<bool>& choice : choices(group)) {
        const auto sizes = [&](const Sizes& base) { return chosen(base, group, choice); };
        if (std::ranges::count(choice, true) == 1) {
          add(sizes);
        } else {
          add_at(sizes(bases_.front()));
        }
      }
    for (const SizeRelation& relation : table_.related) break_relation(relation);
    for (std::size_t k = 0; k < axes_.size(); ++k)
      if (k == 0 || axes_[k].input != axes_[k - 1].input) add_at(with_one(bases_.front(), axes_[k].input));
    return std::move(found_);
  }

 private:
  // Those of the group; of a large one the symbols that never are 1 alone, nor never alone are not, may have to be it together.
  std::vector<std::vector<bool>> choices(const Group& group) const {
    std::vector<std::vector<bool>> found = choices_of(group.size());
    if (group.size() <= kMostChosen) return found;
    std::vector<std::size_t> tied;
    for (std::size_t i = 0; i < group.size(); ++i) {
      std::vector<bool> alone(group.size(), false);
      alone[i] = true;
      if (is_refused(group, alone) && is_refused(group, opposite(alone))) tied.push_back(i);
    }
    if (tied.size() < 2 || tied.size() > kMostTied) return found;
    std::vector<std::vector<bool>> together = every_choice_of(tied.size());
    together.emplace_back(tied.size(), true);
    for (const std::vector<bool>& of_tied : together) {
      std::vector<bool> choice(group.size(), false);
      for (std::size_t i = 0; i < tied.size(); ++i) choice[tied[i]] = of_tied[i];
      found.push_back(choice);
      found.push_back(opposite(choice));
    }
    return found;
  }

  bool is_refused(const Group& group, const std::vector<bool>& choice) const {
    return refused_.contains(changed_sizes(table_, chosen(table_.sizes.front(), group, choice)));
  }

  // The group's chosen symbols at 1; what follows from its first one follows.
  Sizes chosen(Sizes sizes, const Group& group, const std::vector<bool>& choice) const {
    for (std::size_t i = 0; i < group.size(); ++i)
      if (choice[i]) sizes[group[i]] = 1;
    follow(sizes);
    return sizes;
  }

  void follow(Sizes& sizes) const {
    for (const SizeRelation& relation : table_.related)
      sizes[table_.position(relation.symbol)] = relation.size.value(table_.names, sizes).value_or(0);
  }

  // The symbol at 1, and what it follows from, in part or all of it.
  void break_relation(const SizeRelation& relation) {
    const std::size_t own = table_.position(relation.symbol);
    const auto own_at = [&](std::int64_t size) {
      add([&](Sizes base) {
        base[own] = size;
        return base;
      });
    };
    own_at(1);
    // One more than what the size has beside its symbols: a part of the axis, x[1:], is 1 then.
    const std::set<std::string> symbols = relation.size.symbols();
    std::map<std::string, ir::Polynomial> none;
    for (const std::string& symbol : symbols) none.emplace(symbol, 0);
    if (const auto beside = relation.size.with(none).constant()) own_at(*beside + 1);
    const auto at_one = [&](const std::set<std::string>& names, std::int64_t more) {
      add([&](const Sizes& base) {
        Sizes free(base.begin(), base.begin() + static_cast<std::ptrdiff_t>(table_.free_count()));
        for (const std::string& name : names) free[table_.position(name)] = 1;
        Sizes sizes = table_.completed(free);
        sizes[own] = base[own] + more;
        return sizes;
      });
    };
    for (const std::string& symbol : symbols) at_one({symbol}, 0);
    // The second time it is no multiple of a number that the relation may have.
    for (const std::int64_t more : {0, 1}) at_one(symbols, more);
  }

  Sizes with_one(Sizes sizes, std::size_t input) const {
    for (const InputAxis& axis : axes_) {
      const std::size_t symbol = axis.input == input ? table_.position(axis.symbol) : table_.names.size();
      if (symbol < table_.names.size() && !axis.follows) sizes[symbol] = 1;
    }
    return sizes;
  }

  // At the example's sizes, and at the first others at which that is not refused.
  void add(const std::function<Sizes(const Sizes& base)>& sizes) {
    add_at(sizes(bases_.front()));
    for (std::size_t k = 1; k < bases_.size(); ++k)
      if (add_at(sizes(bases_[k]))) return;
  }

  bool add_at(Sizes sizes) {
    const bool is_possible = std::ranges::all_of(sizes, [](std::int64_t size) { return size >= 1; });
    if (!is_possible || sizes == table_.sizes.front() || refused_.contains(changed_sizes(table_, sizes)) || !breaks(sizes)) return false;
    if (std::ranges::find(found_, sizes) == found_.end()) found_.push_back(std::move(sizes));
    return true;
  }

  bool breaks(const Sizes& sizes) const {
    SymbolTable one{table_.names, {sizes}, table_.groups, table_.related};
    return !one.apart(0).empty();
  }

  const SymbolTable& table_;
  const std::vector<InputAxis>& axes_;
  const std::set<ChangedSizes>& refused_;
  std::vector<Sizes> bases_;
  std::vector<Sizes> found_;
};

}  // namespace

ChangedSizes changed_sizes(const SymbolTable& table, const Sizes& sizes) {
  ChangedSizes other;
  for (std::size_t k = 0; k < sizes.size(); ++k)
    if (sizes[k] != table.sizes.front()[k]) other.emplace(table.names[k], sizes[k]);
  return other;
}

std::vector<std::vector<bool>> choices_of(std::size_t count) {
  if (count <= kMostChosen) return every_choice_of(count);
  std::vector<std::vector<bool>> choices;
  for (const bool is_alone : {true, false})
    for (std::size_t i = 0; i < count; ++i) choices.emplace_back(count, !is_alone)[i] = is_alone;
  return choices;
}

std::vector<Sizes> apart_sizes(const SymbolTable& table, const std::vector<InputAxis>& axes, const std::vector<Sizes>& far,
                               const std::set<ChangedSizes>& refused) {
  return ApartSizes(table, axes, refused).run(far);
}

}  // namespace tonnx::program
