#include "program/facts.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <iterator>
#include <numeric>
#include <set>

#include "program/fact_inference.h"
#include "program/site.h"

namespace tonnx::program {

using ir::Facts;
using ir::Node;
using ir::Value;

namespace {

constexpr std::size_t kSizes = 3;         // alternate sizes a symbol wants
constexpr std::size_t kMixedSamples = 2;  // samples in which all symbols change
constexpr int kRestarts = 200;
constexpr std::size_t kJoined = 6;  // symbols that are tried together with another one

// The alternate sizes of one symbol: those in use and those left to try. Two sizes far from the example tell what
// follows the symbol, a small one shows what is clamped.
struct Alternates {
  std::int64_t size;
  std::vector<std::int64_t> active;
  std::vector<std::int64_t> left;  // best first
  std::vector<std::int64_t> failed;
  const Node* node = nullptr;  // where the last one failed
  std::string message;

  explicit Alternates(std::int64_t s) : size(s) {
    std::vector<std::int64_t> order = {2 * s,  2 * s + 64, s > 4 ? 3 : s + 3, s + 32, 3 * s, 4 * s,  s + 1, s - 1,
                                       s / 2,  s + 2,      s - 2,             s + 8,  s - 8, s + 16, s / 4, 8 * s};
    for (const std::int64_t v : order)
      if (v >= 2 && v != s && std::find(left.begin(), left.end(), v) == left.end()) left.push_back(v);
    refill();
  }

  void refill() {
    while (active.size() < kSizes && !left.empty()) {
      active.push_back(left.front());
      left.erase(left.begin());
    }
  }
  void drop(std::int64_t v) {
    std::erase(active, v);
    failed.push_back(v);
    refill();
  }
};

// No other size of a symbol runs.
struct FixedSymbol {
  std::string name;
  ir::Error error;
};

class Samples {
 public:
  explicit Samples(const std::vector<DynamicAxis>& dynamic) {
    for (const DynamicAxis& axis : dynamic) {
      if (std::find(names_.begin(), names_.end(), axis.symbol) != names_.end()) continue;
      names_.push_back(axis.symbol);
      symbols_.emplace_back(axis.size);
    }
  }

  SymbolTable table() {
    SymbolTable table;
    table.names = names_;
    std::vector<std::int64_t> base;
    for (const Alternates& s : symbols_) base.push_back(s.size);
    table.sizes.push_back(base);
    origin_ = {-1};
    for (std::size_t k = 0; k < symbols_.size(); ++k) {
      for (const std::int64_t size : symbols_[k].active) {
        table.sizes.push_back(base);
        table.sizes.back()[k] = size;
        origin_.push_back(static_cast<int>(k));
      }
    }
    if (symbols_.size() < 2) return table;
    std::size_t mixed = 0;
    for (std::size_t shift = 0; shift < 4 * kSizes && mixed < kMixedSamples; ++shift) {
      std::vector<std::int64_t> sizes;
      for (std::size_t k = 0; k < symbols_.size(); ++k) {
        const auto& active = symbols_[k].active;
        sizes.push_back(active[(shift + (shift / kSizes) * k) % active.size()]);
      }
      if (refused_.contains(sizes) ||
          std::find(table.sizes.begin(), table.sizes.end(), sizes) != table.sizes.end())
        continue;
      table.sizes.push_back(std::move(sizes));
      origin_.push_back(-1);
      ++mixed;
    }
    return table;
  }

  // Replaces the samples that failed. Throws where a symbol has none left.
  void fail(const SymbolTable& table, const SampleFailure& failure) {
    for (const std::size_t sample : failure.samples) {
      if (origin_[sample] < 0) {
        refused_.insert(table.sizes[sample]);
        continue;
      }
      const auto k = static_cast<std::size_t>(origin_[sample]);
      symbols_[k].node = failure.node;
      symbols_[k].message = failure.message;
      symbols_[k].drop(table.sizes[sample][k]);
      if (symbols_[k].active.empty()) throw fixed(k);
    }
  }

 private:
  FixedSymbol fixed(std::size_t k) const {
    const Alternates& s = symbols_[k];
    std::string tried;
    for (const std::int64_t v : s.failed) tried += (tried.empty() ? "" : ", ") + std::to_string(v);
    const std::string text = "dynamic axis " + names_[k] + " is fixed by the program: it runs at the example's size " +
                             std::to_string(s.size) + ", but at none of " + tried + " (" +
                             s.message.substr(0, s.message.find('\n')) + ")";
    return {names_[k], refusal(*s.node, text, ir::Code::Argument)};
  }

  std::vector<std::string> names_;
  std::vector<Alternates> symbols_;
  std::vector<int> origin_;  // per sample: the one symbol it changes, or -1
  std::set<std::vector<std::int64_t>> refused_;
};

// The symbols whose axes have the size of `symbol`'s in the example, but for `symbol` itself.
std::vector<std::string> symbols_like(const std::vector<DynamicAxis>& axes, const std::string& symbol) {
  std::int64_t size = 0;
  for (const DynamicAxis& axis : axes)
    if (axis.symbol == symbol) size = axis.size;
  std::vector<std::string> names;
  for (const DynamicAxis& axis : axes)
    if (axis.size == size && axis.symbol != symbol && std::find(names.begin(), names.end(), axis.symbol) == names.end())
      names.push_back(axis.symbol);
  return names;
}

// Where a program runs only if axes of several names have one size, these axes get the first one's name: the fewest,
// together with `symbol`, at whose other sizes it runs. False if there are none.
bool join_symbols(std::vector<DynamicAxis>& axes, const std::string& symbol,
                  const std::function<void(const std::vector<DynamicAxis>&)>& walk) {
  const std::vector<std::string> names = symbols_like(axes, symbol);
  if (names.empty() || names.size() > kJoined) return false;
  std::vector<unsigned> choices((std::size_t{1} << names.size()) - 1);
  std::iota(choices.begin(), choices.end(), 1U);
  std::ranges::stable_sort(choices, {}, [](unsigned choice) { return std::popcount(choice); });
  for (const unsigned choice : choices) {
    const auto is_chosen = [&](const DynamicAxis& axis) {
      const auto at = std::find(names.begin(), names.end(), axis.symbol) - names.begin();
      return axis.symbol == symbol || (static_cast<std::size_t>(at) < names.size() && (choice >> at & 1U));
    };
    const std::string first = std::ranges::find_if(axes, is_chosen)->symbol;
    std::vector<DynamicAxis> joined;
    std::ranges::copy_if(axes, std::back_inserter(joined), is_chosen);
    for (DynamicAxis& axis : joined) axis.symbol = first;
    try {
      walk(joined);
    } catch (const FixedSymbol&) {
      continue;
    }
    for (DynamicAxis& axis : axes)
      if (is_chosen(axis)) axis.symbol = first;
    return true;
  }
  return false;
}

}  // namespace

void resolve_sizes(const ir::Graph& graph, std::vector<DynamicAxis>& dynamic) {
  for (DynamicAxis& axis : dynamic) {
    if (axis.input >= graph.inputs().size())
      throw ir::Error(ir::Code::Argument, "dynamic axis " + axis.symbol + " names an input that does not exist");
    const Value* input = graph.inputs()[axis.input];
    const auto& dims = input->facts().dims;
    if (!dims || axis.axis >= dims->size())
      throw ir::Error(ir::Code::Argument, "dynamic axis " + axis.symbol + ": input " + input->name() +
                                              " has no axis " + std::to_string(axis.axis));
    if (axis.size == 0) axis.size = (*dims)[axis.axis].size();
    if (axis.size < 0)
      throw ir::Error(ir::Code::Internal, "dynamic axis " + axis.symbol + " has no example size");
    for (const DynamicAxis& other : dynamic)
      if (other.symbol == axis.symbol && other.size > 0 && other.size != axis.size)
        throw ir::Error(ir::Code::Argument, "dynamic axis " + axis.symbol + " has two sizes in the example inputs: " +
                                                std::to_string(other.size) + " and " + std::to_string(axis.size));
  }
}

void infer_facts(ir::Graph& graph, ir::Evaluator& evaluator, const std::vector<DynamicAxis>& dynamic,
                 std::span<const ir::Constant> examples) {
  std::vector<DynamicAxis> axes = dynamic;
  resolve_sizes(graph, axes);
  std::unordered_map<const Value*, Facts> imported;
  for (const Value* value : graph.inputs()) imported[value] = value->facts();
  for (const Value* value : graph.weights()) imported[value] = value->facts();
  for_each_node(graph.block(), [&](Node* node) {
    for (const Value* value : node->outputs()) imported[value] = value->facts();
    for (const ir::Block* block : node->blocks())
      for (const Value* value : block->inputs()) imported[value] = value->facts();
  });
  // Symbols from an earlier walk give way to the example's sizes.
  for (const DynamicAxis& axis : axes) (*imported[graph.inputs()[axis.input]].dims)[axis.axis] = axis.size;
  const auto walk = [&](const std::vector<DynamicAxis>& open) {
    Samples samples(open);
    std::size_t data_samples = 0;
    for (int i = 0; i < kRestarts; ++i) {
      const SymbolTable table = samples.table();
      try {
        FactInference(graph, evaluator, table, data_samples, open, examples, imported).run();
        return;
      } catch (const NeedsDataSamples&) {
        data_samples = 2;
      } catch (const SampleFailure& failure) {
        samples.fail(table, failure);
      }
    }
    throw ir::Error(ir::Code::Argument, "no other sizes of the dynamic axes were found at which the program runs");
  };
  for (;;) {
    try {
      return walk(axes);
    } catch (const FixedSymbol& fixed) {
      if (!join_symbols(axes, fixed.name, walk)) throw fixed.error;
    }
  }
}

}  // namespace tonnx::program
