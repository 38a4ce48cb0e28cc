#include "program/writes/write_rewriter.h"

#include <algorithm>
#include <memory>
#include <string>
#include <unordered_set>

#include "aten/containers.h"
#include "aten/functional_form.h"
#include "aten/schemas.h"
#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "ir/observer.h"
#include "ir/writes.h"
#include "program/containers/items.h"
#include "program/containers/pieces.h"
#include "program/control/carry.h"
#include "program/writes/overlap.h"
#include "program/writes/views.h"

namespace tonnx::program {

using aten::Container;
using ir::Block;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

// True if an operator that writes to `out` may change its sizes.
bool may_resize(const Value& out, const Value& result) {
  const auto &had = out.facts().dims, &gets = result.facts().dims;
  return !had || !gets ||
         !std::ranges::equal(*had, *gets, [](const ir::Dim& a, const ir::Dim& b) { return a.same(b); });
}

// True for a custom operator without a functional form that returns all its results.
bool is_of_user(const Node& node, const std::vector<std::size_t>& written) {
  const ir::Schema& schema = *node.schema();
  if (written.empty() || aten::find_line(schema.full_name())) return false;
  if (written.size() > 1 || !aten::functional_form(schema, written[0]).schema) return true;
  return std::ranges::any_of(schema.returns, [](const ir::Argument& result) { return result.alias_set.empty(); });
}

// True if the operator writes to some elements of its argument, and LibTorch does not check that these are distinct.
bool writes_at_positions(const Node& node) {
  if (node.input_count() == 0 || !node.schema() || !writes_argument(node, 0)) return false;
  if (aten::traits_of(node).at_positions) return true;
  const ir::SchemaPtr form = aten::functional_form(*node.schema(), 0).schema;
  return form && aten::traits_of(form->name).at_positions;
}

}  // namespace

void WriteRewriter::rewrite() {
  block(graph_.block());
  Inserter end(&graph_.block(), {});
  Node* result = graph_.block().return_node();
  for (std::size_t i = 0; i < result->input_count(); ++i) {
    Value* now = read(result->input(i), end);
    if (now != result->input(i)) result->set_input(i, now);
  }
  for (auto it = dead_nodes_.rbegin(); it != dead_nodes_.rend(); ++it) (*it)->erase();
  for (Node* decider : forest_.deciders()) decider->erase();
}

// Versions, and undoing the changes of a block.

WriteRewriter::Version WriteRewriter::version(const Value* root) const {
  if (const Selection* selected = forest_.selection(root)) {
    Version last = 0;
    for (const Value* one : selected->roots) last = std::max(last, version(one));
    return last;
  }
  const auto found = current_.find(root);
  return found == current_.end() ? 0 : found->second.version;
}

Value* WriteRewriter::current(Value* root) const {
  const auto found = current_.find(root);
  return found == current_.end() ? root : found->second.value;
}

void WriteRewriter::set_current(Value* root, Value* now) {
  const auto found = current_.find(root);
  const bool had = found != current_.end();
  undo_.push_back({root, Undo::Map::Current, had, had ? found->second : Cached{}});
  current_[root] = {++last_version_, now};
}

void WriteRewriter::set_cache(const Value* value, Version version, Value* now) {
  const auto found = cache_.find(value);
  const bool had = found != cache_.end();
  undo_.push_back({value, Undo::Map::Cache, had, had ? found->second : Cached{}});
  cache_[value] = {version, now};
}

void WriteRewriter::roll_back(std::size_t mark) {
  while (undo_.size() > mark) {
    const Undo& u = undo_.back();
    if (u.map == Undo::Map::List) {
      if (u.had) {
        lists_[u.key] = u.cached.value;
      } else {
        lists_.erase(u.key);
      }
    } else {
      auto& map = u.map == Undo::Map::Current ? current_ : cache_;
      if (u.had) {
        map[u.key] = u.cached;
      } else {
        map.erase(u.key);
      }
    }
    undo_.pop_back();
  }
}

// Reads and writes.

bool WriteRewriter::needs_rebuild(const Content& content) const {
  bool needs = false;
  for_each_leaf(content, [&](const Items& items, const Node*) {
    for (Value* item : items) {
      if (needs || !is_memory(item->type())) continue;
      Value* root = forest_.root(item);
      const Contents::Known inner = forest_.content_of(root, contents_);
      needs = forest_.is_written(root) || dead_values_.contains(item) || (inner && needs_rebuild(*inner));
    }
  });
  return needs;
}

Value* WriteRewriter::build_container(Value* root, const Items& items, Inserter& insert) {
  std::vector<Value*> now;
  for (Value* item : items) now.push_back(is_memory(item->type()) ? read(item, insert) : visible(item, insert));
  const auto fits = [&](const Value* container) {
    if (!container || !container->node()) return false;
    const Container operation = aten::traits_of(*container->node()).container;
    if (operation != Container::List && operation != Container::Tuple && operation != Container::Dict) return false;
    return std::equal(now.begin(), now.end(), container->node()->inputs().begin(), container->node()->inputs().end());
  };
  if (!dead_values_.contains(root) && !is_left(*root) && fits(root)) return root;
  const auto last = lists_.find(root);
  if (last != lists_.end() && fits(last->second)) return last->second;
  const Type& type = root->type();
  Value* list = type.is(Type::Kind::Dict)                                              ? insert.dict(type, now)
                : root->node() && aten::acts_as(*root->node(), aten::Container::Tuple) ? insert.tuple(type, now)
                                                                                       : insert.list(type, now);
  undo_.push_back({root, Undo::Map::List, last != lists_.end(), {0, last != lists_.end() ? last->second : nullptr}});
  lists_[root] = list;
  return list;
}

Node* WriteRewriter::recreate(const Node& view, Value* parent, Inserter& insert) const {
  Node* recreated = graph_.create(view.kind(), view.inputs(), view.output_count());
  recreated->set_input(0, parent);
  for (std::size_t i = 1; i < view.input_count(); ++i) recreated->set_input(i, visible(view.input(i), insert));
  recreated->set_schema(view.schema_ptr());
  for (const ir::NamedAttribute& a : view.attributes()) recreated->set_attribute(a.name, a.value);
  for (std::size_t i = 0; i < view.output_count(); ++i) copy_shape(*view.output(i), *recreated->output(i));
  insert.insert(recreated);
  return recreated;
}

Value* WriteRewriter::read(Value* value, Inserter& insert) {
  if (!is_memory(value->type())) return value;
  if (is_never(value) && is_left(*value)) return insert.never(value->type());
  Value* root = forest_.root(value);
  if (const Contents::Known content = forest_.content_of(root, contents_))
    return read_container(value, root, *content, insert);
  // The items of a list with delayed changes may change without a new version.
  const bool is_changed = has_changes(root) && !forest_.is_owned_item(value);
  const bool is_dead = dead_values_.contains(value) || is_left(*value);
  if (!forest_.is_written(root) && !is_dead && !current_.contains(root)) return value;
  const Version now = version(root);
  const auto cached = cache_.find(value);
  if (cached != cache_.end() && cached->second.version == now && !resolved_.contains(root) && !is_changed)
    return cached->second.value;
  const Alias& alias = forest_.of(value);
  Value* result = nullptr;
  if (!alias.parent) {
    result = forest_.selection(root) ? read_selected(root, insert) : apply_changes(root, insert);
  } else if (!alias.view) {
    result = read(alias.parent, insert);
  } else {
    Value* parent = owner_value(alias.parent, insert);
    const Node& view = *alias.view;
    if (const auto at = indices_.find(value); at != indices_.end()) {
      result = insert.call("aten::__getitem__.t", {parent, at->second});
    } else if (aten::acts_as(view, aten::Container::ListUnpack)) {
      result = insert.call("aten::__getitem__.t", {parent, insert.integer(static_cast<std::int64_t>(alias.output))});
    } else {
      result = recreate(view, parent, insert)->output(alias.output);
    }
    copy_shape(*value, *result);
  }
  if (!is_changed) set_cache(value, now, result);
  return result;
}

void WriteRewriter::check(Value* value, const Node& writer) {
  const auto may_overlap = [&](const Value* root) { return forest_.may_have_shared_elements(root); };
  const bool is_part = forest_.object_of(value) != forest_.root(value);
  if ((is_part || writes_at_positions(writer)) && std::ranges::any_of(forest_.roots(value), may_overlap))
    refusals_.add(writer,
                  "writes to a part of a tensor that may be a view whose elements share memory, such as that of "
                  "expand(); write to a copy (clone()) instead");
  const Value* other = forest_.conflict(value, &writer);
  if (!other) return;
  std::string message = "writes to a value that may or may not share memory with another one that is read later";
  if (const Node* origin = other->node(); origin && origin->parent())
    message += ": the result of " + describe_site(*origin);
  const bool is_tensor = value->type().is(ir::Type::Kind::Tensor);
  refusals_.add(writer, message + (is_tensor ? "; write to a copy (clone()) instead"
                                             : "; write to a copy of it (copy()) instead"));
}

void WriteRewriter::warn_of_overlap(Value* written, const Node& writer) const {
  const Value* root = forest_.root(written);
  if (!warnings_ || forest_.selection(root)) return;
  for (Value* input : writer.inputs()) {
    if (input == written || !input->type().is(Type::Kind::Tensor) || forest_.root(input) != root) continue;
    if (!may_overlap_partly(forest_, written, input)) continue;
    ir::warn(*warnings_, ir::Category::Program, writer.location(),
             describe_site(writer) +
                 ": writes to elements of a tensor that it may also read at other positions; LibTorch fails, or its "
                 "result depends on the order in which it writes; the model reads all elements first; read a copy "
                 "(clone()) instead");
  }
}

void WriteRewriter::write(Value* value, Value* now, Inserter& insert, const Node& writer) {
  const Alias& alias = forest_.of(value);
  Value* root = forest_.root(value);
  Value* content = now;  // the new content of `value` itself
  if (const auto path = resolved_.find(value); path != resolved_.end()) {
    write(path->second, now, insert, writer);
  } else if (forest_.selection(value)) {
    const auto write_it = [&](Inserter& inside) { return write(value, now, inside, writer), now; };
    store(value, insert, writer, write_it);
  } else if (!alias.parent) {
    if (!root->type().is(Type::Kind::Tensor)) contents_.invalidate(root);
    set_current(root, now);
  } else if (!alias.view) {
    write(alias.parent, now, insert, writer);
  } else if (alias.parent->type().is(Type::Kind::List) && forest_.root(alias.parent)->type().is(Type::Kind::List)) {
    write_item(*alias.view, alias.output, alias.parent, now, insert, writer);
  } else {
    Value* target = alias.parent;
    const Node& view = *alias.view;
    const Alias& outer = forest_.of(target);
    const Container operation = aten::traits_of(view).container;
    if (operation == Container::ListUnpack || operation == Container::Item) {
      // A piece of a split: scatter into what was split.
      const Alias* list = &outer;
      while (list->parent && !list->view) list = &forest_.of(list->parent);
      if (!list->parent) throw refusal(writer, "writes to an item of a list whose origin is not known");
      const Piece piece{static_cast<std::int64_t>(alias.output), operation == Container::Item ? &view : nullptr};
      target = list->parent;
      Value* base = read(target, insert);
      now = scatter_piece(insert, *list->view, piece, base, target->facts(), now, writer);
    } else {
      Value* base = read(target, insert);
      const Node& visible_view = is_left(*value) ? *recreate(view, base, insert) : view;
      now = scatter(insert, visible_view, base, target->facts(), now, value->facts(), writer);
    }
    copy_shape(*target, *now);
    write(target, now, insert, writer);
  }
  set_cache(value, version(root), content);
}

void WriteRewriter::block(Block& block) {
  for (Node* n : block.nodes()) node(*n);
}

void WriteRewriter::node(Node& node) {
  if (node.is("prim::If")) return branch(node);
  if (node.is("prim::Loop")) return loop(node);
  if (node.is("prim::Constant") || node.is(kCarried)) return;
  try {
    plain_node(node);
  } catch (const ir::Error& error) {
    if (error.code() != ir::Code::Unsupported) throw;
    refusals_.add(error);
    replace_refused(node);
  }
}

// Replaces the results of the node, and what it writes to, by results of a refused node.
void WriteRewriter::replace_refused(Node& node) {
  Node* refused = graph_.create("tonnx::refused", {}, 0);
  ir::mark_refused(*refused);
  refused->set_location(node.location());
  refused->insert_before(&node);
  const auto replace = [&](Value* root) {
    contents_.invalidate(root);
    Value* any = refused->add_output();
    copy_shape(*root, *any);
    set_current(root, any);
  };
  for (std::size_t i = 0; i < node.input_count(); ++i)
    if (writes_argument(node, i)) std::ranges::for_each(forest_.roots(node.input(i)), replace);
  for (Value* out : node.outputs()) {
    dead_values_.insert(out);
    if (forest_.root(out) == out) replace(out);
    if (!is_memory(out->type())) out->replace_uses(refused->output(refused->output_count() - 1));
  }
  if (std::ranges::find(dead_nodes_, &node) == dead_nodes_.end()) dead_nodes_.push_back(&node);
}

void WriteRewriter::plain_node(Node& node) {
  if (writes(node)) {
    if (node.input_count() > 0 && writes_argument(node, 0) && !node.input()->type().is(Type::Kind::Tensor))
      return list_write(node);
    return tensor_write(node);
  }
  // Before the inputs are replaced, because contents hold the values of the original program.
  forest_.apply_list(node, contents_);
  if (node.output_count() == 1 && forest_.selection(node.output())) {  // read when a node uses it
    dead_nodes_.push_back(&node);
    dead_values_.insert(node.output());
    return;
  }
  Inserter insert(&node);
  if (read_owned_item(node, insert) || replace_read(node, insert)) return dead_nodes_.push_back(&node);
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    Value* now = read(node.input(i), insert);
    if (now != node.input(i)) node.set_input(i, now);
  }
  for (Value* out : node.outputs()) {
    if (!is_memory(out->type())) continue;
    Value* root = forest_.root(out);
    if (forest_.is_written(root)) set_cache(out, version(root), out);
  }
}

void WriteRewriter::tensor_write(Node& node) {
  Inserter insert(&node);
  std::vector<Value*> inputs;
  std::vector<std::size_t> written;
  for (std::size_t i = 0; i < node.input_count(); ++i)
    if (writes_argument(node, i)) written.push_back(i);
  // A selection that is written to is read on each path.
  const bool is_selected =
      written.size() == 1 && !is_of_user(node, written) && forest_.selection(forest_.root(node.input(written[0])));
  for (std::size_t i = 0; i < node.input_count(); ++i)
    inputs.push_back(is_selected && i == written[0] ? nullptr : read(node.input(i), insert));
  if (is_of_user(node, written)) return users_write(node, written, inputs);
  if (written.size() > 1) return outs_write(node, written.size(), std::move(inputs), insert);
  if (written.empty() || !node.input(written[0])->type().is(Type::Kind::Tensor))
    throw refusal(node, "writes to several tensors at once, which has no ONNX form");
  Value* target = node.input(written[0]);
  dead_nodes_.push_back(&node);
  for (const Value* out : node.outputs()) dead_values_.insert(out);
  const aten::Write form = aten::write_of(node);
  if (form == aten::Write::Nothing) return;
  check(target, node);
  warn_of_overlap(target, node);
  if (form == aten::Write::Shape) {
    const bool is_view = forest_.object_of(target) != forest_.root(target);
    if (is_view || forest_.has_live_view(target, &node))
      refusals_.add(node, "changes the shape of a tensor in place that has a view which is read later");
  }
  const bool is_out = node.schema()->arguments[written[0]].name == "out" && node.output_count() == 1 &&
                      node.output()->facts().has_rank();
  if (is_out && may_resize(*target, *node.output()) && forest_.has_live_view(target, &node))
    refusals_.add(node, "changes the shape of a tensor that has a view which is read later");
  Value* content = store(target, insert, node, [&](Inserter& inside) {
    std::vector<Value*> operands = inputs;
    if (is_selected) operands[written[0]] = read(target, inside);
    Value* now = functional_value(node, written[0], std::move(operands), inside);
    if (is_out || (form == aten::Write::Shape && node.output_count() == 1)) {
      copy_shape(*node.output(), *now);
    } else {
      copy_shape(*target, *now);
    }
    write(target, now, inside, node);
    return now;
  });
  if (is_selected) set_cache(target, version(forest_.root(target)), content);
}

// Removes the writes of a custom operator, and appends the new content of its arguments to its results.
void WriteRewriter::users_write(Node& node, const std::vector<std::size_t>& written,
                                const std::vector<Value*>& inputs) {
  auto form = std::make_shared<ir::Schema>(*node.schema());
  std::vector<Value*> targets;
  std::unordered_set<const Value*> roots;
  for (const std::size_t i : written) {
    ir::Argument& argument = form->arguments[i];
    Value* target = node.input(i);
    if (target->constant() && target->constant()->is_none()) continue;
    if (!target->type().is(Type::Kind::Tensor))
      throw refusal(node, "writes to its argument " + argument.name + ", which is not a tensor");
    check(target, node);
    const std::vector<Value*> all = forest_.roots(target);
    if (!std::ranges::all_of(all, [&](const Value* root) { return roots.insert(root).second; }))
      throw refusal(node, "writes to one tensor through several arguments, which has no ONNX form");
    targets.push_back(target);
    ir::Argument& after = form->returns.emplace_back();
    after.name = argument.name;
    after.type = Type::of(Type::Kind::Tensor);
  }
  for (auto* arguments : {&form->arguments, &form->returns})
    for (ir::Argument& argument : *arguments) argument.is_write = false, argument.alias_set.clear();
  for (std::size_t i = 0; i < inputs.size(); ++i) node.set_input(i, inputs[i]);
  node.set_schema(form);
  for (Value* out : node.outputs()) {
    const Value* root = forest_.root(out);
    if (root == out && forest_.is_written(root)) set_cache(out, version(root), out);
  }
  Inserter insert = Inserter::after(node);
  insert.set_location(node.location());
  for (Value* target : targets) {
    Value* now = node.add_output();
    now->set_type(Type::of(Type::Kind::Tensor));
    copy_shape(*target, *now);
    write(target, now, insert, node);
  }
}

// Writes the results of the functional form to the last `count` arguments, in order.
void WriteRewriter::outs_write(Node& node, std::size_t count, std::vector<Value*> inputs, Inserter& insert) {
  const std::vector<Value*> targets(node.inputs().end() - static_cast<std::ptrdiff_t>(count), node.inputs().end());
  std::unordered_set<const Value*> roots;
  const bool are_distinct = std::ranges::all_of(targets, [&](Value* target) {
    const auto is_new = [&](const Value* root) { return roots.insert(root).second; };
    return target->type().is(Type::Kind::Tensor) && std::ranges::all_of(forest_.roots(target), is_new);
  });
  const ir::SchemaPtr form =
      are_distinct && node.output_count() == count ? aten::functional_form_of_outs(*node.schema(), count) : nullptr;
  if (!form) throw refusal(node, "writes to several tensors at once, which has no ONNX form");
  dead_nodes_.push_back(&node);
  for (const Value* out : node.outputs()) dead_values_.insert(out);
  for (std::size_t i = 0; i < count; ++i) {
    check(targets[i], node);
    const auto had = targets[i]->facts().fixed_dims(), gets = node.output(i)->facts().fixed_dims();
    if ((!had || had != gets) && forest_.has_live_view(targets[i], &node))
      refusals_.add(node, "may change the shape of a tensor that has a view which is read later");
  }
  inputs.resize(inputs.size() - count);
  Node* functional = graph_.create(form->name, inputs, count);
  functional->set_schema(form);
  insert.insert(functional);
  for (std::size_t i = 0; i < count; ++i) {
    copy_shape(*node.output(i), *functional->output(i));
    functional->output(i)->set_type(Type::of(Type::Kind::Tensor));
  }
  for (std::size_t i = 0; i < count; ++i) write(targets[i], functional->output(i), insert, node);
}

// The roots that are defined outside of a node and written in its blocks.
std::vector<Value*> WriteRewriter::written_in(const Node& node) const {
  std::vector<Value*> roots;
  for (const Block* block : node.blocks())
    for (Value* root : forest_.writes(block))
      if (std::find(roots.begin(), roots.end(), root) == roots.end()) roots.push_back(root);
  return roots;
}

void WriteRewriter::branch(Node& node) {
  Inserter before(&node);
  std::vector<Value*> roots = written_in(node);
  for (const Block* inner : node.blocks()) make_dynamic(inner, node, before);
  const std::vector<Value*> joined = forest_.joined_lists(node, contents_);
  std::erase_if(roots, [&](Value* root) { return std::ranges::find(joined, root) != joined.end(); });
  std::vector<Contents::State> starts, after;
  std::vector<Value*> bases;  // of the joined lists after each block
  for (const Value* list : joined) starts.push_back(contents_.state(list));
  const std::size_t outputs = node.output_count();
  std::vector<Exports> exports;
  for (Block* inner : node.blocks()) {
    const std::size_t mark = undo_.size();
    for (std::size_t i = 0; i < joined.size(); ++i) contents_.set(joined[i], starts[i]);
    block(*inner);
    Inserter end(inner, node.location());
    make_dynamic(inner, node, end);
    for (std::size_t i = 0; i < outputs; ++i) {
      Value* now = read(inner->outputs()[i], end);
      if (now != inner->outputs()[i]) inner->return_node()->set_input(i, now);
    }
    for (Value* root : roots) inner->add_output(current(root));
    exports.emplace_back();
    for (std::size_t i = 0; i < outputs; ++i)
      if (const Selection* selected = forest_.selection(node.output(i)))
        find_exports(selected->choice.options[exports.size() - 1].one, *inner, exports.back());
    for (const Value* list : joined) {
      after.push_back(contents_.state(list));
      find_exports(AliasForest::changes_of(after.back()), *inner, exports.back());
    }
    for (Value* list : joined) bases.push_back(current(list));
    left_.insert(inner);
    roll_back(mark);
  }
  for (std::size_t i = 0; i < joined.size(); ++i) {
    contents_.invalidate(joined[i]);  // stays unknown only after a refusal
    if (auto state = AliasForest::join(node, after[i], after[joined.size() + i]))
      contents_.set(joined[i], std::move(*state));
  }
  for (Value* root : roots) {
    Value* out = node.add_output();
    copy_shape(*root, *out);
    set_current(root, out);
  }
  for (std::size_t i = 0; i < joined.size(); ++i) {
    Value *yes = bases[i], *no = bases[joined.size() + i];
    if (!contents_.of(joined[i]) && yes != no) set_current(joined[i], add_result(node, joined[i]->type(), yes, no));
  }
  for (std::size_t k = 0; k < exports.size(); ++k) export_values(*node.block(k), exports[k]);
  for (std::size_t i = 0; i < outputs; ++i)
    if (forest_.selection(node.output(i))) set_cache(node.output(i), version(node.output(i)), node.output(i));
}

void WriteRewriter::loop(Node& node) {
  Inserter before(&node);
  Block& body = *node.block(0);
  const std::vector<Value*> roots = written_in(node);
  const std::vector<const Carried*> numbered = forest_.carried_in(node);
  const auto is_numbered = [&](std::size_t i) {
    return std::ranges::any_of(numbered, [i](const Carried* one) { return one->index == i; });
  };
  make_dynamic(&body, node, before);
  const std::size_t count = node.output_count();
  for (std::size_t i = 0; i < count; ++i) {
    if (is_numbered(i)) continue;
    Value* now = read(node.input(i + 2), before);
    if (now != node.input(i + 2)) node.set_input(i + 2, now);
  }
  const std::size_t mark = undo_.size();
  const std::vector<LoopValue> numbers = begin_numbers(node, numbered, before);
  std::vector<Value*> after;
  for (Value* root : roots) {
    const LoopValue carried = add_loop_value(node, root->type(), current(root));
    copy_shape(*root, *carried.inside);
    copy_shape(*root, *carried.after);
    set_current(root, carried.inside);
    after.push_back(carried.after);
  }
  block(body);
  Inserter end(&body, node.location());
  make_dynamic(&body, node, end);
  for (std::size_t i = 0; i < count; ++i) {
    if (is_numbered(i)) continue;
    Value* now = read(body.outputs()[i + 1], end);
    if (now != body.outputs()[i + 1]) body.return_node()->set_input(i + 1, now);
  }
  end_numbers(node, numbered, numbers, end);
  for (Value* root : roots) body.add_output(current(root));
  roll_back(mark);
  for (std::size_t i = 0; i < roots.size(); ++i) set_current(roots[i], after[i]);
}

}  // namespace tonnx::program
