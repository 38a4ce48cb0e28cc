#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "aten/traits.h"
#include "ir/graph.h"

namespace tonnx::program {

// The storage of a value: its own (no parent), that of the same object `parent` (no view), or a `view` of parent.
struct Alias {
  ir::Value* parent = nullptr;
  ir::Node* view = nullptr;
  std::size_t output = 0;  // which output of the view node; of prim::ListUnpack the element
};

// True for values that can be written to: tensors, lists, dicts and what may hold them.
bool is_memory(const ir::Type& type);

// The items of lists and tuples built by the program, kept up to date by walking it in order. A list whose items are
// not known at some point has no entry there ("dynamic").
class Contents {
 public:
  const std::vector<ir::Value*>* of(const ir::Value* root) const;
  void set(const ir::Value* root, std::vector<ir::Value*> items) { items_[root] = std::move(items); }
  void forget(const ir::Value* root) { items_.erase(root); }

 private:
  std::unordered_map<const ir::Value*, std::vector<ir::Value*>> items_;
};

// The alias forest of a program: which value shares memory with which, what is written where, and what is read last.
// Built from schema alias marks, the "shares_memory" attributes of infer_facts(), and the items of lists.
class AliasForest {
 public:
  explicit AliasForest(ir::Graph& graph);

  const Alias& of(const ir::Value* value) const;
  ir::Value* plain(ir::Value* value) const;  // climbs the same object only
  ir::Value* root(ir::Value* value) const;
  bool is_written(const ir::Value* root) const { return written_.contains(root); }
  // True if another tensor of the same elements (a view, or the result of detach()) was created before `node` and is
  // read after it. `value` is not one of these views.
  bool has_view_behind(const ir::Value* value, const ir::Node* node) const;
  // Roots that are defined outside a block and written inside it, nested blocks included; in order of appearance.
  const std::vector<ir::Value*>& writes(const ir::Block* block) const;
  // Those of them that are lists.
  const std::vector<ir::Value*>& list_writes(const ir::Block* block) const;
  // True if the value is an item of a list that owns its items, or a view of such an item.
  bool is_owned_item(const ir::Value* value) const;
  // True if a branch yields a value whose origin is unused after the branch.
  bool is_given_apart(const ir::Value* value) const;
  // The tensor roots that are written to, in the order of their first writes, with the nodes of these.
  const std::vector<std::pair<ir::Value*, const ir::Node*>>& first_writes() const { return first_writes_; }
  // The earlier roots that it may be an alias of.
  std::vector<const ir::Value*> possible_origins(const ir::Value* root) const;
  // The root that a write to `value` at `node` might change under another name that is read later; null: none.
  const ir::Value* conflict(ir::Value* value, const ir::Node* node) const;

  // Applies the effect of `node` on lists; rewriting passes call it, too. True if there was any.
  bool apply_list(const ir::Node& node, Contents& contents) const;

 private:
  static constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();
  class Ownership;
  struct Link {
    const ir::Value* other;
    std::int64_t begin;  // writes later than this meet it
    std::size_t depth;   // how many containers what the two share may have around it, itself included: lists that share
                         // their tensors alone, none
  };
  // What a value may be, or share something with, and Link::depth of the best way there.
  using Reached = std::unordered_map<const ir::Value*, std::size_t>;
  struct View {
    const ir::Value* value;
    std::int64_t begin;
  };
  // A value that a branch or a loop passes through, and its origins.
  struct Handed {
    struct From {
      const ir::Value* root;
      std::int64_t end;  // it is not read after this position
    };
    const ir::Value* value;
    const ir::Node* loop;  // null: a branch
    bool is_alone;         // passed through once
    std::vector<From> from;
  };
  struct Range {
    std::int64_t begin;
    std::int64_t end;
  };

  void number(const ir::Block& block);
  void pass();
  void walk(const ir::Block& block);
  void walk_if(ir::Node& node);
  void walk_loop(ir::Node& node);
  void classify(ir::Node& node);
  std::optional<std::vector<ir::Value*>> entries_of_pairs(const ir::Node& node, const Contents& contents) const;
  void classify_entry(ir::Node& node);
  void classify_element(ir::Node& node, std::size_t output, std::optional<std::size_t> item);
  void set_alias(const ir::Value* value, ir::Value* parent, ir::Node* view, std::size_t output = 0);
  void link_weights();
  std::size_t depth_of(const ir::Value* root) const;
  void join(const ir::Value* a, const ir::Value* b, std::int64_t begin, std::size_t depth = SIZE_MAX);
  using Begin = std::function<std::int64_t(const ir::Value* root)>;
  void share(ir::Value* value, const ir::Value* other, const Begin& begin, std::size_t depth = SIZE_MAX);
  void share(ir::Value* value, const ir::Value* other, std::int64_t begin, std::size_t depth = SIZE_MAX);
  void share(ir::Value* value, const ir::Value* other, const ir::Node& at, std::size_t depth = SIZE_MAX);
  void note_read(ir::Value* value, std::int64_t position);
  void note_write(ir::Value* value, const ir::Node& writer);
  void make_dynamic(const ir::Block* block, const ir::Node* at);
  Reached reach(ir::Value* value) const;
  Reached closure(const ir::Value* root, std::int64_t position, std::size_t depth) const;
  void find_owners();
  bool may_be_apart(const ir::Value* value) const {
    return value->type().is(ir::Type::Kind::Tensor) && !tied_.contains(value);
  }
  using Counts = std::unordered_map<const ir::Value*, std::size_t>;
  Counts times_given(std::span<ir::Value* const> values) const;
  void note_apart(const ir::Node& branch, std::span<const std::size_t> results);
  void note_carried_apart(const ir::Node& loop, std::span<const std::size_t> carried);
  void find_tied();
  std::int64_t first_position(const ir::Value* a, const ir::Value* b, const ir::Node* at) const;
  std::int64_t last_position(const ir::Value* root, const ir::Block* block, std::int64_t position) const;

  ir::Graph& graph_;
  std::unordered_map<const ir::Node*, Range> positions_;
  std::int64_t next_position_ = 0;
  // Kept between passes.
  std::unordered_set<const ir::Value*> demoted_;  // loop-carried values that are not their initial value
  std::unordered_map<const ir::Block*, std::vector<ir::Value*>> list_writes_;
  std::unordered_map<ir::Value*, bool> owners_;  // lists with items that are written to: whether they alone hold these
  std::unordered_set<const ir::Value*>
      tied_;  // values that branches and loops pass through and that may have other aliases
  bool changed_ = false;
  // Of one pass.
  std::unordered_map<const ir::Value*, Alias> aliases_;
  std::unordered_map<const ir::Value*, std::vector<Link>> links_;
  std::unordered_map<const ir::Value*, std::size_t> listed_;  // depth of lists of views of a tensor
  std::unordered_map<const ir::Value*, std::int64_t> last_read_;
  std::unordered_set<const ir::Value*> written_;
  std::vector<std::pair<ir::Value*, const ir::Node*>> first_writes_;
  std::unordered_map<const ir::Value*, std::vector<View>> views_;  // by root
  std::unordered_map<const ir::Value*, std::int64_t> last_view_read_;
  std::unordered_set<const ir::Value*> detached_;  // the elements of their parent, in a shape of their own
  std::unordered_map<const ir::Value*, std::int64_t>
      last_own_read_;  // last read of a root by a value that is not detached
  std::unordered_map<const ir::Value*, ir::Value*>
      lists_of_items_;  // of what was read from a list whose items are not known
  std::unordered_map<const ir::Block*, std::vector<ir::Value*>> writes_;
  std::vector<Handed> handed_;
  Contents contents_;
};

}  // namespace tonnx::program
