#include "program/facts/facts.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

#include "program/control/raising.h"
#include "program/facts/empty_axes.h"
#include "program/facts/interpreter.h"
#include "program/facts/refused_sizes.h"
#include "program/facts/relate_symbols.h"
#include "program/facts/sample_sizes.h"
#include "program/features.h"

namespace tonnx::program {

using ir::Facts;
using ir::Node;
using ir::Value;

namespace {

// A restart replaces one size of a symbol, adds borders or adds data samples. No known program needs as many.
constexpr int kRestarts = 200;
constexpr int kRefinements = 4;                              // rounds in which sizes near thresholds are added
constexpr std::size_t kEffort = 10'000;                      // node evaluations that these sizes may cost
constexpr std::size_t kLeastFurther = 1, kMostFurther = 48;  // least and most such sizes per symbol
constexpr std::size_t kChoices = 16;                         // sizes tried per symbol
constexpr std::size_t kRelatedChoices = 6;                   // the same in a check whether a relation holds

// The sizes of symbols that follow from others, by symbol.
using Relations = std::map<std::string, ir::Polynomial>;

std::vector<InputAxis> with_relations(std::vector<InputAxis> axes, const Relations& relations) {
  for (InputAxis& axis : axes)
    if (const auto related = relations.find(axis.symbol); related != relations.end()) axis.follows = related->second;
  return axes;
}

std::vector<FreeSymbol> free_symbols(const std::vector<InputAxis>& axes, const Relations& relations) {
  std::vector<FreeSymbol> symbols;
  for (const InputAxis& axis : axes)
    if (!relations.contains(axis.symbol) && std::ranges::find(symbols, axis.symbol, &FreeSymbol::name) == symbols.end())
      symbols.push_back({axis.symbol, axis.example, axis.axis});
  return symbols;
}

// Sets `others` of each free symbol: those that have its size. They may be broadcast with it.
std::vector<FreeSymbol> with_alike(std::vector<FreeSymbol> symbols, const Relations& relations) {
  for (FreeSymbol& symbol : symbols)
    for (const auto& [name, size] : relations)
      if (const std::string* same = size.symbol(); same && *same == symbol.name) symbol.others.push_back(name);
  return symbols;
}

// The symbols whose size is neither a symbol nor fixed. They may be broadcast with what they follow from.
std::vector<SizeRelation> related_otherwise(const Relations& relations) {
  std::vector<SizeRelation> related;
  for (const auto& [name, size] : relations)
    if (!size.symbol() && !size.constant()) related.push_back({name, size});
  return related;
}

// Sets is_broadcast of axes that differ in a sample from the size that they follow.
std::vector<InputAxis> with_broadcast(std::vector<InputAxis> axes, const SymbolTable& table) {
  for (InputAxis& axis : axes)
    axis.is_broadcast = axis.follows && !axis.is_fixed() &&
                        std::ranges::any_of(table.sizes, [&](const std::vector<std::int64_t>& sizes) {
                          return axis.follows->value(table.names, sizes) != sizes[table.position(axis.symbol)];
                        });
  return axes;
}

// Evaluates a program at several sizes of its dynamic axes until every axis is free, follows from others, or is fixed.
class Inference {
 public:
  Inference(const ir::Graph& graph, ir::Evaluator& evaluator, std::vector<InputAxis> axes,
            std::span<const ir::Constant> examples, ir::ValueTable<Facts>& imported)
      : graph_(graph), evaluator_(evaluator), axes_(std::move(axes)), examples_(examples), imported_(imported) {
    const auto take = [&](const Value* value) {
      if (!imported_.find(value)) imported_[value] = value->facts();
    };
    std::ranges::for_each(graph.inputs(), take);
    std::ranges::for_each(graph.weights(), take);
    for_each_node(graph.block(), [&](const Node* node) {
      ++nodes_;
      std::ranges::for_each(node->outputs(), take);
      for (const ir::Block* block : node->blocks()) std::ranges::for_each(block->inputs(), take);
    });
    show_examples();
  }

  // Returns the dynamic axes with the relations among their sizes, and the facts.
  std::pair<std::vector<InputAxis>, InferredFacts> run(SampleHints& hints) {
    relations_ = hints.relations;
    for (const auto& [symbol, why] : hints.fixed) fix(symbol);
    for (;;) {
      try {
        const std::vector<FreeSymbol> symbols = with_alike(free_symbols(axes_, relations_), relations_);
        InferredFacts found;
        SampleSizes samples = walk(symbols, with_fixed(axes_), kChoices, &hints, related_otherwise(relations_), &found);
        if (relate_first_broadcast(samples, symbols)) continue;
        if (!has_other_example_) hints.relations = relations_;
        try_empty(symbols, samples.table(), hints, found);
        return {with_broadcast(with_relations(axes_, relations_), samples.table()), std::move(found)};
      } catch (const FixedSymbol& fixed) {
        if (relate_as_broadcast(fixed.name) || relate(fixed.name)) continue;
        if (!hints.allow_fixed) throw fixed.error;
        hints.fixed.emplace(fixed.name, fixed.error.what());
        fix(fixed.name);
      }
    }
  }

 private:
  // Evaluates the program at size 0 of each symbol, all others as in the example; where sizes decide a branch, also as
  // in the smallest and the largest sample. Then at size 0 of several symbols.
  void try_empty(const std::vector<FreeSymbol>& symbols, const SymbolTable& table, SampleHints& hints,
                 InferredFacts& found) {
    for (auto& [set, empty] : hints.empty) empty.refusals.clear();
    std::map<std::string, std::int64_t> example;
    std::set<std::string> names;
    for (const FreeSymbol& symbol : symbols) {
      example.emplace(symbol.name, symbol.size);
      names.insert(symbol.name);
    }
    std::vector<std::vector<std::int64_t>> others{table.sizes.front()};
    if (chooses_branch(found)) {
      const auto [least, most] = std::ranges::minmax(table.sizes, {}, [](const std::vector<std::int64_t>& sizes) {
        return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
      });
      others.insert(others.end(), {least, most});
    }
    for (const FreeSymbol& symbol : symbols) {
      for (const std::vector<std::int64_t>& sizes : others) {
        std::map<std::string, std::int64_t> given;
        for (const std::string& name : names)
          given.emplace(name, name == symbol.name ? 0 : sizes[table.position(name)]);
        try_empty({symbol.name}, given, hints, found);
      }
    }
    for (const std::set<std::string>& set : emptied_together(names, found)) {
      const auto is_known = [&](const auto& known) {
        return (known.second.failed || known.second.differs) && std::ranges::includes(set, known.first);
      };
      if (std::ranges::any_of(hints.empty, is_known)) continue;
      std::map<std::string, std::int64_t> sizes = example;
      for (const std::string& name : set) sizes[name] = 0;
      try_empty(set, sizes, hints, found);
    }
  }

  void try_empty(const std::set<std::string>& set, const std::map<std::string, std::int64_t>& sizes, SampleHints& hints,
                 InferredFacts& found) {
    const std::map<std::string, ir::Polynomial> given(sizes.begin(), sizes.end());
    std::vector<InputAxis> axes = with_relations(axes_, relations_);
    for (InputAxis& axis : axes) axis.follows = axis.size().with(given);
    const auto is_possible = [](const InputAxis& axis) { return axis.follows->constant().value_or(-1) >= 0; };
    if (std::ranges::all_of(axes, is_possible))
      note_empty_axes(graph_, evaluator_, axes, examples_, imported_, found, hints.empty[set]);
  }

  // True if the program has a branch that sizes or data decide.
  bool chooses_branch(const InferredFacts& found) const {
    return ir::any_node(graph_.block(), [&](const Node& node) {
      if (!node.is("prim::If")) return false;
      const Facts* condition = found.values.find(node.input(0));
      return condition && !condition->constant;
    });
  }

  // Gives the symbol the example's size in every run.
  void fix(const std::string& symbol) {
    const std::vector<FreeSymbol> free = free_symbols(axes_, relations_);
    const auto found = std::ranges::find(free, symbol, &FreeSymbol::name);
    if (found == free.end()) return;
    const ir::Polynomial number = found->size;
    for (auto& [name, size] : relations_) size = size.with({{symbol, number}});
    relations_.emplace(symbol, number);
  }

  // The axes, with a fixed size for those of fixed symbols.
  std::vector<InputAxis> with_fixed(std::vector<InputAxis> axes) const {
    for (InputAxis& axis : axes)
      if (const auto related = relations_.find(axis.symbol); related != relations_.end() && related->second.constant())
        axis.follows = related->second;
    return axes;
  }

  // Replaces the symbols of an earlier walk by the example sizes.
  void show_examples() {
    for (const InputAxis& axis : axes_) (*imported_[graph_.inputs()[axis.input]].dims)[axis.axis] = axis.example;
  }

  // Evaluates the program until all samples run, and returns them. Refines them at thresholds if `kept` is not null.
  SampleSizes walk(const std::vector<FreeSymbol>& symbols, const std::vector<InputAxis>& open, std::size_t choices,
                   SampleHints* kept, const std::vector<SizeRelation>& related, InferredFacts* found = nullptr) const {
    SampleSizes samples(symbols, open, choices, kept, related);
    int refinements = kept && !symbols.empty() ? kRefinements : 0;
    const std::size_t effort = std::max<std::size_t>(nodes_ * symbols.size(), 1);
    const std::size_t most = std::clamp(kEffort / effort, kLeastFurther, kMostFurther);
    std::size_t data_samples = kept && kept->needs_data_samples ? kDataSamples : 0;
    for (int i = 0; i < kRestarts; ++i) {
      const SymbolTable table = samples.table();
      try {
        Thresholds thresholds;
        const bool refines = refinements > 0;
        Interpreter inference(graph_, evaluator_, table, data_samples, open, examples_, imported_,
                              refines ? &thresholds : nullptr);
        InferredFacts facts = inference.run();
        if (refines && samples.add(thresholds.further(table), most)) {
          --refinements;
          continue;
        }
        if (found) *found = std::move(facts);
        if (kept) {
          samples.leave(*kept);
          for (const Node* raise : inference.raised_on_data()) {
            SizeRefusal refusal = refusal_at(*raise, message_raised(*raise));
            refusal.layer = layer_after(*raise);
            kept->add(std::move(refusal));
          }
          std::erase_if(kept->refusals, [](const SizeRefusal& refusal) { return refusal.of_last_walk; });
          for (const SampleFailure& failure : inference.failures_inside())
            if (auto refusal = samples.refusal_inside(table, failure)) kept->add(std::move(*refusal));
          kept->needs_data_samples = data_samples > 0;
        }
        return samples;
      } catch (const NeedsDataSamples&) {
        data_samples = kDataSamples;
      } catch (const SampleFailure& failure) {
        samples.fail(table, failure);
      }
    }
    throw ir::Error(ir::Code::Argument, "no other sizes of the dynamic axes were found at which the program runs");
  }

  // Returns other sizes of the symbols of `is_asked` at which the program runs, all others as in the example, or
  // nothing.
  std::optional<SampleSizes> other_sizes(const std::function<bool(const std::string&)>& is_asked,
                                         const std::vector<FreeSymbol>& symbols,
                                         const std::vector<InputAxis>& axes) const {
    std::vector<InputAxis> open;
    for (const InputAxis& axis : axes)
      if (std::ranges::any_of(symbols,
                              [&](const FreeSymbol& s) { return is_asked(s.name) && axis.size().mentions(s.name); }))
        open.push_back(axis);
    std::vector<FreeSymbol> tried;
    for (const FreeSymbol& symbol : symbols)
      if (std::ranges::any_of(open, [&](const InputAxis& axis) { return axis.size().mentions(symbol.name); }))
        tried.push_back(symbol);
    try {
      return walk(tried, open, kRelatedChoices, nullptr, {});
    } catch (const FixedSymbol&) {
      return std::nullopt;
    }
  }

  // True if the program runs at other sizes of the symbols in `wanted` while all relations of `all` hold.
  bool holds(const std::vector<SizeRelation>& wanted, const Relations& all) const {
    const auto is_asked = [&](const std::string& symbol) {
      return std::ranges::any_of(wanted, [&](const SizeRelation& r) { return r.size.mentions(symbol); });
    };
    return other_sizes(is_asked, free_symbols(axes_, all), with_relations(axes_, all)).has_value();
  }

  // Returns the largest distance from the example's size at which the program runs if this symbol alone changes, also
  // where an axis follows from it and others. 0 if it runs at no other size.
  std::int64_t reach_alone(const std::string& symbol) const {
    const std::vector<FreeSymbol> symbols = free_symbols(axes_, relations_);
    std::map<std::string, ir::Polynomial> others;
    for (const FreeSymbol& other : symbols)
      if (other.name != symbol) others.emplace(other.name, other.size);
    std::vector<InputAxis> axes = with_relations(axes_, relations_);
    for (InputAxis& axis : axes) axis.follows = axis.size().with(others);
    const auto sizes = other_sizes([&](const std::string& name) { return name == symbol; }, symbols, axes);
    return sizes ? sizes->reach(symbol) : 0;
  }

  // Adds the first relations with which the program runs at other sizes of `symbol`. Returns false if there are none. A
  // symbol that can change alone is not related to others: it is at most a bound or a divisor. A multiple may change
  // alone within its factor, as the sizes of a strided convolution do.
  bool relate(const std::string& symbol) {
    const std::vector<FreeSymbol> free = free_symbols(axes_, relations_);
    std::map<std::string, std::int64_t> alone = {{symbol, 0}};
    const auto is_free_alone = [&](const std::string& name, std::int64_t within) {
      const auto [known, fresh] = alone.try_emplace(name);
      if (fresh) known->second = reach_alone(name);
      return known->second >= within;
    };
    const auto is_bound = [&](const SizeRelation& relation) {
      const auto of = std::ranges::find_if(free, [&](const FreeSymbol& s) { return relation.size.mentions(s.name); });
      const auto self = std::ranges::find(free, relation.symbol, &FreeSymbol::name);
      std::int64_t within = 1;
      if (of != free.end() && of->size > 0 &&
          relation.size == ir::Polynomial::symbol(of->name) * (self->size / of->size))
        within = self->size / of->size;
      return !is_free_alone(relation.symbol, within) && std::ranges::none_of(free, [&](const FreeSymbol& s) {
        return relation.size.mentions(s.name) && is_free_alone(s.name, 1);
      });
    };
    for (const std::vector<SizeRelation>& wanted : possible_relations(free, symbol)) {
      if (!std::ranges::all_of(wanted, is_bound)) continue;
      Relations next = relations_;
      for (const SizeRelation& relation : wanted) {
        for (auto& [name, size] : next) size = size.with({{relation.symbol, relation.size}});
        next.emplace(relation.symbol, relation.size);
      }
      if (!holds(wanted, next)) continue;
      relations_ = std::move(next);
      return true;
    }
    return false;
  }

  // Tries another symbol's size as the example of a symbol of size 1, which is broadcast in the example. If the program
  // then runs, relates them and returns true.
  bool relate_as_broadcast(const std::string& symbol) {
    const std::vector<FreeSymbol> free = free_symbols(axes_, relations_);
    if (std::ranges::find(free, symbol, &FreeSymbol::name)->size != 1) return false;
    const std::vector<InputAxis> before = axes_;
    for (const FreeSymbol& other : free) {
      if (other.size < 2) continue;
      for (InputAxis& axis : axes_)
        if (axis.symbol == symbol) axis.example = other.size;
      show_examples();
      const SizeRelation relation{symbol, ir::Polynomial::symbol(other.name)};
      Relations next = relations_;
      next.emplace(relation.symbol, relation.size);
      try {
        if (holds({relation}, next)) {
          relations_ = std::move(next);
          has_other_example_ = true;
          return true;
        }
      } catch (const ir::Error&) {
        // The program fails at this example size.
      }
    }
    axes_ = before;
    show_examples();
    return false;
  }

  // The same for the first symbol of size 1 that runs at no size but those of the example.
  bool relate_first_broadcast(const SampleSizes& samples, const std::vector<FreeSymbol>& symbols) {
    std::vector<std::int64_t> sizes;
    for (const FreeSymbol& symbol : symbols) sizes.push_back(symbol.size);
    return std::ranges::any_of(symbols, [&](const FreeSymbol& symbol) {
      return symbol.size == 1 && samples.runs_only_at(symbol.name, sizes) && relate_as_broadcast(symbol.name);
    });
  }

  const ir::Graph& graph_;
  ir::Evaluator& evaluator_;
  std::vector<InputAxis> axes_;
  std::span<const ir::Constant> examples_;
  ir::ValueTable<Facts>& imported_;  // by the importer, or by the pass that created the value
  std::size_t nodes_ = 0;
  Relations relations_;
  bool has_other_example_ = false;  // relate_as_broadcast() replaced an example size
};

}  // namespace

std::string fixed_axis_text(const InputAxis& axis, const std::string& input, const std::string& why) {
  return "dynamic axis " + axis.symbol + " (axis " + std::to_string(axis.axis) + " of '" + input +
         "') keeps the example's size " + std::to_string(axis.example) + ": " + why;
}

void resolve_sizes(const ir::Graph& graph, std::vector<InputAxis>& dynamic) {
  for (InputAxis& axis : dynamic) {
    if (axis.input >= graph.inputs().size())
      throw ir::Error(ir::Code::Argument, "dynamic axis " + axis.symbol + " names an input that does not exist");
    const Value* input = graph.inputs()[axis.input];
    const auto& dims = input->facts().dims;
    if (!dims || axis.axis >= dims->size())
      throw ir::Error(ir::Code::Argument, "dynamic axis " + axis.symbol + ": input " + input->name() + " has no axis " +
                                              std::to_string(axis.axis));
    const ir::Dim& dim = (*dims)[axis.axis];
    if (axis.example == 0 && dim.is_fixed()) axis.example = dim.size();
    if (axis.example == 0 && !dim.is_fixed() && input->type().is(ir::Type::Kind::List))
      throw ir::Error(ir::Code::Argument, "dynamic axis " + axis.symbol + ": axis " + std::to_string(axis.axis) +
                                              " of the list '" + input->name() +
                                              "' is open already, for its items have several sizes there in the "
                                              "example; leave its name out");
    if (axis.example == 0 && !dim.is_fixed() && !dim.is_symbol(axis.symbol))
      throw ir::Error(ir::Code::Internal, "dynamic axis " + axis.symbol + " has no example size");
    for (const InputAxis& other : dynamic)
      if (other.symbol == axis.symbol && other.example > 0 && other.example != axis.example)
        throw ir::Error(ir::Code::Argument, "dynamic axis " + axis.symbol + " has two sizes in the example inputs: " +
                                                std::to_string(other.example) + " and " + std::to_string(axis.example));
  }
}

namespace {

// During its lifetime, equal evaluations may return the same data.
class ResultSharing {
 public:
  ResultSharing(ir::Evaluator& evaluator, bool may_share) : evaluator_(evaluator) {
    evaluator_.share_results(may_share);
  }
  ~ResultSharing() { evaluator_.share_results(false); }
  ResultSharing(const ResultSharing&) = delete;
  ResultSharing& operator=(const ResultSharing&) = delete;

 private:
  ir::Evaluator& evaluator_;
};

}  // namespace

std::vector<InputAxis> infer_facts(ir::Graph& graph, ir::Evaluator& evaluator, const std::vector<InputAxis>& dynamic,
                                   std::span<const ir::Constant> examples, SampleHints* hints, FactMarks* marks) {
  SampleHints own;
  if (!hints) hints = &own;
  // Facts are inferred several times at other sizes, or again when passes have changed the control flow.
  const Features features = find_features(graph);
  const bool is_repeated = hints->was_asked || !dynamic.empty() || features.has_any(Feature::ControlFlow);
  const ResultSharing sharing(evaluator, is_repeated && !features.has_any(Feature::Writes | Feature::Identities));
  hints->was_asked = true;
  std::vector<InputAxis> axes = dynamic;
  resolve_sizes(graph, axes);
  auto [inferred, found] = Inference(graph, evaluator, std::move(axes), examples, hints->imported).run(*hints);
  found.apply(graph);
  if (marks) *marks = std::move(found.marks);
  return inferred;
}

}  // namespace tonnx::program
