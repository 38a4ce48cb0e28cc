// A dict that each turn of a loop rebuilds with the keys that it has becomes one value a key.
//
// Needs constant keys before the loop, that a turn which begins with them ends with them, in their order, which is
// tried out on a copy of the turn; and, where the program writes to anything, that nobody else knows the dict from one
// turn to the next:
//
//   %d = prim::DictConstruct(%a, %x)            %z = prim::Loop(%n, %c, %x)
//   %e = prim::Loop(%n, %c, %d)                   block0(%i, %y):
//     block0(%i, %f):                               %f = prim::DictConstruct(%a, %y)
//       %g = ... of aten::items(%f)                 %g = ... of aten::items(%f)
//       -> (%c, %g)                                 %w = aten::__getitem__(%g, %a)
//                                                   -> (%c, %w)
//                                               %e = prim::DictConstruct(%a, %z)
#include <algorithm>
#include <optional>
#include <vector>

#include "aten/containers.h"
#include "ir/control_flow.h"
#include "ir/writes.h"
#include "program/containers/entries.h"
#include "program/containers/items.h"
#include "program/containers/passes.h"
#include "program/control/carry.h"
#include "program/edit.h"
#include "program/nodes_where.h"
#include "program/simplify.h"

namespace tonnx::program {

using aten::Container;
using ir::Block;
using ir::Node;
using ir::Type;
using ir::Use;
using ir::Value;

namespace {

using Entries = std::optional<std::vector<Value*>>;

bool changes(const Use& use) { return use.index == 0 && writes_argument(*use.node, 0); }

// How many get the dict, other than to read or change it.
std::ptrdiff_t hands_on(const Value& dict) {
  return std::ranges::count_if(dict.uses(), [](const Use& use) { return !only_asks(use) && !changes(use); });
}

// What a turn ends with, where it is made in the turn, or is what this begins with, and nobody else knows it.
class Owned {
 public:
  explicit Owned(const Value& begin) : begin_(begin), body_(*begin.node()->edge_of()) {}

  bool contain(const Value& dict) {
    if (std::ranges::find(seen_, &dict) != seen_.end()) return true;
    seen_.push_back(&dict);
    const Node& maker = *dict.node();
    if (is_never(&dict)) return true;
    if (hands_on(dict) != 1 || !is_inside(maker, body_)) return false;
    if (&dict == &begin_ || aten::acts_as(maker, Container::Dict) || aten::acts_as(maker, Container::Copy)) return true;
    const std::vector<Value*> origins = &maker == body_.params() ? std::vector<Value*>() : handed_from(dict);
    if (origins.empty() || !std::ranges::all_of(origins, [&](const Value* origin) { return contain(*origin); }))
      return false;
    if (!maker.is("prim::Loop")) return true;
    // What its turns begin with may be the same dict.
    const Value* again = maker.block(0)->inputs()[dict.index() + 1];
    return hands_on(*again) == 0 || std::ranges::find(seen_, again) != seen_.end();
  }

 private:
  const Value& begin_;
  const Block& body_;
  std::vector<const Value*> seen_;
};

// Entries with the keys that a dict has at `end`, the loop or the block's end that gets it, in whose block it is made;
// nothing where they are not known, or it changes behind that.
Entries entries_before(const Value& dict, const Node& end) {
  const Node& maker = *dict.node();
  if (!aten::acts_as(maker, Container::Dict) || maker.parent() != end.home()) return std::nullopt;
  Entries entries = entries_of(maker.inputs());
  const bool keeps_keys = entries && std::ranges::all_of(dict.uses(), [&](const Use& use) {
                            return !changes(use) || (aten::acts_as(*use.node, Container::SetItem) &&
                                                     find_entry(*entries, use.node->input(1)).value);
                          });
  if (keeps_keys) return entries;
  std::size_t changed = 0;
  for (const Node* node = maker.next(); entries && node && node != &end; node = node->next()) {
    if (node->input_count() == 0 || node->input() != &dict || !writes_argument(*node, 0)) continue;
    ++changed;
    entries = changed_entries(*node, aten::traits_of(*node).container, *entries, nullptr);
  }
  if (std::ranges::count_if(dict.uses(), changes) != static_cast<std::ptrdiff_t>(changed)) return std::nullopt;
  return entries;
}

// Whether a dict is read before the loop alone, which gets it.
bool is_read_before(const Value& dict, const Node& loop) {
  return std::ranges::all_of(dict.uses(), [&](const Use& use) {
    const Node* reader = ir::holder_in(*loop.parent(), *use.node);
    for (const Node* node = reader; node; node = node->next())
      if (node == &loop) return reader != &loop || use.node == &loop;
    return false;
  });
}

// One turn of a loop as a program, which begins with a dict of the keys and gives what it ends with.
class Trial {
 public:
  Trial(const Node& loop, std::size_t index, const std::vector<Value*>& entries) : body_(*loop.block(0)) {
    Inserter start(&turn_.block(), loop.location());
    for (const Value* param : body_.inputs()) map_[param] = input(param->type(), param->facts());
    std::vector<Value*> values;
    const Value* dict = body_.inputs()[index + 1];
    for (std::size_t k = 0; k < entries.size(); k += 2) values.push_back(input(dict->type().elements.at(1), {}));
    map_[dict] = dict_of(start, dict->type(), keys_of(entries), values);
    for_each_node(body_, [&](const Node* node) {
      know(*node);
      for (const Block* block : node->blocks()) know(*block->return_node());
    });
    know(*body_.return_node());
    for (const Node* node : body_.nodes()) turn_.block().append(copy_node(*node, map_, turn_));
    const auto ends = body_.outputs();
    turn_.block().add_output(map_.at(ends[index + 1]));
    for (std::size_t i = 0; i < ends.size(); ++i)
      if (i != index + 1) turn_.block().add_output(map_.at(ends[i]));
  }

  bool keeps(const std::vector<Value*>& entries) {
    simplify(turn_);
    const Value& dict = *turn_.outputs()[0];
    const Entries last = entries_before(dict, *turn_.block().return_node());
    return last && hands_on(dict) == 1 && same_keys(entries, *last);
  }

 private:
  Value* input(const Type& type, const ir::Facts& facts) {
    Value* input = turn_.block().add_input();
    input->set_type(type);
    input->set_facts(facts);
    return input;
  }

  void know(const Node& reader) {
    for (const Value* value : reader.inputs()) {
      if (map_.contains(value) || is_inside(*value->node(), body_)) continue;
      Inserter insert(&turn_.block(), reader.location());
      Value* known = value->constant() ? insert.constant(*value->constant()) : input(value->type(), value->facts());
      known->set_type(value->type());
      map_[value] = known;
    }
  }

  const Block& body_;
  ir::Graph turn_;
  ValueMap map_;
};

bool split_rebuilt_dict(Node& loop, std::size_t index, bool is_written) {
  Block& body = *loop.block(0);
  Value& before = *loop.input(index + 2);
  Value& inside = *body.inputs()[index + 1];
  Value& end = *body.outputs()[index + 1];
  const Type type = inside.type();
  if (&end == &inside || !body.first() || (inside.is_unused() && loop.output(index)->is_unused())) return false;
  const Entries first = entries_before(before, loop);
  if (!first) return false;
  if (is_written && !(hands_on(before) == 1 && is_read_before(before, loop) && Owned(inside).contain(end)))
    return false;
  if (!Trial(loop, index, *first).keeps(*first)) return false;
  Inserter outer(&loop), last(&body, loop.location());
  const std::vector<Value*> keys = keys_of(*first);
  std::vector<Value*> starts, ends;
  for (Value* key : keys) {
    starts.push_back(get_entry(outer, &before, outer.constant(*key->constant())));
    if (!starts.back()) return false;
    ends.push_back(get_entry(last, &end, last.constant(*key->constant())));
  }
  carry_values(loop, index, starts, ends, [&](Inserter& insert, const std::vector<Value*>& values) {
    return dict_of(insert, type, keys, values);
  });
  return true;
}

}  // namespace

bool split_rebuilt(ir::Graph& graph) {
  const bool is_written = has_writes(graph);
  const std::vector<Node*> loops = loops_of(graph);
  for (Node* loop : loops)
    for (std::size_t i = 0; i < loop->output_count(); ++i)
      if (loop->output(i)->type().is(Type::Kind::Dict) && split_rebuilt_dict(*loop, i, is_written)) return true;
  return false;
}

}  // namespace tonnx::program
