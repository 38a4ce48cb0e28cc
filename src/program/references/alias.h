#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "aten/traits.h"
#include "ir/graph.h"
#include "program/order.h"
#include "program/references/choice.h"

namespace tonnx::program {

// The storage of a value: its own (no parent), that of the same object `parent` (no view), or a `view` of parent.
struct Alias {
  ir::Value* parent = nullptr;
  ir::Node* view = nullptr;
  std::size_t output = 0;  // which output of the view node; of prim::ListUnpack the element
};

// A tensor, list or dict that is one of several, which other names refer to as well. It has no storage of its own.
struct Selection {
  Choice<ir::Value*> choice;
  std::vector<ir::Value*> roots;  // of the candidates, selections resolved
  std::size_t leaves = 0;         // selections resolved, one for each path to a root
  bool is_of_views = false;       // a candidate is a view, detached, or a selection of such
};

// True for values that can be written to: tensors, lists, dicts and what may hold them.
bool is_memory(const ir::Type& type);

using Items = std::vector<ir::Value*>;
using Content = Choice<Items>;

// A change of a list that is applied when the list is next read or changed otherwise, with the items that it stores.
struct Change {
  const ir::Node* writer;  // null: the list is built of the items
  Items items;

  ir::Value* index() const { return writer && writer->input_count() == 3 ? writer->input(1) : nullptr; }
  bool adds_at_end() const { return writer && !index(); }
  friend bool operator==(const Change&, const Change&) = default;
};
using Changes = Choice<std::vector<Change>>;

// Where an item of a dynamic list is: what a delayed change stores, or at an index of the list before these changes.
struct ItemLocation {
  ir::Value* item = nullptr;
  std::int64_t index = 0;

  friend bool operator==(const ItemLocation&, const ItemLocation&) = default;
};

// A loop-carried tensor that is one of several tensors, as a number selects that the loop carries as well.
struct Carried {
  std::size_t index = 0;                 // of the loop-carried value
  ir::Node* decider = nullptr;           // kCarried
  std::vector<ir::Value*> candidates{};  // defined before the loop, or storage of this or another loop-carried tensor
  std::vector<ir::Value*> leaves{};      // what an iteration may yield
  bool is_numbered = true;               // false: too many candidates, or an unknown one
  bool is_active = false;

  ir::Value* storage() const { return decider->output(0); }
  ir::Value* number() const { return decider->output(1); }
};

// The items of lists, tuples and dicts at one point of a walk in program order. A list whose items are unknown there is
// dynamic: it has no content, but may have delayed changes, and so known first or last items.
class Contents {
 public:
  using Known = std::shared_ptr<const Content>;
  struct State {
    Known content = nullptr;
    std::shared_ptr<const Changes> changes = nullptr;  // null: none
  };
  Known of(const ir::Value* root) const { return state(root).content; }
  const State& state(const ir::Value* root) const;
  void set(const ir::Value* root, Content content) {
    set(root, State{.content = std::make_shared<const Content>(std::move(content))});
  }
  void set(const ir::Value* root, State state) { states_[root] = std::move(state); }
  void delay(const ir::Value* root, Changes changes) {
    set(root, State{.changes = std::make_shared<const Changes>(std::move(changes))});
  }
  void invalidate(const ir::Value* root) { states_[root] = {}; }

 private:
  std::unordered_map<const ir::Value*, State> states_;
};

// The alias analysis of a program: must-alias trees (Alias), may-alias links between their roots, the writes of each
// block, and the last read of each root. Computed as a fixpoint from the alias marks of schemas, the attributes
// "shares_memory" of infer_facts(), and the items of lists. If a write conflicts with a later read, the analysis starts
// again, and also selects items by dynamic indices, lists, and what lists contain after an If that changes them. It
// then delays changes of dynamic lists, so that a later write to a stored tensor is visible in the list. If there is a
// conflict still, and the caller inserts the numbers, it also selects loop-carried tensors (Carried).
class AliasForest {
 public:
  enum class Loops { AsTheyAre, Numbered };  // Numbered: inserts nodes (kCarried), which the caller erases
  explicit AliasForest(ir::Graph& graph, Loops loops = Loops::AsTheyAre);

  const Alias& of(const ir::Value* value) const;
  ir::Value* object_of(ir::Value* value) const;             // the first name of the same object; stops at views
  ir::Value* root(ir::Value* value) const;                  // the value whose storage this is, or a selection
  const Selection* selection(const ir::Value* root) const;  // null: the root has storage of its own
  // The roots of a value, selections resolved.
  std::vector<ir::Value*> roots(ir::Value* value) const;
  bool is_written(const ir::Value* root) const;
  // True if another tensor of the same elements (a view, or the result of detach()) was created before `node` and is
  // read after it. `value` is not one of these views.
  bool has_live_view(const ir::Value* value, const ir::Node* node) const;
  // Roots that are defined outside a block and written inside it, nested blocks included; in order of appearance.
  const std::vector<ir::Value*>& writes(const ir::Block* block) const;
  // Those of them that are lists.
  const std::vector<ir::Value*>& list_writes(const ir::Block* block) const;
  // True if the value is an item of a list that owns its items, or a view of such an item. It is read from and written
  // to the list without its delayed changes, which store other tensors.
  bool is_owned_item(const ir::Value* value) const;
  // True if the list grows while the item that the node reads is live, so that its index must count from the front.
  bool is_pinned(const ir::Node& read) const { return pinned_.contains(&read); }
  // The index of the item that the node reads from a dynamic list, in the list without its delayed changes. Empty if
  // there are none, or if they do not decide it.
  std::optional<std::int64_t> base_index(const ir::Node& node, const Contents& contents) const;
  // The tensor roots and selections that are written to, each with its first writer, in program order.
  const std::vector<std::pair<ir::Value*, const ir::Node*>>& first_writes() const { return first_writes_; }
  // The earlier roots that `root` may be an alias of; those of a selection.
  std::vector<const ir::Value*> possible_origins(const ir::Value* root) const;
  // True if the value may be a view that shows an element of its storage several times, as expand() does, so that a
  // write to a part of it changes other parts.
  bool may_have_shared_elements(const ir::Value* value) const;
  // A root that may be an alias of `value` and is read after the write at `node`; null: none.
  const ir::Value* conflict(ir::Value* value, const ir::Node* node) const;

  // Applies the effect of `node` to `contents`. Returns true if it stored new items, or delayed the change.
  bool apply_list(const ir::Node& node, Contents& contents) const;
  // The content of a container; of a selection, that of its candidates. Null if it is unknown.
  Contents::Known content_of(const ir::Value* root, const Contents& contents) const;
  // The item or the value of an entry that the node reads, if the container in input 0 has this content. Empty if it is
  // unknown.
  std::optional<Choice<ir::Value*>> item_of(const ir::Node& node, std::size_t output, const Content& content) const;
  // The lists and dicts that blocks of the If change and whose states after the blocks are joined.
  std::vector<ir::Value*> joined_lists(const ir::Node& branch, const Contents& contents) const;
  // The state after the If. Empty if a block has made the container dynamic.
  static std::optional<Contents::State> join(const ir::Node& branch, const Contents::State& yes,
                                             const Contents::State& no);
  bool is_joined(const ir::Node& node, const ir::Value* list) const;
  // The changes that build a list of known items, or that are delayed.
  static Changes changes_of(const Contents::State& state);

  // The loop-carried tensors of the Loop that numbers select, by index.
  std::vector<const Carried*> carried_in(const ir::Node& loop) const;
  // What a value that the loop begins with or an iteration yields may be. The leaves are tensors from before the loop,
  // tensors that the iteration creates, or storage of loop-carried tensors. Empty if it may be another one.
  std::optional<Choice<ir::Value*>> tensors_of(ir::Value* value, const ir::Node& loop) const;
  // True if this iteration creates the leaf, or an earlier one has.
  bool is_of_iteration(const ir::Value* leaf, const ir::Node& loop) const;
  // The loop-carried tensors whose storage the `leaf` that `carried` yields may be in, the first one that yields it:
  // all but the last one only in some runs.
  static std::vector<const Carried*> owners_of(const ir::Value* leaf, const Carried& carried,
                                               std::span<const Carried* const> all);
  // All nodes that were inserted.
  std::vector<ir::Node*> deciders() const;

 private:
  static constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();
  class Ownership;
  // A may-alias link between two roots.
  struct Link {
    const ir::Value* other;
    std::int64_t begin;  // holds for writes after this position
    std::size_t depth;   // nesting depth of the outermost object that both may share; 0: only tensors
  };
  // The roots that a value may alias, each with the greatest Link::depth over all paths of links.
  using Reached = std::unordered_map<const ir::Value*, std::size_t>;
  struct View {
    const ir::Value* value;
    std::int64_t begin;
  };
  // A result of an If, or a loop-carried value, that is unaliased if its origins are dead.
  struct Phi {
    struct Origin {
      const ir::Value* root;
      std::int64_t end;  // not read after this position if the value is unaliased
    };
    const ir::Value* value;
    const ir::Node* loop;  // null: an If
    bool is_yielded_once;
    std::vector<Origin> origins;
  };
  void find_aliases(bool is_precise);
  bool has_conflict() const;
  void pass();
  void walk(const ir::Block& block);
  void walk_if(ir::Node& node);
  void walk_loop(ir::Node& node);
  bool insert_deciders();
  Carried* find_carried(const ir::Node& loop, std::size_t index);
  bool is_numbered(const ir::Node& loop, std::size_t index);
  bool begin_carried(ir::Node& loop, std::size_t index);
  void end_carried(ir::Node& loop, std::span<const Reached> shares);
  void classify(ir::Node& node);
  std::optional<Content> content_after(const ir::Node& node, const Content& known, const Contents& contents) const;
  bool can_delay(const ir::Value* list) const;
  using Seen = std::unordered_set<const ir::Value*>;
  bool contains(ir::Value* value, const ir::Value* list, const Contents& contents, Seen& seen) const;
  std::optional<Changes> changes_after(const ir::Node& node, const ir::Value* list, const Contents& contents) const;
  bool delay(const ir::Node& node, Contents& contents) const;
  std::size_t least_length(const ir::Value* list) const;
  std::optional<Choice<ItemLocation>> locate(const ir::Node& node, const Contents& contents) const;
  std::optional<Choice<ir::Value*>> stored_item(const ir::Node& node, const Contents& contents) const;
  std::optional<Items> entries_of_pairs(const ir::Node& node, const Contents& contents) const;
  Items all_items(const ir::Value* root) const { return all_items(root, contents_); }
  Items all_items(const ir::Value* root, const Contents& contents) const;
  void classify_entry(ir::Node& node);
  void classify_element(ir::Node& node, std::size_t output);
  bool refer(ir::Value* value, const std::optional<Choice<ir::Value*>>& candidates);
  void set_alias(const ir::Value* value, ir::Value* parent, ir::Node* view, std::size_t output = 0);
  bool can_select(ir::Value* yield, const ir::Node& branch, Seen& seen) const;
  bool can_select(const Changes& changes, const ir::Node& branch, Seen& seen) const;
  bool can_join(const ir::Node& branch, const Contents::State& yes, const Contents::State& no) const;
  bool is_written_outside(ir::Value* item, const ir::Node& branch, Seen& seen) const;
  bool select(const ir::Value* result, Choice<ir::Value*> choice, const ir::Node* branch);
  void link_weights();
  std::size_t depth_of(const ir::Value* root) const;
  void join(const ir::Value* a, const ir::Value* b, std::int64_t begin, std::size_t depth = SIZE_MAX);
  using Begin = std::function<std::int64_t(const ir::Value* root)>;
  void share(ir::Value* value, const ir::Value* other, const Begin& begin, std::size_t depth = SIZE_MAX);
  void share(ir::Value* value, const ir::Value* other, const Begin& begin, std::size_t depth, Seen& seen);
  void share(ir::Value* value, const ir::Value* other, std::int64_t begin, std::size_t depth = SIZE_MAX);
  void share(ir::Value* value, const ir::Value* other, const ir::Node& at, std::size_t depth = SIZE_MAX);
  void note_shared_elements(const ir::Value* value, const ir::Value* root);
  void note_read(ir::Value* value, const ir::Block* block, std::int64_t position);
  void note_read(ir::Value* value, const ir::Block* block, std::int64_t position, bool is_own, Seen& seen);
  void note_write(ir::Value* value, const ir::Node& writer);
  void note_list_write(ir::Value* list, const ir::Node& writer);
  void note_applied(const ir::Value* list, const Contents::State& state, std::int64_t position);
  void note_moved(const ir::Value* item, std::int64_t position);
  bool owns_items(const ir::Value* list) const;
  void make_dynamic(const ir::Block* block, const ir::Node& owner, const ir::Node* at);
  void make_dynamic(ir::Value* list, const ir::Node* at);
  Reached reach(ir::Value* value) const;
  void reach(ir::Value* value, Reached& found, Seen& seen) const;
  static std::optional<std::size_t> common_depth(const Reached& a, const Reached& b);
  Reached closure(const ir::Value* root, std::int64_t position, std::size_t depth) const;
  void find_owners();
  bool may_be_unaliased(const ir::Value* value) const {
    return value->type().is(ir::Type::Kind::Tensor) && !aliased_.contains(value);
  }
  using Counts = std::unordered_map<const ir::Value*, std::size_t>;
  Counts count_yields(std::span<ir::Value* const> values) const;
  bool is_yielded_once(ir::Value* value, const Counts& counts) const;
  void note_results(const ir::Node& branch, std::span<const std::size_t> results);
  void note_carried(const ir::Node& loop, std::span<const std::size_t> carried);
  void find_aliased();
  std::int64_t first_position(const ir::Value* a, const ir::Value* b, const ir::Node* at) const;
  std::int64_t last_position(const ir::Value* root, const ir::Block* block, std::int64_t position) const;

  ir::Graph& graph_;
  const bool reshapes_;  // the program changes the shape or storage of a tensor in place; nothing is selected then
  Order positions_;
  bool is_precise_ = false;  // selects lists and items, joins contents, and delays changes
  std::unordered_map<const ir::Node*, std::vector<Carried>> carried_;  // by Loop; filled by insert_deciders()
  // Retained between passes.
  std::set<std::pair<const ir::Node*, const ir::Value*>> unjoined_;     // Ifs, and lists that are dynamic after them
  std::optional<std::unordered_set<const ir::Value*>> written_before_;  // what the first precise pass found written
  std::unordered_set<const ir::Value*> demoted_;  // loop-carried values that are not their initial value
  std::unordered_set<const ir::Value*> shrunk_;   // lists that may lose items
  std::unordered_map<const ir::Block*, std::vector<ir::Value*>> list_writes_;
  std::unordered_map<ir::Value*, bool> owners_;   // lists whose items are written to; true: the list owns its items
  std::unordered_set<const ir::Value*> aliased_;  // results of Ifs and loop-carried values that may have another alias
  std::unordered_set<const ir::Value*>
      overlapping_;  // roots that may be a view with shared elements, or have such items
  bool changed_ = false;
  // Reset by each pass.
  std::unordered_map<const ir::Value*, Alias> aliases_;
  std::unordered_map<const ir::Value*, Selection> selections_;
  std::unordered_map<const ir::Value*, std::vector<Link>> links_;
  std::unordered_map<const ir::Value*, std::size_t> listed_;  // depth of lists of views of a tensor
  std::unordered_map<const ir::Value*, std::int64_t> last_read_;
  std::unordered_set<const ir::Value*> written_;
  std::vector<std::pair<ir::Value*, const ir::Node*>> first_writes_;
  std::unordered_map<const ir::Value*, std::vector<View>> views_;  // by root
  std::unordered_map<const ir::Value*, std::int64_t> last_view_read_;
  std::unordered_set<const ir::Value*> detached_;  // like detach(): the elements of the parent, a shape of their own
  std::unordered_map<const ir::Value*, std::int64_t>
      last_own_read_;  // last read of a root by a value that is not detached
  std::unordered_map<const ir::Value*, ir::Value*> lists_of_items_;  // by the item that was read from a dynamic list
  std::unordered_map<const ir::Value*, std::int64_t> moved_;         // where a stored item first is in a dynamic list
  std::unordered_set<const ir::Node*> known_;                        // changes of lists that are known or delayed
  struct Application {
    std::int64_t position;
    bool moves;  // items that the list had before
  };
  std::unordered_map<const ir::Value*, std::vector<Application>> applied_;  // of delayed changes, by list
  std::unordered_set<const ir::Node*> pinned_;
  std::unordered_map<const ir::Block*, std::vector<ir::Value*>> writes_;
  std::vector<Phi> phis_;
  std::vector<std::pair<ir::Value*, const ir::Node*>> writers_;  // what is written to, and by which node
  Contents contents_;
};

}  // namespace tonnx::program
