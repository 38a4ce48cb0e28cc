// Derives facts of nodes that fail at the sizes of the samples. The node is evaluated at other sizes: dtype, rank and
// dims that are the same in all these evaluations are facts.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "ir/constant_facts.h"
#include "ir/merge.h"
#include "ir/writes.h"
#include "program/facts/sampler.h"

namespace tonnx::program {

using ir::DatumPtr;
using ir::Dim;
using ir::Facts;
using ir::Node;
using ir::Type;

namespace {

using Sizes = std::vector<std::int64_t>;
using Arguments = std::vector<DatumPtr>;

constexpr int kMostCalls = 48;                                 // of one node; most of them fail
constexpr std::size_t kEnough = 4;                             // evaluations at different sizes
constexpr std::int64_t kMostElements = std::int64_t{1} << 24;  // of one argument

// Replaces each open size s by `times * s + plus`.
struct OtherSize {
  std::int64_t times;
  std::int64_t plus;
};

constexpr OtherSize kOtherSizes[] = {{1, 61}, {1, 4099}, {64, 0}, {0, 64}, {0, 4096}, {0, 1}};

}  // namespace

// Evaluates one node with other sizes and numbers than those of the samples.
class Sampler::OtherSizes {
 public:
  OtherSizes(Sampler& sampler, const Node& node, const std::vector<const Sampled*>& inputs)
      : sampler_(sampler), evaluator_(sampler.evaluator_), node_(node), inputs_(inputs) {}

  std::vector<Facts> facts() {
    find_open(1);
    all_open_ = open_;
    if (find_open(sampler_.count_ - sampler_.data_count_) && try_changes(0)) {
      for (std::size_t sample = sampler_.count_ - sampler_.data_count_; sample < sampler_.count_; ++sample)
        try_one(sample);
      return joined_facts(true);
    }
    open_ = all_open_;
    // The samples at other sizes and the data samples.
    for (std::size_t sample = sampler_.count_ - 1; sample > 0 && ran_.size() < kEnough; --sample)
      try_arguments(arguments_of(sample));
    for (const std::size_t sample : {std::size_t{0}, sampler_.count_ - 1})
      if (ran_.empty()) try_changes(sample);
    return joined_facts(false);
  }

 private:
  using Open = std::vector<std::vector<bool>>;  // by tensor in an argument, and axis

  Arguments arguments_of(std::size_t sample) const {
    Arguments arguments;
    for (const Sampled* in : inputs_) arguments.push_back(in->samples[sample]);
    return arguments;
  }

  bool holds_tensors(std::size_t argument) const {
    const Type& type = node_.input(argument)->type();
    return type.is(Type::Kind::Tensor) || type.is_tensor_list();
  }

  std::vector<DatumPtr> tensors_in(std::size_t argument, const DatumPtr& datum) const {
    return node_.input(argument)->type().is(Type::Kind::Tensor) ? std::vector{datum} : evaluator_.items(*datum);
  }

  std::optional<Sizes> sizes_of(const DatumPtr& tensor) const { return evaluator_.describe(*tensor, 0).fixed_dims(); }

  // Finds the axes whose sizes in the samples from `first` on differ from sample 0. Returns false if there are none.
  bool find_open(std::size_t first) {
    bool found = false;
    open_.assign(inputs_.size(), {});
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (!holds_tensors(i)) continue;
      const std::vector<DatumPtr>& samples = inputs_[i]->samples;
      const std::vector<DatumPtr> tensors = tensors_in(i, samples.front());
      for (const DatumPtr& tensor : tensors) open_[i].emplace_back(sizes_of(tensor).value_or(Sizes()).size(), false);
      for (std::size_t sample = first; sample < samples.size(); ++sample) {
        if (samples[sample] == samples.front()) continue;
        const std::vector<DatumPtr> others = tensors_in(i, samples[sample]);
        for (std::size_t k = 0; k < tensors.size(); ++k) {
          const auto sizes = sizes_of(tensors[k]), other = k < others.size() ? sizes_of(others[k]) : std::nullopt;
          const bool is_comparable = sizes && other && sizes->size() == other->size();
          for (std::size_t d = 0; d < open_[i][k].size(); ++d)
            if (!is_comparable || (*sizes)[d] != (*other)[d]) found = open_[i][k][d] = true;
        }
      }
    }
    return found;
  }

  // Returns the datum with another size along all open axes, or the one that `only` counts to. Null if it is too large.
  DatumPtr changed(std::size_t argument, const DatumPtr& datum, const OtherSize& change, int* only) const {
    std::vector<DatumPtr> tensors = tensors_in(argument, datum);
    bool any = false;
    for (std::size_t k = 0; k < std::min(tensors.size(), open_[argument].size()); ++k) {
      const std::vector<bool>& open = open_[argument][k];
      const Facts facts = evaluator_.describe(*tensors[k], 0);
      auto sizes = facts.fixed_dims();
      if (!sizes || sizes->size() != open.size()) continue;
      bool is_changed = false;
      std::int64_t elements = 1;
      for (std::size_t d = 0; d < open.size(); ++d) {
        std::int64_t& size = (*sizes)[d];
        if (open[d] && (!only || (*only)-- == 0)) {
          size = change.times * size + change.plus;
          is_changed = true;
        }
        if (size > kMostElements / std::max<std::int64_t>(elements, 1)) return nullptr;
        elements *= size;
      }
      if (is_changed) tensors[k] = evaluator_.meta(facts.dtype, *sizes);
      any = any || is_changed;
    }
    if (!any) return datum;
    return node_.input(argument)->type().is(Type::Kind::Tensor) ? tensors.front() : evaluator_.list(tensors);
  }

  std::optional<Arguments> changed(const Arguments& arguments, const OtherSize& change, int* only = nullptr) const {
    Arguments out = arguments;
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (!open_[i].empty()) out[i] = changed(i, out[i], change, only);
      if (!out[i]) return std::nullopt;
    }
    return out;
  }

  std::optional<std::vector<Facts>> results_at(const std::optional<Arguments>& arguments) {
    if (!arguments || calls_ >= kMostCalls) return std::nullopt;
    ++calls_;
    const auto results = sampler_.results_on(node_, *arguments);
    if (!results || results->size() != node_.output_count()) return std::nullopt;
    std::vector<Facts> facts;
    for (const DatumPtr& result : *results) facts.push_back(result ? evaluator_.describe(*result, 0) : Facts());
    return facts;
  }

  bool try_arguments(const std::optional<Arguments>& arguments) {
    auto results = results_at(arguments);
    if (!results) return false;
    if (ran_.empty()) base_ = *arguments;
    ran_.push_back(*std::move(results));
    counts_.insert(counts_in(*arguments));
    note_sizes(*arguments);
    return true;
  }

  // The scalar, or the scalars of a list.
  std::vector<ir::Constant> numbers_in(const DatumPtr& datum) const {
    const Facts facts = evaluator_.describe(*datum);
    if (!facts.constant) return {};
    const auto* list = facts.constant->get<ir::Constant::List>();
    return list ? list->items : std::vector{*facts.constant};
  }

  // Notes the sizes along the open axes, and the scalars.
  void note_sizes(const Arguments& arguments) {
    sizes_.resize(arguments.size());
    numbers_.resize(arguments.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (!holds_tensors(i)) numbers_[i].push_back(numbers_in(arguments[i]));
      const std::vector<DatumPtr> tensors =
          all_open_[i].empty() ? std::vector<DatumPtr>() : tensors_in(i, arguments[i]);
      sizes_[i].resize(all_open_[i].size());
      for (std::size_t k = 0; k < std::min(tensors.size(), all_open_[i].size()); ++k) {
        const Sizes sizes = sizes_of(tensors[k]).value_or(Sizes());
        sizes_[i][k].resize(all_open_[i][k].size());
        for (std::size_t d = 0; d < std::min(sizes.size(), all_open_[i][k].size()); ++d)
          sizes_[i][k][d].insert(sizes[d]);
      }
    }
  }

  // True if the node ran at several sizes of each of the axes.
  bool is_varied(const std::vector<Open>& axes) const {
    for (std::size_t i = 0; i < axes.size(); ++i)
      for (std::size_t k = 0; k < axes[i].size(); ++k)
        for (std::size_t d = 0; d < axes[i][k].size(); ++d)
          if (axes[i][k][d] && (d >= sizes_[i][k].size() || sizes_[i][k][d].size() < 2)) return false;
    return true;
  }

  // True if the node ran with several values of each scalar that differs between samples.
  bool are_numbers_varied() const {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (holds_tensors(i)) continue;
      const std::vector<ir::Constant> first = numbers_in(inputs_[i]->samples.front());
      const auto differs = [&](const std::vector<ir::Constant>& other, std::size_t item) {
        return item >= other.size() || !ir::same_constant(first[item], other[item]);
      };
      for (std::size_t item = 0; item < first.size(); ++item) {
        const bool is_open = std::ranges::any_of(inputs_[i]->samples, [&](const DatumPtr& sample) {
          return sample != inputs_[i]->samples.front() && differs(numbers_in(sample), item);
        });
        const auto ran = [&](const std::vector<ir::Constant>& numbers) {
          return item >= numbers.size() || item >= numbers_[i].front().size() ||
                 !ir::same_constant(numbers[item], numbers_[i].front()[item]);
        };
        if (is_open && std::ranges::none_of(numbers_[i], ran)) return false;
      }
    }
    return true;
  }

  // The length of each list of tensors.
  std::vector<std::size_t> counts_in(const Arguments& arguments) const {
    std::vector<std::size_t> counts;
    for (std::size_t i = 0; i < arguments.size(); ++i)
      if (node_.input(i)->type().is_tensor_list()) counts.push_back(evaluator_.count(*arguments[i]));
    return counts;
  }

  // True if a list of tensors is empty in some samples only: these do not have the sizes of its items.
  bool hides_items() const {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (!node_.input(i)->type().is_tensor_list()) continue;
      const auto is_empty = [&](const DatumPtr& sample) { return evaluator_.count(*sample) == 0; };
      const auto empty = std::ranges::count_if(inputs_[i]->samples, is_empty);
      if (empty > 0 && static_cast<std::size_t>(empty) < sampler_.count_) return true;
    }
    return false;
  }

  // True if lists of dynamic length were tried at one length only.
  bool is_of_one_length() const {
    for (std::size_t sample = 1; sample < sampler_.count_ && counts_.size() == 1; ++sample)
      if (!counts_.contains(counts_in(arguments_of(sample)))) return true;
    return false;
  }

  // Replaces the open sizes of a sample by others until the node runs.
  void try_one(std::size_t sample) {
    const Arguments arguments = arguments_of(sample);
    for (const OtherSize& change : other_sizes(arguments))
      if (try_arguments(changed(arguments, change))) return;
  }

  // The sizes to try. The sizes of other axes are included, because an operator may need equal sizes.
  std::vector<OtherSize> other_sizes(const Arguments& arguments) const {
    std::vector<OtherSize> changes(std::begin(kOtherSizes), std::end(kOtherSizes));
    std::set<std::int64_t> others;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const std::vector<DatumPtr> tensors = open_[i].empty() ? std::vector<DatumPtr>() : tensors_in(i, arguments[i]);
      for (std::size_t k = 0; k < std::min(tensors.size(), open_[i].size()); ++k) {
        const auto sizes = sizes_of(tensors[k]);
        for (std::size_t d = 0; sizes && sizes->size() == open_[i][k].size() && d < sizes->size(); ++d)
          if (!open_[i][k][d]) others.insert((*sizes)[d]);
      }
    }
    for (const std::int64_t size : others) changes.push_back({0, size});
    return changes;
  }

  // Replaces the open sizes of a sample, then also its numbers. Returns false if the node always fails.
  bool try_changes(std::size_t sample) {
    const Arguments arguments = arguments_of(sample);
    for (const OtherSize& change : other_sizes(arguments))
      if (ran_.size() < kEnough && try_arguments(changed(arguments, change)) && ran_.size() == 1) change_ = change;
    const OtherSize larger = kOtherSizes[0];
    if (ran_.empty())
      for (const Variants& variants : sampler_.other_arguments(node_, inputs_, arguments, false))
        for (const Arguments& variant : variants)
          if (ran_.empty() && try_arguments(changed(variant, larger))) change_ = larger;
    return !ran_.empty();
  }

  // Changes one size or one number at a time, from the first arguments with which the node ran. Returns false if it
  // fails with all other values of a number.
  bool try_one_by_one() {
    const Arguments base = base_;
    for (int axis = 0;; ++axis) {
      int only = axis;
      const auto other = changed(base, {1, 1}, &only);
      if (only >= 0) break;  // there are no more open axes
      try_arguments(other);
    }
    bool all = true;
    for (const Variants& variants : sampler_.other_arguments(node_, inputs_, base, false)) {
      bool any = false;
      for (const Arguments& variant : variants) any = try_arguments(variant) || any;
      all = all && any;
    }
    return all;
  }

  // Joins the facts of all evaluations. `follows`: they have the sizes of sample 0, except for data-dependent ones.
  std::vector<Facts> joined_facts(bool follows) {
    std::vector<Facts> facts(node_.output_count());
    if (ran_.empty()) return facts;
    calls_ = 0;
    const bool runs_with_others = try_one_by_one();
    const bool is_sure = runs_with_others && is_varied(open_) && (follows || are_numbers_varied()) &&
                         !is_of_one_length() && !hides_items();
    facts = ran_.front();
    for (const std::vector<Facts>& other : ran_)
      for (std::size_t o = 0; o < facts.size(); ++o) facts[o] = ir::join(facts[o], other[o]);
    for (Facts& result : facts) {
      result.constant = nullptr;
      if (!is_sure && result.dims) result.dims->assign(result.dims->size(), Dim());
    }
    if (follows) follow_symbols(facts);
    return facts;
  }

  // Fits dims to the samples at other sizes; a dim that is fixed in sample 0 may follow symbols.
  void follow_symbols(std::vector<Facts>& facts) {
    std::vector<std::vector<Facts>> samples;
    calls_ = -static_cast<int>(sampler_.count_);
    for (std::size_t sample = 0; sample < sampler_.count_; ++sample) {
      auto results = results_at(changed(arguments_of(sample), change_));
      if (results) samples.push_back(*std::move(results));
    }
    const bool is_sure = samples.size() == sampler_.count_ || (is_varied(all_open_) && are_numbers_varied());
    for (std::size_t o = 0; o < facts.size(); ++o) {
      if (!facts[o].dims) continue;
      for (std::size_t d = 0; d < facts[o].dims->size(); ++d) {
        Dim& dim = (*facts[o].dims)[d];
        Sizes sizes;
        for (const std::vector<Facts>& sample : samples) {
          const auto all = sample[o].fixed_dims();
          if (all && all->size() == facts[o].dims->size()) sizes.push_back((*all)[d]);
        }
        const bool is_same =
            std::ranges::all_of(sizes, [&](std::int64_t size) { return dim.is_fixed() && size == dim.size(); });
        if (dim.is_fixed() && !is_same) dim = sizes.size() == sampler_.count_ ? sampler_.lattice_.fitted(sizes) : Dim();
        if (!is_sure) dim = Dim();
      }
    }
  }

  Sampler& sampler_;
  ir::Evaluator& evaluator_;
  const Node& node_;
  const std::vector<const Sampled*>& inputs_;
  std::vector<Open> open_;                                               // by argument: the axes to change
  std::vector<Open> all_open_;                                           // the axes that differ between any samples
  std::vector<std::vector<std::vector<std::set<std::int64_t>>>> sizes_;  // along all_open_, in runs that succeeded
  std::vector<std::vector<Facts>> ran_;
  std::set<std::vector<std::size_t>> counts_;
  std::vector<std::vector<std::vector<ir::Constant>>> numbers_;  // by argument without tensors, in runs that succeeded
  Arguments base_;
  OtherSize change_ = kOtherSizes[0];
  int calls_ = 0;
};

std::vector<Facts> Sampler::facts_at_other_sizes(const Node& node, const std::vector<const Sampled*>& inputs) {
  const auto is_tensor = [](const ir::Value* out) { return out->type().is(Type::Kind::Tensor); };
  const auto is_unknown = [](const Sampled* in) { return !in->known(); };
  if (writes(node) || !std::ranges::all_of(node.outputs(), is_tensor) || std::ranges::any_of(inputs, is_unknown))
    return std::vector<Facts>(node.output_count());
  return OtherSizes(*this, node, inputs).facts();
}

}  // namespace tonnx::program
