#include "program/containers/outputs.h"

#include <algorithm>
#include <optional>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "ir/observer.h"
#include "ir/quantised_parts.h"
#include "program/containers/entries.h"
#include "program/containers/passes.h"
#include "program/containers/pieces.h"
#include "program/containers/record_lists.h"
#include "program/control/carry.h"
#include "program/edit.h"

namespace tonnx::program {

using ir::Constant;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

// Attributes of the return node.
constexpr const char* kListParts = "list_parts";  // list and part of each output
constexpr const char* kKeepsLists = "keeps_lists";

struct Output {
  Value* value;
  std::string name;
  std::int64_t item_count = -1;  // of a list, from infer_facts(); -1 if unknown
  ListPart part;
  ir::Part of_quantised = ir::Part::Whole;
};

void set_outputs(ir::Graph& graph, std::vector<Output> outputs, std::vector<std::string>& names) {
  std::vector<std::int64_t> parts;
  std::vector<ir::Part> of_quantised;
  graph.block().return_node()->remove_inputs();
  names.clear();
  for (Output& output : outputs) {
    graph.block().add_output(output.value);
    names.push_back(std::move(output.name));
    parts.insert(parts.end(), {output.part.list, output.part.part});
    of_quantised.push_back(output.of_quantised);
  }
  if (std::ranges::any_of(outputs, [](const Output& output) { return output.part.list >= 0; }))
    graph.block().return_node()->set_attribute(kListParts, std::move(parts));
  ir::set_output_parts(graph, of_quantised);
}

std::string joined(const std::string& name, const std::string& item) {
  return name.empty() || item.empty() ? name + item : name + "." + item;
}

std::string numbered(const std::string& name, std::size_t i) {
  return name.empty() ? name : joined(name, std::to_string(i));
}

std::string left_out_text(const std::string& kind) { return "an output that is " + kind + " is left out"; }

class Flattener {
 public:
  Flattener(ir::Graph& graph, std::vector<std::string>& warnings) : graph_(graph), warnings_(warnings) {}

  std::vector<Output> run(const Output& output) {
    if (const auto kind = unsupported_kind(*output.value)) return leave_out(*kind);
    const auto items = items_of(output);
    if (!items) return {output};
    if (items->empty() && output.value->type().without_optional().is_tensor_list()) return warn(empty_list_text());
    if (items->empty()) return leave_out("an empty " + std::string(name_of_kind(output.value->type())));
    std::vector<Output> flat;
    for (const Output& item : *items) {
      auto inner = run(item);
      for (Output& part : inner) part.part = output.part;
      flat.insert(flat.end(), inner.begin(), inner.end());
    }
    return flat;
  }

 private:
  std::vector<Output> leave_out(const std::string& kind) { return warn(left_out_text(kind)); }

  std::vector<Output> warn(const std::string& message) {
    if (std::find(warnings_.begin(), warnings_.end(), message) == warnings_.end())
      ir::warn(warnings_, ir::Category::Program, message);
    return {};
  }

  static std::string_view name_of_kind(const Type& container) {
    return container.is(Type::Kind::Dict) ? "dict" : container.is(Type::Kind::Tuple) ? "tuple" : "list";
  }

  static std::optional<std::string> unsupported_kind(const Value& value) {
    if (ir::is_none(&value)) return "None";
    if (value.type().is(Type::Kind::String)) return "a string";
    return std::nullopt;
  }

  std::optional<std::vector<Output>> items_of(const Output& output) {
    const Type& type = output.value->type();
    const Node& node = *output.value->node();
    if (type.is(Type::Kind::Optional)) return items_or_none(output);
    if (type.is(Type::Kind::Dict)) return entries(output);
    if (type.is(Type::Kind::Tuple)) {
      if (aten::acts_as(node, aten::Container::Tuple)) return list(node.inputs(), output.name);
      return unpacked("prim::TupleUnpack", output, type.elements);
    }
    // A list of numbers is one tensor of rank 1, whether its length is constant or dynamic.
    if (!type.is(Type::Kind::List) || type.is_number_list() || (keeps_lists_ && type.is_tensor_list()))
      return std::nullopt;
    if (aten::acts_as(node, aten::Container::List)) return list(node.inputs(), output.name);
    const Constant* constant = output.value->constant();
    if (const auto* known = constant ? constant->get<Constant::List>() : nullptr)
      return constants(*known, type, output.name);
    const std::int64_t count = std::max(length_of(*output.value), output.item_count);
    if (count < 0) return std::nullopt;
    return unpacked("prim::ListUnpack", output,
                    std::vector<Type>(static_cast<std::size_t>(count), type.elements.at(0)));
  }

  // The items of a container that one path of a branch returns, or None if the other path does.
  std::optional<std::vector<Output>> items_or_none(const Output& output) {
    Node& branch = *output.value->node();
    if (!branch.is("prim::If") || branch.parent() != &graph_.block()) return std::nullopt;
    const std::size_t index = output.value->index();
    const bool is_first_none = ir::is_none(branch.block(0)->outputs()[index]);
    ir::Block *path = branch.block(is_first_none ? 1 : 0), *other = branch.block(is_first_none ? 0 : 1);
    Value* container = path->outputs()[index];
    if (!ir::is_none(other->outputs()[index]) || ir::is_none(container)) return std::nullopt;
    unpack_block_ = path;
    auto items = items_of({container, output.name, output.item_count, {}, {}});
    unpack_block_ = &graph_.block();
    if (!items) return std::nullopt;
    for (Output& item : *items) {
      if (unsupported_kind(*item.value)) continue;
      Type type = item.value->type();
      if (!type.is(Type::Kind::Optional)) type = {Type::Kind::Optional, {std::move(type)}, {}};
      item.value = add_result_of(*path, item.value, Inserter(other, branch.location()).none());
      item.value->set_type(std::move(type));
      item.value->set_facts({});
    }
    return items;
  }

  static std::int64_t known_count(const Value& list) {
    const Constant* constant = list.constant();
    if (const auto* items = constant ? constant->get<Constant::List>() : nullptr)
      return static_cast<std::int64_t>(items->items.size());
    return aten::acts_as(*list.node(), aten::Container::List) ? static_cast<std::int64_t>(list.node()->input_count())
                                                              : -1;
  }

  // The number of pieces of an operator whose arguments specify their number, sizes or offsets; below 0 for others.
  static std::int64_t specified_pieces(const Node& node) {
    for (const char* sizes : {"split_sizes", "split_size"})
      if (const Value* list = node.input(sizes); list && list->type().is(Type::Kind::List)) return known_count(*list);
    if (const Value* sections = node.input("sections")) return constant_integer(sections).value_or(-1);
    const Value* indices = node.input("indices");
    const bool splits = indices && indices->type().is(Type::Kind::List) && node.output(0)->type().is_tensor_list();
    const std::int64_t bounds = splits ? known_count(*indices) : -1;
    return bounds < 0 ? -1 : bounds + 1;
  }

  // True if an operator returns one tensor for each tensor of its argument: meshgrid, broadcast_tensors.
  static bool returns_one_each(const Node& node, const aten::Traits& traits) {
    return traits.alias == aten::Alias::Unmarked && traits.container == aten::Container::None &&
           node.output_count() == 1 && node.output()->type().is_tensor_list() && node.input()->type().is_tensor_list();
  }

  // The constant number of items of a list; below 0 if it is dynamic.
  static std::int64_t length_of(const Value& value) {
    const Node& node = *value.node();
    if (const std::int64_t count = specified_pieces(node); count >= 0) return count;
    const aten::Traits& traits = aten::traits_of(node);
    switch (traits.inverse) {
      case aten::Inverse::Unbind:
      case aten::Inverse::Split:
      case aten::Inverse::Chunk:
      case aten::Inverse::Sections: return piece_count(node, node.input()->facts());
      default: break;
    }
    if (traits.container == aten::Container::List) return static_cast<std::int64_t>(node.input_count());
    if (returns_one_each(node, traits)) return length_of(*node.input());
    if (traits.container == aten::Container::Copy) return length_of(*node.input());
    if (node.full_name() == "aten::where" && node.input()->facts().has_rank())
      return std::max<std::int64_t>(node.input()->facts().rank(), 1);
    if (!node.is("prim::If")) return -1;
    const std::int64_t count = length_of(*node.block(0)->outputs()[value.index()]);
    return count == length_of(*node.block(1)->outputs()[value.index()]) ? count : -1;
  }

  static std::vector<Output> list(std::span<Value* const> values, const std::string& name) {
    std::vector<Output> items;
    for (Value* value : values) items.push_back({value, numbered(name, items.size()), -1, {}, {}});
    return items;
  }

  static std::optional<std::vector<Output>> entries(const Output& output) {
    if (!aten::acts_as(*output.value->node(), aten::Container::Dict)) return std::nullopt;
    const auto pairs = entries_of(output.value->node()->inputs());
    if (!pairs) return std::nullopt;
    std::vector<Output> items;
    for (std::size_t i = 0; i + 1 < pairs->size(); i += 2) {
      const Constant& key = *(*pairs)[i]->constant();
      const auto* string = key.get<std::string>();
      items.push_back({(*pairs)[i + 1], joined(output.name, string ? *string : ir::to_string(key)), -1, {}, {}});
    }
    return items;
  }

  std::vector<Output> constants(const Constant::List& known, const Type& type, const std::string& name) {
    std::vector<Output> items;
    Inserter insert(unpack_block_, {});
    for (const Constant& item : known.items) {
      Value* value = insert.constant(item);
      value->set_type(type.elements.at(0));
      items.push_back({value, numbered(name, items.size()), -1, {}, {}});
    }
    return items;
  }

  std::vector<Output> unpacked(const char* kind, const Output& output, const std::vector<Type>& types) {
    Node* node = graph_.create(kind, std::vector<Value*>{output.value}, types.size());
    unpack_block_->append(node);
    for (std::size_t i = 0; i < types.size(); ++i) node->output(i)->set_type(types[i]);
    return list(node->outputs(), output.name);
  }

  ir::Graph& graph_;
  ir::Block* unpack_block_ = &graph_.block();  // the block that reads the items of the container
  std::vector<std::string>& warnings_;
  const bool keeps_lists_ = graph_.block().return_node()->attribute_as<std::int64_t>(kKeepsLists) != nullptr;
};

}  // namespace

void keep_output_lists(ir::Graph& graph) { graph.block().return_node()->set_attribute(kKeepsLists, std::int64_t{1}); }

std::string empty_list_text() { return left_out_text("an empty list") + "; the option sequence_outputs keeps it"; }

bool flatten_outputs(ir::Graph& graph, const FactMarks& marks, std::vector<std::string>& names,
                     std::vector<std::string>& warnings) {
  const std::vector<Value*> before(graph.outputs().begin(), graph.outputs().end());
  names.resize(before.size());
  Flattener flattener(graph, warnings);
  const std::vector<ListPart> parts = list_parts(graph);
  const std::vector<ir::Part> of_quantised = ir::output_parts(graph);
  std::vector<Output> after;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const std::int64_t* known = marks.item_counts.find(before[i]);
    const std::int64_t count = known ? *known : -1;
    const auto items =
        flattener.run({before[i], names[i], count, i < parts.size() ? parts[i] : ListPart(), of_quantised[i]});
    after.insert(after.end(), items.begin(), items.end());
  }
  const bool same = std::equal(before.begin(), before.end(), after.begin(), after.end(),
                               [](const Value* a, const Output& b) { return a == b.value; });
  if (same) return false;
  set_outputs(graph, std::move(after), names);
  return true;
}

bool part_outputs(ir::Graph& graph, std::vector<std::string>& names) {
  const std::vector<FieldLists> fields = split_output_records(graph);
  if (fields.empty()) return false;
  names.resize(fields.size());
  std::vector<Output> after;
  std::vector<ListPart> before = list_parts(graph);
  const std::vector<ir::Part> of_quantised = ir::output_parts(graph);
  before.resize(fields.size());
  std::int64_t lists = 0;
  for (const ListPart& known : before) lists = std::max(lists, known.list + 1);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto& [parts, keys] = fields[i];
    if (parts.empty()) after.push_back({graph.outputs()[i], names[i], -1, before[i], of_quantised[i]});
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const std::string name = keys.empty() ? numbered(names[i], p) : joined(names[i], keys[p]);
      after.push_back({parts[p], name, -1, {lists, static_cast<std::int64_t>(p)}, {}});
    }
    lists += !parts.empty();
  }
  set_outputs(graph, std::move(after), names);
  return true;
}

std::vector<ListPart> list_parts(const ir::Graph& graph) {
  std::vector<ListPart> parts;
  const auto* known = graph.block().return_node()->attribute_as<std::vector<std::int64_t>>(kListParts);
  for (std::size_t i = 0; known && i + 1 < known->size(); i += 2) parts.push_back({(*known)[i], (*known)[i + 1]});
  if (known) parts.resize(graph.outputs().size());  // later outputs are added at the end
  return parts;
}

void mark_list_output(ir::Graph& graph, std::size_t index) {
  std::vector<ListPart> parts = list_parts(graph);
  parts.resize(graph.outputs().size());
  std::int64_t lists = 0;
  for (const ListPart& known : parts) lists = std::max(lists, known.list + 1);
  parts.at(index) = {lists, 0};
  std::vector<std::int64_t> stored;
  for (const ListPart& part : parts) stored.insert(stored.end(), {part.list, part.part});
  graph.block().return_node()->set_attribute(kListParts, std::move(stored));
}

}  // namespace tonnx::program
