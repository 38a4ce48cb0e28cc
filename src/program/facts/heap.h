#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_set>
#include <vector>

#include "ir/evaluator.h"
#include "ir/graph.h"
#include "program/facts/abstract_state.h"
#include "program/facts/lattice.h"
#include "program/references/sharing.h"

namespace tonnx::program {

// True if an operator in the node's block returns the tensor in fresh storage.
bool is_made_in_block(const ir::Value& tensor, const ir::Node& node);
// True if a list or dict, with those in it, is built in the branch or loop that returns it and has no other use.
bool is_only_passed_through(const ir::Value& container);
// True if the node changes the sizes or the storage of its first argument.
bool resizes(const ir::Node& node);
// True for a list, a dict or a tuple.
bool is_container(const ir::Type& type);
// True if the node reads, or removes and returns, items of a container.
bool takes_item(const ir::Node& node);

// Containers and storage that nodes write to, and their aliases.
class Heap {
 public:
  Heap(const ir::Graph& graph, ir::Evaluator& evaluator, const Lattice& lattice, AbstractState& state, bool has_writes);

  bool has_resizes() const { return has_resizes_; }
  // How many containers and entries of dicts have become invalid.
  std::size_t invalid_count() const { return invalidated_.size() + invalid_entries_.size(); }
  bool has_invalid_containers() const { return !invalidated_.empty(); }
  // How many nodes have changed the dtype or shape of an entry of a dict.
  std::size_t changing_nodes() const { return open_settings_.size(); }
  // True if the containers in a value have the same length and keys in every run.
  bool has_fixed_form(const ir::Type& type, const Sampled& sampled) const;
  // A varying operand of a write makes the container vary, under all aliases.
  void note_container_writes(const ir::Node& node, const std::vector<const Sampled*>& inputs, bool sets_entry);
  // Invalidates the writes of a block that may not run.
  void invalidate_uncertain_writes();
  // Applies the writes noted so far to the abstract value of an alias.
  void invalidate(Sampled& sampled) const;
  // Makes a list that the node has changed unknown, and the results that may be the list.
  void invalidate_list(const ir::Node& node, std::vector<Sampled>& outputs);
  // Invalidates every container that the value may be, after a write to a container that is not known.
  void invalidate_possible(const ir::Value* container);
  // Makes the containers unknown that nodes in the block write to.
  void invalidate_written_containers(const ir::Block& block);
  // A list or dict picked at a dynamic index or key and then written to may be any of the candidates: invalidates them.
  void note_picked_write(const ir::Node& node, const std::vector<const Sampled*>& inputs);
  // True if a value may be either of two distinct containers and one of them, or the value, may be written to.
  bool is_either(const ir::Value* name, const ir::Value* a, const ir::Value* b, const Sampled& of_a,
                 const Sampled& of_b) const;
  // True if the node reads an entry of a dict that a write has invalidated.
  bool reads_invalid(const ir::Node& node, const std::vector<const Sampled*>& inputs) const;
  // Notes a write to an entry of a dict. Returns false for other nodes. In a block that may not run, the entry stays
  // known if a tensor replaces one of the same dtype and sizes.
  bool note_entry(const ir::Node& node, const std::vector<const Sampled*>& inputs);
  // Drops the content of tensors that are written to in a block that may not run, unless they were created in it.
  void drop_written_content(const ir::Node& node, const std::vector<const Sampled*>& inputs);
  // Drops the content of tensors written to by a node that is not evaluated, or of all possible aliases of an unknown
  // one.
  void drop_possibly_written_content(const ir::Node& node, const std::vector<const Sampled*>& inputs,
                                     bool is_evaluated);
  // Drops the content of both operands of a phi whose storage may be written to.
  void drop_content_of_phi(const ir::Value* phi, const Sampled& a, const Sampled& b);
  // Makes a tensor that is resized in a block that may not run unknown, with all its aliases.
  void invalidate_resized(const ir::Node& node);
  // The sizes of an argument `out` in each sample; empty without one. The evaluation of the node may change them.
  using Sizes = std::vector<std::optional<std::vector<std::int64_t>>>;
  Sizes sizes_of_out(const ir::Node& node);
  // Makes an `out` argument unknown, with all its aliases, if the operator resizes it. `before`: sizes_of_out() before
  // the node was evaluated.
  void invalidate_resized_out(const ir::Node& node, const Sizes& before, const std::vector<Sampled>& outputs);
  // Notes the contiguous_offset() of the tensor whose storage an operator reads if it is the same in all evaluations of
  // the node, or -1.
  void note_layout(const ir::Node& node);
  // Notes whether the result shares storage with the argument in all samples, in some, or in none.
  void note_sharing(const ir::Node& node, const Sampled& in, const Sampled& out);

 private:
  bool keeps_form(const ir::Node& node, const std::vector<const Sampled*>& inputs) const;
  void invalidate_container(const ir::Value* value);
  std::vector<const ir::Value*> held_of(const ir::Type& type) const;
  bool may_be_written(const ir::Value* value) const;
  bool may_change(const ir::Value* value) const;
  std::shared_ptr<const ir::Constant> key_of(const ir::Node& node) const;
  bool sets_entry(const ir::Node& node);
  bool is_picked(const ir::Value* value) const;
  void invalidate_entry(const ir::DatumPtr& dict, std::shared_ptr<const ir::Constant> key);
  void drop_content(const Sampled& sampled);
  Sizes sizes_of(const std::vector<ir::DatumPtr>& samples);
  void invalidate_aliases(const ir::Value& resized);
  bool selects(const ir::Value* value) const;
  bool shares(const ir::Datum& datum, const ir::Datum& other);
  std::int64_t contiguous_offset(const Sampled& tensor);
  const ir::Value* contiguous_base(const ir::Node& node);
  static bool depends_on_layout(const ir::Node& node);
  bool may_be_view_at_other_sizes(const ir::Node& node, const Sampled& in);

  const ir::Graph& graph_;
  ir::Evaluator& evaluator_;
  const Lattice& lattice_;
  AbstractState& state_;
  const std::size_t count_, data_count_;
  const bool has_writes_, has_resizes_;
  // Lists and dicts whose abstract value was invalidated by a write, as in sample 0; their aliases are invalid too.
  struct Invalidated {
    ir::DatumPtr datum;
    bool unknown;  // its content is unknown; else it varies
  };
  std::vector<Invalidated> invalidated_;
  bool forms_are_open_ = false;  // a write changed the length or keys of a container depending on a value that varies
  std::vector<ir::DatumPtr> uncertain_writes_;  // changed in blocks that may or may not run
  // Entries of dicts that were overwritten, as in sample 0.
  struct Entry {
    ir::DatumPtr dict;
    std::shared_ptr<const ir::Constant> key;
  };
  std::vector<Entry> invalid_entries_;                 // their content is unknown
  std::vector<Entry> uncertain_entries_;               // in blocks that may or may not run
  std::unordered_set<const ir::Node*> open_settings_;  // nodes that changed the dtype or shape of an entry
  std::optional<Sharing> sharing_;                     // only if the program has writes
};

}  // namespace tonnx::program
