#include "program/facts/distinct_sizes.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "program/control/subsets.h"

namespace tonnx::program {

using Group = SymbolTable::Group;
using Sizes = std::vector<std::int64_t>;

namespace {

constexpr std::size_t kMostTied = 6;  // tied symbols of which every subset is tried

Subset opposite(Subset choice) {
  choice.flip();
  return choice;
}

class BreakingSizes {
 public:
  BreakingSizes(const SymbolTable& table, const std::vector<InputAxis>& axes, const std::set<ChangedSizes>& refused)
      : table_(table), axes_(axes), refused_(refused) {}

  std::vector<Sizes> run(const std::vector<Sizes>& far) {
    bases_ = {table_.sizes.front()};
    for (const Sizes& free : far) bases_.push_back(table_.completed(free));
    for (const Group& group : table_.groups)
      for (const Subset& choice : choices(group)) {
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
  // The subsets of the group to set to 1. Symbols are tied if the program fails with one of them alone at 1 and with
  // all others at 1: they may have to be 1 together.
  std::vector<Subset> choices(const Group& group) const {
    std::vector<Subset> found = choices_of_some(group.size());
    std::vector<std::size_t> tied;
    for (std::size_t i = 0; i < group.size(); ++i) {
      Subset alone(group.size(), false);
      alone[i] = true;
      if (is_refused(group, alone) && is_refused(group, opposite(alone))) tied.push_back(i);
    }
    if (tied.size() < 2 || tied.size() > kMostTied) return found;
    for (const Subset& of_tied : every_choice(tied.size())) {
      Subset choice(group.size(), false);
      for (std::size_t i = 0; i < tied.size(); ++i) choice[tied[i]] = of_tied[i];
      found.push_back(choice);
      found.push_back(opposite(choice));
    }
    return found;
  }

  bool is_refused(const Group& group, const Subset& choice) const {
    return refused_.contains(changed_sizes(table_, chosen(table_.sizes.front(), group, choice)));
  }

  // Sets the chosen symbols of the group to 1 and updates the related symbols.
  Sizes chosen(Sizes sizes, const Group& group, const Subset& choice) const {
    for (std::size_t i = 0; i < group.size(); ++i)
      if (choice[i]) sizes[group[i]] = 1;
    table_.follow(sizes);
    return sizes;
  }

  // Sets the symbol to 1, and some or all symbols that it follows from.
  void break_relation(const SizeRelation& relation) {
    const std::size_t own = table_.position(relation.symbol);
    const auto own_at = [&](std::int64_t size) {
      add([&](Sizes base) {
        base[own] = size;
        return base;
      });
    };
    own_at(1);
    // The constant part of the size plus 1: then a part of the axis, x[1:], has size 1.
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
    // The second size is not a multiple of the relation's factor.
    for (const std::int64_t more : {0, 1}) at_one(symbols, more);
  }

  Sizes with_one(Sizes sizes, std::size_t input) const {
    for (const InputAxis& axis : axes_) {
      const std::size_t symbol = axis.input == input ? table_.position(axis.symbol) : table_.names.size();
      if (symbol < table_.names.size() && !axis.follows) sizes[symbol] = 1;
    }
    return sizes;
  }

  // At the example sizes, and at the first other base that is not refused.
  void add(const std::function<Sizes(const Sizes& base)>& sizes) {
    add_at(sizes(bases_.front()));
    for (std::size_t k = 1; k < bases_.size(); ++k)
      if (add_at(sizes(bases_[k]))) return;
  }

  bool add_at(Sizes sizes) {
    const bool is_possible = std::ranges::all_of(sizes, [](std::int64_t size) { return size >= 1; });
    if (!is_possible || sizes == table_.sizes.front() || table_.broken(sizes).empty()) return false;
    if (refused_.contains(changed_sizes(table_, sizes))) return false;
    if (std::ranges::find(found_, sizes) == found_.end()) found_.push_back(std::move(sizes));
    return true;
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

std::vector<Sizes> breaking_sizes(const SymbolTable& table, const std::vector<InputAxis>& axes,
                                  const std::vector<Sizes>& far, const std::set<ChangedSizes>& refused) {
  return BreakingSizes(table, axes, refused).run(far);
}

}  // namespace tonnx::program
