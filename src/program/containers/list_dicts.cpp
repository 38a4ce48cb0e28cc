// A dict with dynamic keys becomes a list of its keys and a list of its values, in the dict's order.
//
// Needs keys that are integers, floats or strings (which number_strings() numbers), values that are not containers, and
// a dict whose uses are all reads and writes of it alone. A missing key raises in the program; in the model the index
// of the key fails:
//
//   aten::_set_item(%d, %k, %v)              %h = aten::__contains__(%keys, %k)
//                                            prim::If(%h)
//                                              block0: %i = aten::index(%keys, %k), aten::_set_item(%values, %i, %v)
//                                              block1: aten::append(%keys, %k), aten::append(%values, %v)
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "aten/containers.h"
#include "aten/schemas.h"
#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "ir/control_flow.h"
#include "ir/writes.h"
#include "program/containers/entries.h"
#include "program/containers/items.h"
#include "program/containers/outputs.h"
#include "program/containers/passes.h"
#include "program/edit.h"
#include "program/nodes_where.h"

namespace tonnx::program {

using aten::Container;
using ir::Block;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

bool may_hold_values(const Type& type) {
  return type.is(Type::Kind::List) || type.is(Type::Kind::Dict) || type.is(Type::Kind::Tuple) ||
         type.is(Type::Kind::Optional);
}

bool removes(const ir::Use& use) {
  const Container how = aten::traits_of(*use.node).container;
  return how == Container::Pop || how == Container::Delete || how == Container::Clear;
}

class Lister {
 public:
  Lister(Node& maker, ir::StateWrites& state)
      : maker_(maker),
        state_(state),
        dict_(*maker.output()),
        key_(dict_.type().elements.at(0)),
        value_(dict_.type().elements.at(1)),
        entries_(entries_of(maker.inputs())),
        keeps_keys_(std::ranges::none_of(dict_.uses(), removes)) {}

  bool run() {
    if (!is_known()) return false;
    Inserter insert(&maker_);
    keys_ = insert.list(Type::list(key_), keys_of(*entries_));
    values_ = insert.list(Type::list(value_), values_of(*entries_));
    for (Node* node : readers_) {
      rewrite(*node);
      node->erase();
    }
    if (is_returned_) return_lists();
    return true;
  }

 private:
  // True if the keys are dynamic and every use of the dict is known. Collects these uses.
  bool is_known() {
    if (!key_.is(Type::Kind::Int) && !key_.is(Type::Kind::Float) && !key_.is(Type::Kind::String)) return false;
    if (may_hold_values(value_) || !entries_) return false;
    bool needed = false;
    for (const ir::Use& use : dict_.uses()) {
      Node& node = *use.node;
      if (&node == maker_.graph().block().return_node()) {
        if (!may_be_returned()) return false;
        is_returned_ = true;
        continue;
      }
      if (use.index != 0 || !node.parent() || !node.schema() || node.output_count() > 1) return false;
      if (std::find(readers_.begin(), readers_.end(), &node) != readers_.end()) return false;
      const bool writes = writes_argument(node, 0);
      const Container form = aten::traits_of(node).container;
      const bool is_elsewhere = node.parent() != maker_.parent();
      if (is_keyed(form)) {
        needed = needed || (writes && (!node.input(1)->constant() || (is_elsewhere && !only_replaces(node))));
      } else if (form == Container::Clear) {
        needed = needed || is_elsewhere;
      } else if (form != Container::Keys && form != Container::Items && form != Container::Values &&
                 form != Container::Length) {
        return false;
      }
      readers_.push_back(&node);
    }
    return needed;
  }

  // True if a model can have the dict as a sequence of tensors, or a vector of numbers, and a vector of keys.
  bool may_be_returned() const {
    return (value_.is(Type::Kind::Tensor) || value_.is_scalar()) && !key_.is(Type::Kind::String) &&
           maker_.attribute_as<std::string>(ir::kResultPath);
  }

  void return_lists() {
    ir::Graph& graph = maker_.graph();
    Node& end = *graph.block().return_node();
    for (std::size_t i = 0; i < end.input_count(); ++i) {
      if (end.input(i) != &dict_) continue;
      end.set_input(i, values_);
      if (value_.is_scalar()) mark_list_output(graph, i);
    }
    graph.block().add_output(keys_);
    state_.outputs.push_back(
        {ir::StateWrite::Kind::Keys, *maker_.attribute_as<std::string>(ir::kResultPath), {}, {}, {}});
  }

  // True if the dict always has the key, so that a write to it adds no key.
  bool only_replaces(const Node& write) const {
    const ir::Constant& written = *write.input(1)->constant();
    return keeps_keys_ && std::ranges::any_of(keys_of(*entries_), [&](const Value* key) {
             return key->constant() && ir::same_key(*key->constant(), written);
           });
  }

  Value* has(Inserter& insert, Value* key) const { return ask("aten::__contains__", insert, key); }
  Value* place(Inserter& insert, Value* key) const { return ask("aten::index", insert, key); }
  Value* ask(std::string_view what, Inserter& insert, Value* key) const {
    return insert.call(aten::overload_for(what, {keys_->type(), key_})->full_name(), {keys_, key});
  }
  Value* item(Inserter& insert, Value* list, Value* at, const char* read = "aten::__getitem__.t") const {
    Value* result = insert.call(read, {list, at});
    result->set_type(list->type().elements.at(0));
    return result;
  }
  static void put(Inserter& insert, std::string_view change, std::initializer_list<Value*> inputs) {
    if (Value* list = insert.call(change, inputs)) list->set_type((*inputs.begin())->type());
  }
  void append(Inserter& insert, Value* key, Value* value) const {
    put(insert, "aten::append.t", {keys_, key});
    put(insert, "aten::append.t", {values_, value});
  }
  Value* take(Inserter& insert, Value* key) const {
    Value* at = place(insert, key);
    item(insert, keys_, at, "aten::pop.t");
    return item(insert, values_, at, "aten::pop.t");
  }
  Value* copy(Inserter& insert, Value* list) const {
    Value* result = insert.call("aten::copy.t", {list});
    result->set_type(list->type());
    return result;
  }

  using Side = Inserter::Side;

  // An If: the first block for a key that the dict has, the second one for a missing key.
  Value* branch(Inserter& insert, Node& node, Value* key, const Side& there, const Side& missing) {
    return insert.branch(has(insert, key), node.output_count() > 0 ? node.output()->type() : Type(), there, missing);
  }

  // The list of (key, value) pairs that aten::items returns.
  Value* pairs(Inserter& insert, Node& node) {
    const Type& type = node.output()->type();
    Value* list = insert.list(type, {});
    Value* length = insert.call("aten::len.t", {keys_});
    Value* inputs[] = {length, insert.boolean(true)};
    Node* loop = node.graph().create("prim::Loop", inputs, 0);
    loop->set_location(node.location());
    Block* body = loop->add_block();
    Value* turn = body->add_input();
    turn->set_type(Type::of(Type::Kind::Int));
    Inserter inside(body, node.location());
    Value* entry[] = {item(inside, keys_, turn), item(inside, values_, turn)};
    put(inside, "aten::append.t", {list, inside.tuple(type.elements.at(0), entry)});
    body->add_output(inside.boolean(true));
    insert.insert(loop);
    return list;
  }

  void rewrite(Node& node) {
    Inserter insert(&node);
    Value* result = nullptr;
    const Container form = aten::traits_of(node).container;
    const bool takes_key = form != Container::Length && form != Container::Keys && form != Container::Values &&
                           form != Container::Items && form != Container::Clear;
    Value* asked = takes_key ? node.input(1) : nullptr;
    const Side read = [&](Inserter& in) { return item(in, values_, place(in, asked)); };
    const auto otherwise = [&](Inserter& in) { return node.input_count() > 2 ? node.input(2) : in.none(); };
    switch (form) {
      case Container::Item: result = read(insert); break;
      case Container::Contains: result = has(insert, asked); break;
      case Container::Get: result = branch(insert, node, asked, read, otherwise); break;
      case Container::Length: result = insert.call("aten::len.t", {keys_}); break;
      case Container::Keys: result = copy(insert, keys_); break;
      case Container::Values: result = copy(insert, values_); break;
      case Container::Items: result = pairs(insert, node); break;
      case Container::SetItem:
        branch(
            insert, node, asked,
            [&](Inserter& in) {
              return put(in, "aten::_set_item.t", {values_, place(in, asked), node.input(2)}), nullptr;
            },
            [&](Inserter& in) { return append(in, asked, node.input(2)), nullptr; });
        break;
      case Container::SetDefault:
        result = branch(insert, node, asked, read,
                        [&](Inserter& in) { return append(in, asked, node.input(2)), node.input(2); });
        break;
      case Container::Delete: take(insert, asked); break;
      case Container::Pop:
        result = node.input_count() > 2
                     ? branch(
                           insert, node, asked, [&](Inserter& in) { return take(in, asked); }, otherwise)
                     : take(insert, asked);
        break;
      default:
        put(insert, "aten::clear.t", {keys_});
        put(insert, "aten::clear.t", {values_});
        break;
    }
    if (node.output_count() == 1) node.output()->replace_uses(result);
  }

  Node& maker_;
  ir::StateWrites& state_;
  bool is_returned_ = false;
  const Value& dict_;
  const Type key_, value_;
  const std::optional<std::vector<Value*>> entries_;
  const bool keeps_keys_;
  Value* keys_ = nullptr;
  Value* values_ = nullptr;
  std::vector<Node*> readers_;
};

// True if the dict is created before the If or before Ifs around it, is read only before these and inside the If, is
// written to only in this block, and is returned only by it.
bool is_returned_by(const Value& dict, const Node& branch, const Block& block) {
  const Block* home = dict.node()->parent();
  const Node* top = &branch;
  for (; top->parent() != home; top = top->parent()->owner())
    if (!top->parent()->owner() || !top->parent()->owner()->is("prim::If")) return false;
  std::unordered_set<const Node*> before;
  for (const Node* node = dict.node()->next(); node != top; node = node->next()) {
    if (!node) return false;
    before.insert(node);
  }
  std::size_t returns = 0;
  const bool is_known = std::ranges::all_of(dict.uses(), [&](const ir::Use& use) {
    if (use.node == block.return_node()) return ++returns > 0;
    const bool is_inside = ir::is_inside(*use.node, branch);
    if (only_asks(use)) return is_inside || before.contains(ir::holder_in(*home, *use.node));
    return use.index == 0 && writes_argument(*use.node, 0) && ir::is_inside(*use.node, block);
  });
  return is_known && returns == 1;
}

// Replaces a dict that both blocks of an If create with different keys by one from before the If, to which both write.
bool fill_one(Node& branch, std::size_t index) {
  const Type type = branch.output(index)->type();
  Value* dict = nullptr;
  std::optional<std::vector<Value*>> old, filled[2];
  for (std::size_t k = 0; k < 2; ++k) {
    const Block& block = *branch.block(k);
    Value* given = block.outputs()[index];
    if (is_never(given)) continue;
    const auto entries = aten::acts_as(*given->node(), Container::Dict) ? entries_of(given->node()->inputs())
                                                                        : std::optional<std::vector<Value*>>();
    if (!entries) return false;
    if (!dict && given->node()->parent() != &block && is_returned_by(*given, branch, block)) {
      dict = given;
      old = entries;
    } else {
      const auto others = std::ranges::count_if(given->uses(), [](const ir::Use& use) { return !only_asks(use); });
      if (given->node()->parent() != &block || others != 1) return false;
      filled[k] = entries;
    }
  }
  if (key_form(*branch.output(index)).empty() || (!filled[0] && !filled[1])) return false;
  Inserter before(&branch);
  if (!dict) dict = before.dict(type, {});
  branch.output(index)->replace_uses(dict);
  for (std::size_t k = 0; k < 2; ++k) {
    if (!filled[k]) continue;
    Inserter end(branch.block(k), branch.location());
    const std::string remove = "aten::Delete.Dict_" + std::string(key_form(*dict));
    for (std::size_t i = 0; old && i < old->size(); i += 2) end.call(remove, {dict, (*old)[i]});
    set_entries(end, dict, *filled[k]);
  }
  return true;
}

}  // namespace

bool list_dicts(ir::Graph& graph, ir::StateWrites& state) {
  bool changed = false;
  std::vector<Node*> branches = branches_of(graph);
  std::ranges::reverse(branches);  // inner ones first
  for (Node* branch : branches)
    for (std::size_t i = 0; i < branch->output_count() && has_writes(graph); ++i)
      if (branch->output(i)->type().is(Type::Kind::Dict) && !branch->output(i)->is_unused())
        changed = fill_one(*branch, i) || changed;
  for (Node* dict : dicts_of(graph)) changed = Lister(*dict, state).run() || changed;
  return changed;
}

}  // namespace tonnx::program
