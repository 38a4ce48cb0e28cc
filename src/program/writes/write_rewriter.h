#pragma once

#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "aten/functional_form.h"
#include "ir/refusal.h"
#include "program/control/branch_per_value.h"
#include "program/control/carry.h"
#include "program/edit.h"
#include "program/references/alias.h"

namespace tonnx::program {

// The walk of functionalise(): tracks the current value of each root, and caches the views of it.
class WriteRewriter {
 public:
  // `warnings` may be null.
  WriteRewriter(ir::Graph& graph, ir::Refusals& refusals, std::vector<std::string>* warnings)
      : graph_(graph), forest_(graph, AliasForest::Loops::Numbered), refusals_(refusals), warnings_(warnings) {}

  void rewrite();

 private:
  using Version = std::int64_t;
  struct Cached {
    Version version;
    ir::Value* value;
  };
  // One change to undo at the end of a block.
  struct Undo {
    const ir::Value* key;
    enum class Map { Current, Cache, List } map;
    bool had;
    Cached cached;
  };

  // What the blocks after an If need from a block of it: a root or an operand, and its current value there.
  struct Exports {
    std::vector<std::pair<ir::Value*, ir::Value*>> values;
    std::unordered_set<const ir::Value*> seen;
  };

  void block(ir::Block& block);
  void node(ir::Node& node);
  void plain_node(ir::Node& node);
  void branch(ir::Node& node);
  void loop(ir::Node& node);
  void tensor_write(ir::Node& node);  // in-place and out= operators
  void outs_write(ir::Node& node, std::size_t count, std::vector<ir::Value*> inputs, Inserter& insert);
  void users_write(ir::Node& node, const std::vector<std::size_t>& written, const std::vector<ir::Value*>& inputs);
  void list_write(ir::Node& node);
  void dict_write(ir::Node& node, Inserter& insert, const Content& entries);
  void dynamic_list_write(ir::Node& node, Inserter& insert);
  ir::Value* changed_list(const Change& change, ir::Value* list, ir::Value* now, Inserter& insert);
  ir::Value* apply_changes(ir::Value* list, Inserter& insert);
  ir::Value* read_length(const ir::Node& node, ir::Value* list, Inserter& insert);
  bool has_changes(ir::Value* root) const;
  bool read_owned_item(ir::Node& node, Inserter& insert);
  bool has_own_items(const ir::Value* list) const;
  ir::Value* owner_value(ir::Value* list, Inserter& insert);
  void write_item(const ir::Node& view, std::size_t output, ir::Value* list, ir::Value* item, Inserter& insert,
                  const ir::Node& writer);

  ir::Value* read(ir::Value* value, Inserter& insert);
  ir::Node* recreate(const ir::Node& view, ir::Value* parent, Inserter& insert) const;
  ir::Value* read_container(ir::Value* value, ir::Value* root, const Content& content, Inserter& insert);
  ir::Value* build_container(ir::Value* root, const Items& items, Inserter& insert);
  void write(ir::Value* value, ir::Value* now, Inserter& insert, const ir::Node& writer);
  void check(ir::Value* value, const ir::Node& writer);
  void warn_of_overlap(ir::Value* written, const ir::Node& writer) const;
  void replace_refused(ir::Node& node);
  // Selections (selected.cpp).
  using Store = std::function<ir::Value*(Inserter&)>;
  ir::Value* store(ir::Value* value, Inserter& insert, const ir::Node& writer, const Store& each);
  ir::Value* read_selected(ir::Value* selected, Inserter& insert);
  bool replace_read(ir::Node& node, Inserter& insert);
  ir::Value* read_scalar(const ir::Node& node, const Content& content, Inserter& insert);
  template <class T>
  struct Decision;
  template <class T>
  ir::Value* decide(const Choice<T>& choice, Inserter& insert, const Decision<T>& of);
  using Leaf = std::function<ir::Value*(ir::Value*, Inserter&)>;
  ir::Value* choose(const Choice<ir::Value*>& choice, const ir::Value& like, const Leaf& leaf, Inserter& insert);
  template <class T>
  Selector::Split split(const Choice<T>& choice, Selector::Range range, const Selector& selector, Inserter& insert);
  template <class T>
  ir::Value* decide_in(const Choice<T>& choice, Selector::Range range, const Selector& selector, Inserter& insert,
                       const Decision<T>& of);
  void find_exports(ir::Value* value, const ir::Block& block, Exports& exports) const;
  void find_exports(const Changes& changes, const ir::Block& block, Exports& exports) const;
  void export_values(ir::Block& block, const Exports& exports);
  // Loop-carried tensors that numbers select (numbered.cpp).
  std::vector<LoopValue> begin_numbers(ir::Node& loop, std::span<const Carried* const> all, Inserter& before);
  void end_numbers(ir::Node& loop, std::span<const Carried* const> all, std::span<const LoopValue> numbers,
                   Inserter& end);
  ir::Value* leaf_index(const Carried& carried, ir::Node& loop, Inserter& end);
  ir::Value* next_number(const Carried& carried, ir::Node& loop, std::span<const Carried* const> all,
                         const std::unordered_map<const Carried*, ir::Value*>& leaves, Inserter& end);
  bool is_left(const ir::Value& value) const { return value.node() && left_.contains(value.node()->home()); }
  ir::Value* visible(ir::Value* operand, Inserter& insert) const;

  void make_dynamic(const ir::Block* block, const ir::Node& owner, Inserter& insert);
  void make_dynamic(ir::Value* list, Inserter& insert);
  bool needs_rebuild(const Content& content) const;

  Version version(const ir::Value* root) const;
  ir::Value* current(ir::Value* root) const;
  void set_current(ir::Value* root, ir::Value* now);
  void set_cache(const ir::Value* value, Version version, ir::Value* now);
  void roll_back(std::size_t mark);
  std::vector<ir::Value*> written_in(const ir::Node& node) const;

  ir::Graph& graph_;
  AliasForest forest_;
  Contents contents_;
  std::unordered_map<const ir::Value*, Cached> current_;
  std::unordered_map<const ir::Value*, Cached> cache_;
  std::unordered_map<const ir::Value*, ir::Value*> lists_;  // the last node built for a container, by root
  std::vector<Undo> undo_;
  std::vector<ir::Node*> dead_nodes_;  // erased at the end
  std::unordered_set<const ir::Value*> dead_values_;
  std::unordered_map<const ir::Value*, ir::Value*> indices_;   // of items that lists own, if not those of their reads
  std::unordered_map<const ir::Value*, ir::Value*> resolved_;  // the candidate of a selection on the current path
  std::unordered_map<const ir::Value*, ir::Value*> exported_;  // the result of an If, by operand in the If
  std::unordered_set<const ir::Block*> left_;                  // blocks of Ifs that the walk has left
  std::size_t selected_blocks_ = 0;
  Version last_version_ = 0;
  ir::Refusals& refusals_;
  std::vector<std::string>* warnings_;
};

// Inserts the functional form of a writing tensor operator on the current values `inputs`. Returns the new content of
// the written argument, in its dtype. Throws Error(Code::Unsupported) if the operator has no functional form.
ir::Value* functional_value(ir::Node& node, std::size_t written, std::vector<ir::Value*> inputs, Inserter& insert);

// The arguments of the functional form of an operator with these inputs.
std::vector<ir::Value*> functional_arguments(const aten::FunctionalForm& form, std::span<ir::Value* const> inputs,
                                             Inserter& insert);

}  // namespace tonnx::program
