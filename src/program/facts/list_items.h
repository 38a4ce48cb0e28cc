#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "ir/evaluator.h"
#include "ir/graph.h"
#include "program/facts/abstract_state.h"
#include "program/facts/lattice.h"

namespace tonnx::program {

// Returns the index of the list operand of `list * n` or `n * list`. Empty for other operators.
std::optional<std::size_t> repeated_list(const ir::Node& node);

// Lists whose items have dynamic indices: items appended in a loop follow the initial items, and the last item is an
// appended one only if there was an iteration.
class ListItems {
 public:
  ListItems(ir::Evaluator& evaluator, const Lattice& lattice, AbstractState& state)
      : evaluator_(evaluator),
        lattice_(lattice),
        state_(state),
        count_(lattice.count()),
        data_count_(lattice.data_count()) {}

  // True if the node writes at a dynamic index to a list of differing items, so that the samples have only one result.
  bool writes_any_index(const ir::Node& node, const std::vector<const Sampled*>& inputs);
  // Returns the list that of_any_item() yields for the items that the node may take. Empty if the samples are exact.
  std::optional<Sampled> any_taken(const ir::Node& node, const std::vector<const Sampled*>& inputs);
  // Replaces the results in the samples by items of `any`, the list from of_any_item().
  void set_any_taken(const ir::Node& node, const Sampled& list, const Sampled& any, std::vector<Sampled>& outputs);
  // Varies the length of a slice that has dynamic bounds or may be cut, and of a list repeated a dynamic number of
  // times.
  void open_part(const ir::Node& node, const std::vector<const Sampled*>& inputs, Sampled& part);
  // By sample, the items of `before` that may also be in `after`, whose sample has no item of the same form and sizes.
  std::vector<std::vector<ir::DatumPtr>> lost_items(const ir::Node& node, const Sampled& list,
                                                    const std::vector<std::vector<ir::DatumPtr>>& before,
                                                    const Sampled& after);
  // Adds the items that may be in a slice, or in a repeated list, in other runs and are in no sample: items of the
  // input list that dynamic bounds or an index between its fixed ends may select. Sample 0 does not
  // change.
  void add_lost_items(const ir::Node& node, const Sampled& list, Sampled& part);
  // Updates the fixed ends of a list that the node changes, and sets those of its results.
  void note_fixed_ends(const ir::Node& node, const std::vector<const Sampled*>& inputs, std::vector<Sampled>& outputs);
  // True if the items that the node takes from a list may be others in other runs.
  bool takes_any_item(const ir::Node& node) const;

 private:
  bool is_sure_part(const ir::Node& node, const Sampled& list) const;
  bool is_certain_index(const ir::Value* index, const Sampled& list) const;
  std::pair<std::size_t, std::size_t> possible_range(const ir::Node& node, const Sampled& list,
                                                     std::size_t count) const;
  std::optional<FixedEnds> fixed_ends_in(const ir::Node& node, const std::vector<const Sampled*>& inputs,
                                         const Sampled& list) const;
  void update_fixed_ends(const ir::Node& node, const std::vector<const Sampled*>& inputs);

  ir::Evaluator& evaluator_;
  const Lattice& lattice_;
  AbstractState& state_;
  const std::size_t count_, data_count_;
};

}  // namespace tonnx::program
