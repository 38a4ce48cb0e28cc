#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "ir/evaluator.h"
#include "program/facts/abstract_value.h"
#include "program/facts/symbols.h"

namespace tonnx::program {

// Thrown by Lattice: a value depends on tensor data, but there are no data samples.
struct NeedsDataSamples {};

// The value of a number or size in the k-th data sample, if it is `example` in sample 0. Integers wrap around.
inline double other_number(double example, std::size_t k) { return k == 0 ? example + 1 : 2 * example + 3; }
inline std::int64_t other_number(std::int64_t example, std::size_t k) {
  const auto number = static_cast<std::uint64_t>(example);
  return static_cast<std::int64_t>(k == 0 ? number + 1 : 2 * number + 3);
}

constexpr std::size_t kDataSamples = 2;  // if there are any

// The abstract values of an inference and their joins. Sample 0 has the example sizes, each further sample of the table
// other sizes. Then `data_samples` (0 or kDataSamples) samples follow: these have the example sizes, and another value
// of each data-dependent size and number, so that a result that depends on them differs. Functions that need data
// samples throw NeedsDataSamples if there are none.
class Lattice {
 public:
  Lattice(ir::Evaluator& evaluator, SymbolTable table, std::size_t data_samples, const std::vector<InputAxis>& open,
          bool has_writes);

  const SymbolTable& table() const { return table_; }
  std::size_t count() const { return count_; }  // of all samples
  std::size_t data_count() const { return data_count_; }
  bool is_data_sample(std::size_t sample) const { return sample >= count_ - data_count_; }
  void require_data_samples() const;
  // The size of a dynamic axis in a sample.
  std::int64_t size_in(const InputAxis& axis, std::size_t sample) const;
  // The abstract value of a constant, and of an integer.
  Sampled constant_samples(const ir::Constant& constant) const;
  Sampled number(std::int64_t value) const;
  // Changes the given dims of a tensor in the data samples.
  void vary(Sampled& sampled, const std::vector<bool>& dims) const;
  // The facts that hold in all samples. note_facts() also notes whether the value varies or depends on data.
  ir::Facts facts_of(const Sampled& sampled) const { return facts_of(sampled, nullptr); }
  ir::Facts note_facts(Sampled& sampled) const { return facts_of(sampled, &sampled); }
  // The dim that has these sizes in the samples.
  ir::Dim fitted(std::vector<std::int64_t> sizes) const;
  // The dtype, if it is the same in all samples.
  ir::DType dtype_of(const Sampled& sampled) const;
  // Unknown, except for the dtype if all of these have the same.
  Sampled unknown_of(std::span<const Sampled> values) const;
  // True if two values have the same dtype and sizes, length or keys, and so have the values in them.
  bool is_like(const ir::Datum& a, const ir::Datum& b) const;
  // Returns a tensor with these facts. Dims that they do not determine are varied. Empty without dtype or rank.
  std::optional<Sampled> samples_with(const ir::Facts& facts) const;
  // Applies `read` to the samples of other sizes. Empty if one has no value.
  std::optional<std::vector<double>> in_sizes(const Sampled& sampled,
                                              const std::function<std::optional<double>(const ir::Datum&)>& read) const;
  // The value of a number, or of an item of a list, in each sample of other sizes. Empty if one is not a number.
  std::optional<std::vector<double>> numbers(const Sampled& sampled, std::size_t item = 0) const;
  std::optional<std::vector<double>> sizes_along(const Sampled& tensor, std::size_t axis) const;
  // True if all have the same dtype and sizes, length or keys.
  bool are_all_alike(const std::vector<ir::DatumPtr>& items) const;
  // Sets `otherwise` of the join of two lists where one is empty, or is_mixed if their items differ in dtype or shape.
  void join_otherwise(Sampled& out, const Sampled& a, const Sampled& b) const;
  // True if a list computed from the inputs may have unknown items in other runs where it is empty.
  bool may_be_mixed(const std::vector<const Sampled*>& inputs, const Sampled& list) const;
  // Joins two abstract values. Each sample takes the value of its branch, or a's if `takes_first` is empty. Dims that
  // differ between a and b become unknown.
  Sampled join(const Sampled& a, const Sampled& b, const std::vector<bool>& takes_first = {}) const;
  // The length in sample 0.
  std::size_t item_count(const Sampled& list) const;
  // True if items of the list differ in their strides in some sample, and are not all contiguous.
  bool has_several_layouts(const Sampled& list) const;
  // How many items have a fixed index: `fixed_ends`, or all.
  FixedEnds fixed_ends_of(const Sampled& list) const;
  FixedEnds common_ends(const FixedEnds& a, const FixedEnds& b) const;
  // True if the samples differ in length.
  bool shows_lengths(const Sampled& list) const;
  // True if the length of the list depends on data.
  bool has_open_length(const Sampled& list) const;
  // Returns the list with samples in which any item from `first_item` on may be read. If all are tensors of one form,
  // dims that differ between items are varied in the data samples. If there are two forms, each data sample has one,
  // and the samples of other sizes alternate. Unknown if there are more.
  Sampled of_any_item(const Sampled& list, std::size_t first_item = 0) const;
  // An item of a list whose items all have one shape, or null.
  ir::DatumPtr any_item(const ir::Datum& list) const;
  // True if an item is undefined in some sample.
  bool has_undefined_items(const Sampled& list) const;
  // Replaces the undefined items of the list by the items of `other`; if the lengths differ, by any defined item of
  // both.
  Sampled filled(Sampled list, const Sampled& other) const;
  // Replaces the undefined items by a defined item of the list.
  Sampled filled_up(Sampled list) const;
  // Makes what `change` notes of a loop-carried value unknown, or varies it in the data samples.
  void vary_carried(Sampled& sampled, const CarriedChange& change, const ir::Type& type) const;
  // Notes how the items of two lists, and items in them, differ in number and sizes. Returns true if anything is new.
  bool note_item_changes(const Sampled& before, const Sampled& after, CarriedChange& change) const;
  // Changes the lengths, and the sizes of tensors, in the data samples of a list as `change` says.
  void vary_items(Sampled& list, const CarriedChange& change) const;
  bool has_undefined = false;  // some list has undefined items

 private:
  ir::Facts facts_of(const Sampled& sampled, Sampled* noted) const;
  void drop_content(Sampled& sampled) const;
  bool same_items(const Sampled& a, const Sampled& b) const;
  bool have_one_layout(const ir::Datum& a, const ir::Datum& b) const;
  bool have_one_layout(const Sampled& a, const Sampled& b) const;
  std::vector<ir::DatumPtr> items_found(const Sampled& list, std::size_t sample) const;
  bool have_items_of_one_form(const Sampled& a, const Sampled& b) const;
  ir::DatumPtr in_length_of(const ir::DatumPtr& shown, const ir::Datum& one, const ir::Datum& other) const;
  Sampled join_items(Sampled out, const Sampled& a, const Sampled& b) const;
  Sampled join_list_lengths(Sampled out, const Sampled& a, const Sampled& b, const ir::Datum& other) const;
  bool have_open_rank(const ir::Facts& f, const ir::Facts& g, const Sampled& a, const Sampled& b) const;
  Sampled join_ranks(const Sampled& a, const Sampled& b) const;
  ir::DatumPtr another(const ir::Datum& shown, const Sampled& b, const Sampled& a) const;
  Sampled join_known(const Sampled& a, const Sampled& b, const std::vector<bool>& takes_first) const;
  ir::DatumPtr any_read(const std::vector<ir::DatumPtr>& items) const;
  void note_otherwise(Sampled& list, const std::vector<ir::DatumPtr>& filled) const;

  ir::Evaluator& evaluator_;
  SymbolTable table_;
  const std::size_t data_count_;  // data samples; they are the last ones
  const std::size_t count_;       // all samples
  const bool has_open_axes_, has_writes_;
  mutable std::map<std::vector<std::int64_t>, ir::Dim> fits_;  // by the sizes in all samples
};

}  // namespace tonnx::program
