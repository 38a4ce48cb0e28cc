#include "program/references/alias.h"

#include <algorithm>
#include <span>

#include "aten/containers.h"
#include "ir/constant_facts.h"
#include "ir/control_flow.h"
#include "ir/error.h"
#include "ir/merge.h"
#include "ir/writes.h"
#include "program/edit.h"
#include "program/references/names.h"
#include "program/writes/views.h"

namespace tonnx::program {

using aten::Container;
using ir::Block;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

constexpr int kPasses = 100;  // until the fixpoint; n nested loops take about n + 2

const std::vector<Value*> kNone;

// True if a list has as many items after the operation, or more.
bool keeps_length(Container operation) {
  switch (operation) {
    case Container::Append:
    case Container::Extend:
    case Container::Insert:
    case Container::SetItem:
    case Container::Reverse:
    case Container::Sort: return true;
    default: return false;
  }
}

// The depth of nested containers in a value of the type: 0 for a tensor, 1 for a list of tensors; SIZE_MAX: unknown.
std::size_t nesting(const Type& type) {
  if (type.is(Type::Kind::Any) || type.is(Type::Kind::Object) || type.is(Type::Kind::Other)) return SIZE_MAX;
  std::size_t deepest = 0;
  for (const Type& element : type.elements) deepest = std::max(deepest, nesting(element));
  return deepest +
         (is_memory(type) && !type.is(Type::Kind::Tensor) && !type.is(Type::Kind::Optional) && deepest < SIZE_MAX);
}

}  // namespace

bool is_memory(const Type& type) {
  switch (type.kind) {
    case Type::Kind::Tensor:
    case Type::Kind::List:
    case Type::Kind::Dict:
    case Type::Kind::Tuple:
    case Type::Kind::Any:
    case Type::Kind::Object:
    case Type::Kind::Other: return true;
    case Type::Kind::Optional: return type.elements.empty() || is_memory(type.elements.front());
    default: return false;
  }
}

AliasForest::AliasForest(ir::Graph& graph, Loops loops)
    : graph_(graph), reshapes_(reshapes_in_place(graph)), positions_(graph) {
  find_aliases(false);
  const bool has_owner = std::ranges::any_of(owners_, [](const auto& list) { return list.second; });
  const bool is_refused = has_conflict();
  if (!is_refused && !has_owner) return;
  find_aliases(true);
  if (!has_conflict()) return;
  if (!is_refused) {
    find_aliases(false);
  } else if (loops == Loops::Numbered && insert_deciders()) {
    find_aliases(true);
  }
}

void AliasForest::find_aliases(bool is_precise) {
  is_precise_ = is_precise;
  demoted_.clear();
  shrunk_.clear();
  list_writes_.clear();
  owners_.clear();
  aliased_.clear();
  overlapping_.clear();
  unjoined_.clear();
  written_before_.reset();
  for (int i = 0; i < kPasses; ++i) {
    changed_ = false;
    pass();
    if (!changed_) return;
  }
  throw ir::Error(ir::Code::Internal, "the alias analysis does not reach a fixpoint");
}

// True if a write conflicts with a later read, may change state, or changes a dict whose content is unknown.
bool AliasForest::has_conflict() const {
  const auto is_state = [&](const Value* root) { return root->weight() || root->node() == graph_.block().params(); };
  const auto may_change_state = [&](Value* value, const Node* node) {
    return std::ranges::any_of(roots(value), [&](const Value* written) {
      const Reached reached = closure(written, positions_.at(node).begin, 0);
      return std::ranges::any_of(reached, [&](const auto& one) { return one.first != written && is_state(one.first); });
    });
  };
  return std::ranges::any_of(writers_, [&](const auto& write) {
    const auto& [value, node] = write;
    return !value || conflict(value, node) || (value->type().is(Type::Kind::Tensor) && may_change_state(value, node));
  });
}

void AliasForest::pass() {
  aliases_.clear();
  selections_.clear();
  links_.clear();
  listed_.clear();
  last_read_.clear();
  written_.clear();
  first_writes_.clear();
  views_.clear();
  last_view_read_.clear();
  detached_.clear();
  last_own_read_.clear();
  lists_of_items_.clear();
  moved_.clear();
  known_.clear();
  applied_.clear();
  pinned_.clear();
  writes_.clear();
  phis_.clear();
  writers_.clear();
  contents_ = {};
  link_weights();
  walk(graph_.block());
  find_owners();
  find_aliased();
  if (!is_precise_ || written_before_) return;
  written_before_ = written_;
  changed_ = true;
}

const Alias& AliasForest::of(const Value* value) const {
  static const Alias own;
  const auto found = aliases_.find(value);
  return found == aliases_.end() ? own : found->second;
}

Value* AliasForest::object_of(Value* value) const {
  for (const Alias* a = &of(value); a->parent && !a->view; a = &of(value)) value = a->parent;
  return value;
}

Value* AliasForest::root(Value* value) const {
  for (const Alias* a = &of(value); a->parent; a = &of(value)) value = a->parent;
  return value;
}

const std::vector<Value*>& AliasForest::writes(const Block* block) const {
  const auto found = writes_.find(block);
  return found == writes_.end() ? kNone : found->second;
}

const std::vector<Value*>& AliasForest::list_writes(const Block* block) const {
  const auto found = list_writes_.find(block);
  return found == list_writes_.end() ? kNone : found->second;
}

void AliasForest::set_alias(const Value* value, Value* parent, Node* view, std::size_t output) {
  aliases_[value] = {parent, view, output};
  if (!view) return;
  for (const Value* root : roots(parent)) {
    views_[root].push_back({value, positions_.at(view).begin});
    if (!value->type().is(Type::Kind::Tensor) && root->type().is(Type::Kind::Tensor))
      listed_[root] = nesting(value->type());
  }
}

// The position from which a link created at `at` holds: the start of the outermost loop around `at` that defines
// neither root, because a later iteration may write before `at`.
std::int64_t AliasForest::first_position(const Value* a, const Value* b, const Node* at) const {
  std::int64_t position = positions_.at(at).begin;
  for (const Block* block = at->home(); block && block->owner(); block = block->owner()->parent())
    if (block->owner()->is("prim::Loop") && !is_inside(*a->node(), *block) && !is_inside(*b->node(), *block))
      position = positions_.at(block->owner()).begin;
  return position;
}

std::int64_t AliasForest::last_position(const Value* root, const Block* block, std::int64_t position) const {
  for (const Block* b = block; b && b->owner(); b = b->owner()->parent())
    if (b->owner()->is("prim::Loop") && !is_inside(*root->node(), *b)) position = positions_.at(b->owner()).end - 1;
  return position;
}

std::size_t AliasForest::depth_of(const Value* root) const {
  const auto listed = listed_.find(root);
  return listed == listed_.end() ? nesting(root->type()) : listed->second;
}

void AliasForest::join(const Value* a, const Value* b, std::int64_t begin, std::size_t depth) {
  if (a == b) return;
  const std::size_t most = std::min({depth, depth_of(a), depth_of(b)});
  const auto add = [&](const Value* from, const Value* to) {
    std::vector<Link>& links = links_[from];
    const auto is_stronger = [&](const Link& l) { return l.other == to && l.begin <= begin && l.depth >= most; };
    if (std::ranges::any_of(links, is_stronger)) return;
    std::erase_if(links, [&](const Link& l) { return l.other == to && l.begin >= begin && l.depth <= most; });
    links.push_back({to, begin, most});
  };
  add(a, b);
  add(b, a);
}

// Links `other` to the roots of the value, and to its items if they are known.
void AliasForest::share(Value* value, const Value* other, const Begin& begin, std::size_t depth) {
  Seen seen;
  share(value, other, begin, depth, seen);
}

void AliasForest::share(Value* value, const Value* other, const Begin& begin, std::size_t depth, Seen& seen) {
  if (!is_memory(value->type())) return;
  note_shared_elements(value, other);
  for (const Value* one : roots(value)) join(one, other, begin(one), std::min(depth, nesting(value->type())));
  if (!seen.insert(root(value)).second) return;
  for (Value* item : all_items(root(value))) share(item, other, begin, SIZE_MAX, seen);
}

void AliasForest::share(Value* value, const Value* other, std::int64_t begin, std::size_t depth) {
  share(value, other, [begin](const Value*) { return begin; }, depth);
}

void AliasForest::share(Value* value, const Value* other, const Node& at, std::size_t depth) {
  share(value, other, [&](const Value* root) { return first_position(root, other, &at); }, depth);
}

bool AliasForest::may_have_shared_elements(const Value* value) const {
  const auto shares = [](const Node& view) {
    switch (aten::traits_of(view).inverse) {
      case aten::Inverse::None: return aten::traits_of(view).container == Container::None;
      case aten::Inverse::AsStrided: return shares_elements(view);
      case aten::Inverse::Expand: {
        const auto &before = view.input()->facts().dims, &after = view.output()->facts().dims;
        return !before || !after || !ir::same_dims(*before, *after);
      }
      default: return false;
    }
  };
  for (const Alias* alias = &of(value); alias->parent; alias = &of(value)) {
    if (alias->view && shares(*alias->view)) return true;
    value = alias->parent;
  }
  if (overlapping_.contains(value)) return true;
  bool is_any = false;
  if (const Selection* selected = selection(value))
    for_each_leaf(selected->choice,
                  [&](const Value* one, const Node*) { is_any = is_any || may_have_shared_elements(one); });
  return is_any;
}

// Notes that the root may be the value, or have it as an item. contiguous() copies a tensor with shared elements.
void AliasForest::note_shared_elements(const Value* value, const Value* root) {
  const bool is_copy = root->node() && root->node()->is("aten::contiguous") && names_plain_order(*root->node());
  if (!is_copy && may_have_shared_elements(value)) changed_ |= overlapping_.insert(root).second;
}

// Weights may overlap in one storage.
void AliasForest::link_weights() {
  std::unordered_map<const ir::Storage*, std::vector<const Value*>> by_storage;
  for (const Value* weight : graph_.weights()) {
    std::vector<const Value*>& others = by_storage[weight->weight()->storage.get()];
    for (const Value* other : others)
      if (weight->weight()->may_overlap(*other->weight())) join(weight, other, 0, 0);
    others.push_back(weight);
  }
}

// The roots that `root` reaches through links that hold before `position` and have at least this depth, itself
// included.
AliasForest::Reached AliasForest::closure(const Value* root, std::int64_t position, std::size_t depth) const {
  Reached found = {{root, depth_of(root)}};
  std::vector<const Value*> worklist = {root};
  while (!worklist.empty()) {
    const Value* from = worklist.back();
    worklist.pop_back();
    const auto links = links_.find(from);
    if (links == links_.end()) continue;
    for (const Link& l : links->second) {
      const std::size_t shared = std::min(found.at(from), l.depth);
      if (l.begin >= position || shared < depth) continue;
      const auto [other, is_new] = found.emplace(l.other, shared);
      if (!is_new && other->second >= shared) continue;
      other->second = shared;
      worklist.push_back(l.other);
    }
  }
  return found;
}

// The roots that the value or an item of it may alias at the end of the program.
AliasForest::Reached AliasForest::reach(Value* value) const {
  Reached found;
  Seen seen;
  reach(value, found, seen);
  return found;
}

void AliasForest::reach(Value* value, Reached& found, Seen& seen) const {
  for (const Value* one : roots(value))
    for (const auto& [other, depth] : closure(one, kEnd, 0)) {
      const auto known = found.emplace(other, depth).first;
      known->second = std::max(known->second, depth);
    }
  if (!seen.insert(root(value)).second) return;
  for (Value* item : all_items(root(value)))
    if (is_memory(item->type())) reach(item, found, seen);
}

// The depth of the deepest object that both may share; empty if they share nothing.
std::optional<std::size_t> AliasForest::common_depth(const Reached& a, const Reached& b) {
  std::optional<std::size_t> most;
  for (const auto& [value, depth] : a)
    if (const auto other = b.find(value); other != b.end())
      most = std::max(most.value_or(0), std::min(depth, other->second));
  return most;
}

const Value* AliasForest::conflict(Value* value, const Node* node) const {
  const std::int64_t begin = positions_.at(node).begin;
  // A write to a list does not change its items: only a value that may share the list itself conflicts.
  const std::size_t least = value->type().is(Type::Kind::List) ? nesting(value->type()) : 0;
  const Value* first = nullptr;  // by id, so that the message is deterministic
  for (const Value* written : roots(value)) {
    if (!links_.contains(written)) continue;
    for (const auto& [other, shared] : closure(written, begin, least)) {
      const auto read = last_read_.find(other);
      const bool is_live = other != written && read != last_read_.end() && read->second > begin;
      if (is_live && (!first || other->id() < first->id())) first = other;
    }
  }
  return first;
}

bool AliasForest::has_live_view(const Value* value, const Node* node) const {
  while (!detached_.contains(value) && of(value).parent) value = of(value).parent;
  Value* root = this->root(const_cast<Value*>(value));
  const std::int64_t begin = positions_.at(node).begin;
  const auto is_read_later = [&](const auto& reads, const Value* v) {
    const auto read = reads.find(v);
    return read != reads.end() && read->second > begin;
  };
  return std::ranges::any_of(roots(root), [&](const Value* one) {
    if (value != root && is_read_later(last_own_read_, one)) return true;
    const auto views = views_.find(one);
    return views != views_.end() && std::ranges::any_of(views->second, [&](const View& view) {
             return view.value != value && view.value != root && view.begin < begin &&
                    is_read_later(last_view_read_, view.value);
           });
  });
}

// Notes a read in `block` at `position`.
void AliasForest::note_read(Value* value, const Block* block, std::int64_t position) {
  Seen seen;
  note_read(value, block, position, true, seen);
}

// `is_own`: not by a tensor like the result of detach(). `seen`: the roots whose items are noted.
void AliasForest::note_read(Value* value, const Block* block, std::int64_t position, bool is_own, Seen& seen) {
  if (!is_memory(value->type())) return;
  const auto note = [](auto& reads, const Value* read, std::int64_t at) {
    std::int64_t& last = reads[read];
    last = std::max(last, at);
  };
  Value* r = root(value);
  const std::int64_t last = last_position(r, block, position);
  for (const Value* v = value; v != r; v = of(v).parent) {
    note(last_view_read_, v, last);
    is_own = is_own && !detached_.contains(v);
  }
  if (const Selection* selected = selection(r)) {
    note(last_view_read_, r, last);
    for (const Value* one : selected->roots) {
      const std::int64_t last_of_one = last_position(one, block, position);
      note(last_read_, one, last_of_one);
      if (is_own) note(last_own_read_, one, last_of_one);
    }
  } else {
    note(last_read_, r, last);
    if (is_own) note(last_own_read_, r, last);
  }
  if (!seen.insert(r).second) return;
  for (Value* item : all_items(r)) note_read(item, block, position, true, seen);
}

void AliasForest::note_write(Value* value, const Node& writer) {
  const Value* named = root(value);
  const bool changes = value->type().is(Type::Kind::Tensor) && aten::write_of(writer) != aten::Write::Nothing;
  const auto is_known = [&](const auto& write) { return write.first == named; };
  if (changes && std::ranges::none_of(first_writes_, is_known)) first_writes_.emplace_back(root(value), &writer);
  const bool is_list = !value->type().is(Type::Kind::Tensor);
  if (is_list || changes) writers_.emplace_back(value, &writer);
  for (Value* r : roots(value)) {
    const bool is_item = !is_list && r->type().is(Type::Kind::List);  // that the list owns
    if (is_item && contents_.of(r)) make_dynamic(r, &writer);
    written_.insert(r);
    if (const auto list = lists_of_items_.find(r); list != lists_of_items_.end())
      changed_ |= owners_.emplace(list->second, true).second;
    // A tensor may be written to outside of the block that creates it: as the result of an If, or, before the fixpoint,
    // as an item of a list.
    for (const Block* b = writer.parent(); b->owner() && !is_inside(*r->node(), *b); b = b->owner()->parent()) {
      std::vector<Value*>& roots = writes_[b];
      if (std::find(roots.begin(), roots.end(), r) == roots.end()) roots.push_back(r);
    }
    if (!r->type().is(Type::Kind::Tensor)) note_list_write(r, writer);
  }
}

// Notes that the node changes a list, or applies its delayed changes.
void AliasForest::note_list_write(Value* list, const Node& writer) {
  for (const Block* b = writer.parent(); b->owner() && !is_inside(*list->node(), *b); b = b->owner()->parent()) {
    std::vector<Value*>& lists = list_writes_[b];
    if (std::ranges::find(lists, list) != lists.end()) continue;
    lists.push_back(list);
    changed_ = true;
  }
}

// Makes the list dynamic at `at`, without delayed changes. Its items count as read there, and may alias the list.
void AliasForest::make_dynamic(Value* list, const Node* at) {
  note_applied(list, contents_.state(list), positions_.at(at).begin);
  for (Value* item : all_items(list)) {
    if (!is_memory(item->type())) continue;
    note_read(item, at->home(), positions_.at(at).begin);
    share(item, list, *at);
  }
  contents_.invalidate(list);
}

// The same for the lists that the block of `owner` changes.
void AliasForest::make_dynamic(const Block* block, const Node& owner, const Node* at) {
  for (Value* list : list_writes(block))
    if (!is_joined(owner, list)) make_dynamic(list, at);
}

void AliasForest::walk(const Block& block) {
  for (Node* node : block.nodes()) {
    for (Value* in : node->inputs()) note_read(in, node->parent(), positions_.at(node).begin);
    if (node->is("prim::If")) {
      walk_if(*node);
    } else if (node->is("prim::Loop")) {
      walk_loop(*node);
    } else {
      classify(*node);
    }
  }
  const std::int64_t end = positions_.at(block.return_node()).begin;
  for (Value* out : block.outputs()) note_read(out, &block, end);
}

void AliasForest::walk_if(Node& node) {
  for (const Block* block : node.blocks()) make_dynamic(block, node, &node);
  const std::vector<Value*> joined = joined_lists(node, contents_);
  std::vector<Contents::State> before, after;  // of each list before the If, and after the first block
  for (const Value* list : joined) before.push_back(contents_.state(list));
  for (const Block* block : node.blocks()) {
    for (std::size_t i = 0; i < joined.size(); ++i) contents_.set(joined[i], before[i]);
    walk(*block);
    make_dynamic(block, node, block->return_node());
    for (std::size_t i = 0; i < joined.size(); ++i) {
      if (block == node.block(0)) {
        after.push_back(contents_.state(joined[i]));
      } else if (const Contents::State last = contents_.state(joined[i]); can_join(node, after[i], last)) {
        contents_.set(joined[i], *join(node, after[i], last));
      } else {
        contents_.invalidate(joined[i]);
        unjoined_.emplace(&node, joined[i]);
        changed_ = true;
      }
    }
  }
  std::vector<std::size_t> unaliased;
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    Value* out = node.output(i);
    if (!is_memory(out->type())) continue;
    Value* a = node.block(0)->outputs()[i];
    Value* b = node.block(1)->outputs()[i];
    Value* same = object_of(is_never(a) ? b : a);
    const bool agree = is_never(a) || is_never(b) || same == object_of(b);
    if (agree && !is_inside(*same->node(), node)) {
      set_alias(out, same, nullptr);
      continue;
    }
    if (may_be_unaliased(out)) {
      for (const Value* yield : {a, b})
        if (!is_never(yield)) note_shared_elements(yield, out);
      unaliased.push_back(i);
      continue;
    }
    if (select(out, Choice<Value*>(node, {a, b}), &node)) continue;
    for (Value* yield : {a, b})
      if (is_memory(yield->type()) && !is_never(yield)) share(yield, out, positions_.at(&node).end);
  }
  note_results(node, unaliased);
}

void AliasForest::walk_loop(Node& node) {
  const Block& body = *node.block(0);
  const std::int64_t end = positions_.at(&node).end;
  const std::size_t count = node.output_count();
  for (std::size_t i = 0; i < count; ++i) {
    Value* param = body.inputs()[i + 1];
    Value* init = node.input(i + 2);
    if (Carried* carried = find_carried(node, i)) carried->is_active = false;
    if (!is_memory(param->type())) continue;
    if (!demoted_.contains(param)) {
      set_alias(param, init, nullptr);
    } else if (!may_be_unaliased(param) && !begin_carried(node, i)) {
      share(init, param, node);
    }
  }
  make_dynamic(&body, node, &node);
  walk(body);
  make_dynamic(&body, node, body.return_node());
  std::vector<std::size_t> unaliased;
  std::vector<Reached> shares(count);  // what each loop-carried value may alias at the end of an iteration
  for (std::size_t i = 0; i < count; ++i) {
    Value* param = body.inputs()[i + 1];
    Value* init = node.input(i + 2);
    Value* yield = body.outputs()[i + 1];
    Value* out = node.output(i);
    if (!is_memory(out->type())) continue;
    if (!demoted_.contains(param)) {
      if (object_of(yield) == object_of(init)) {
        set_alias(out, init, nullptr);
      } else {
        demoted_.insert(param);
        changed_ = true;
      }
      continue;
    }
    if (!is_numbered(node, i))
      for (const Value* one : {init, yield})
        for (const Value* phi : {param, out})
          if (!is_never(one)) note_shared_elements(one, phi);
    if (may_be_unaliased(param)) {
      unaliased.push_back(i);
      continue;
    }
    if (is_numbered(node, i)) continue;
    share(init, out, end);
    shares[i] = reach(yield);
    for (const auto& [other, depth] : shares[i]) {
      const bool is_param = std::ranges::find(body.inputs(), other) != body.inputs().end();
      // Results do not exist before the last iteration, and the next iteration creates its own values.
      if (other->node() == &node || (is_inside(*other->node(), body) && !is_param)) continue;
      join(param, other, first_position(param, other, &node), depth);
      if (!is_param) join(out, other, end, depth);
    }
  }
  note_carried(node, unaliased);
  end_carried(node, shares);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const auto most = common_depth(shares[i], shares[j]);
      if (!most) continue;
      const Value *one = body.inputs()[i + 1], *other = body.inputs()[j + 1];
      join(node.output(i), node.output(j), end, *most);
      join(one, other, first_position(one, other, &node), *most);
    }
  }
}

// Makes the value another name of a candidate, or a selection. False if neither is possible.
bool AliasForest::refer(Value* value, const std::optional<Choice<Value*>>& candidates) {
  if (!candidates) return false;
  if (candidates->decider) return is_precise_ && select(value, *candidates, nullptr);
  set_alias(value, candidates->one, nullptr);
  return true;
}

// A result that is the value of an entry of a dict, a default, or a container of entries.
void AliasForest::classify_entry(Node& node) {
  Value* out = node.output();
  if (!is_memory(out->type())) return;
  Value* dict = root(node.input());
  const Contents::Known entries = content_of(dict, contents_);
  const bool reads_one =
      aten::traits_of(node).container != Container::Items && aten::traits_of(node).container != Container::PopItem;
  if (entries && reads_one && refer(out, item_of(node, 0, *entries))) return;
  for (Value* entry : all_items(dict)) share(entry, out, node);
  if (!entries)
    for (Value* one : roots(dict)) join(out, one, first_position(out, one, &node));
  for (std::size_t i = 1; i < node.input_count(); ++i) share(node.input(i), out, node);
}

// A result that is an item of the container in input 0.
void AliasForest::classify_element(Node& node, std::size_t output) {
  Value* out = node.output(output);
  if (!is_memory(out->type())) return;
  Value* container = node.input();
  Value* r = root(container);
  if (const Contents::Known content = content_of(r, contents_)) {
    if (refer(out, item_of(node, output, *content))) return;
    for (Value* element : all_items(r)) share(element, out, node);
    return;
  }
  if (refer(out, stored_item(node, contents_))) return;
  const bool is_own_name = object_of(container) == r && !selection(r);
  const bool is_popped = aten::traits_of(node).container == Container::Pop;
  const bool owns = is_own_name && owns_items(r);
  const bool is_in_base = is_own_name && base_index(node, contents_);
  if (owns && !is_popped && !is_in_base && contents_.state(r).changes) {
    note_list_write(r, node);
    make_dynamic(r, &node);
  }
  if (!is_in_base)
    for (Value* element : all_items(r)) share(element, out, node);
  if (r->type().is(Type::Kind::Tensor)) {  // a list of views of a tensor
    set_alias(out, container, &node, output);
    return;
  }
  note_shared_elements(r, out);
  // The items of a fresh list of tensors are fresh. Items of other dynamic lists may alias the list.
  const bool unpacked = aten::traits_of(node).container == Container::ListUnpack;
  const bool fresh = unpacked && r->node() && is_fresh_list(*r->node()) && r->uses().size() == 1;
  if (fresh) return;
  if (owns && is_popped) return;
  if (owns) return set_alias(out, container, &node, output);
  for (Value* one : roots(r)) join(out, one, first_position(out, one, &node));
  if (is_own_name) lists_of_items_[out] = r;
}

void AliasForest::classify(Node& node) {
  if (node.is(kCarried)) return;
  const Container operation = aten::traits_of(node).container;
  if (operation == Container::ListUnpack || operation == Container::TupleUnpack) {
    for (std::size_t i = 0; i < node.output_count(); ++i) classify_element(node, i);
    return;
  }
  const bool of_dict = node.input_count() > 0 && node.input()->type().is(Type::Kind::Dict);
  const bool reads_entry = operation == Container::Item || operation == Container::Get || operation == Container::Pop ||
                           operation == Container::SetDefault || operation == Container::PopItem ||
                           operation == Container::Items;
  if (of_dict && reads_entry) {
    classify_entry(node);
    if (!writes_argument(node, 0)) return;
  } else if (operation == Container::Item || operation == Container::Pop) {
    classify_element(node, 0);
    if (!writes_argument(node, 0)) return;
  }
  const bool writes_list =
      node.input_count() > 0 && writes_argument(node, 0) && !node.input()->type().is(Type::Kind::Tensor);
  if (writes_list) {
    const std::vector<Value*> lists = roots(node.input());
    std::vector<Items> before;
    std::vector<Contents::State> states;
    for (const Value* list : lists) {
      before.push_back(all_items(list));
      states.push_back(contents_.state(list));
      if (!keeps_length(operation)) changed_ |= shrunk_.insert(list).second;
    }
    note_write(node.input(), node);
    const bool is_known = apply_list(node, contents_);
    if (is_known) known_.insert(&node);
    if (of_dict && !is_known) writers_.emplace_back(nullptr, &node);
    for (std::size_t k = 0; k < lists.size(); ++k) {
      const Value* list = lists[k];
      if (is_known) {
        const auto links = links_.find(list);
        for (const Link& l : links == links_.end() ? std::vector<Link>() : links->second)
          if (l.depth >= nesting(list->type()))
            for (Value* item : all_items(list)) share(item, l.other, std::max(l.begin, positions_.at(&node).begin));
        continue;
      }
      // The list is dynamic from here on: its old items and the new ones may alias it.
      note_applied(list, states[k], positions_.at(&node).begin);
      for (Value* item : before[k]) share(item, list, node);
      for (std::size_t i = 1; i < node.input_count(); ++i) {
        Value* in = node.input(i);
        const Type& type = operation == Container::Extend ? in->type().elements.at(0) : in->type();
        if (is_memory(type)) share(in, list, node, nesting(type));
        for (const Value* item : operation == Container::Extend ? all_items(root(in)) : Items{in})
          note_moved(item, positions_.at(&node).begin);
      }
    }
    if (node.output_count() == 1 && operation != Container::Pop && !of_dict)
      set_alias(node.output(), node.input(), nullptr);
    return;
  }
  if (apply_list(node, contents_)) return;
  bool any_alias = false;
  for (std::size_t o = 0; o < node.output_count(); ++o) {
    Value* out = node.output(o);
    if (!is_memory(out->type())) continue;
    const Relation relation = relation_of(node, o);
    any_alias = any_alias || relation.kind != Relation::Kind::Fresh;
    switch (relation.kind) {
      case Relation::Kind::Fresh: break;
      case Relation::Kind::Same:
        set_alias(out, node.input(relation.input), nullptr);
        // Operators without a gradient, such as detach(), return another tensor.
        if (aten::traits_of(node).gradient == aten::Gradient::None && !ir::writes(node)) {
          detached_.insert(out);
          views_[root(out)].push_back({out, positions_.at(&node).begin});
        }
        break;
      case Relation::Kind::View: set_alias(out, node.input(relation.input), &node, o); break;
      case Relation::Kind::Unknown:
        // Views of unknown form, such as those of broadcast_tensors() and meshgrid().
        if (aten::traits_of(node).alias == aten::Alias::Unmarked) changed_ |= overlapping_.insert(out).second;
        for (Value* in : node.inputs()) {
          if (!is_memory(in->type())) continue;
          const std::size_t depth = nesting(out->type());
          share(in, out, node, aten::gives_new_list(node) && depth > 0 ? depth - 1 : depth);
        }
        break;
    }
  }
  for (std::size_t i = 0; i < node.input_count(); ++i)
    if (writes_argument(node, i)) note_write(node.input(i), node);
}

}  // namespace tonnx::program
