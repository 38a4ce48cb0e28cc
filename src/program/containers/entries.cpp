#include "program/containers/entries.h"

#include <string>
#include <string_view>

#include "aten/containers.h"
#include "ir/constant_facts.h"
#include "program/containers/items.h"
#include "program/nodes_where.h"

namespace tonnx::program {

using aten::Container;
using ir::Constant;
using ir::Node;
using ir::Value;

bool is_key(const Value* value) {
  const Constant* key = value->constant();
  const auto* number = key ? key->get<double>() : nullptr;
  return number ? *number == *number : key && (key->is_number() || key->get<std::string>());
}

namespace {

void put(std::vector<Value*>& entries, Value* key, Value* value) {
  if (const auto place = find_entry(entries, key).value) {
    entries[*place] = value;
  } else {
    entries.insert(entries.end(), {key, value});
  }
}

std::vector<Value*> every_second(std::span<Value* const> entries, std::size_t first) {
  std::vector<Value*> result;
  for (std::size_t i = first; i < entries.size(); i += 2) result.push_back(entries[i]);
  return result;
}

}  // namespace

bool is_keyed(Container form) {
  switch (form) {
    case Container::Item:
    case Container::Contains:
    case Container::Get:
    case Container::SetItem:
    case Container::Pop:
    case Container::Delete:
    case Container::SetDefault: return true;
    default: return false;
  }
}

bool asks_dict(const ir::Use& use) {
  return use.index == 0 && aten::traits_of(*use.node).container != Container::None && only_asks(use);
}

Lookup find_entry(std::span<Value* const> entries, const Value* key) {
  if (!is_key(key)) return {};
  for (std::size_t i = 0; i + 1 < entries.size(); i += 2)
    if (ir::same_key(*entries[i]->constant(), *key->constant())) return {true, i + 1};
  return {true, std::nullopt};
}

bool same_keys(std::span<Value* const> a, std::span<Value* const> b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); i += 2)
    if (find_entry(b, a[i]).value != std::optional(i + 1)) return false;
  return true;
}

std::optional<std::vector<Value*>> entries_of(std::span<Value* const> operands) {
  std::vector<Value*> entries;
  for (std::size_t i = 0; i + 1 < operands.size(); i += 2) {
    if (!is_key(operands[i])) return std::nullopt;
    put(entries, operands[i], operands[i + 1]);
  }
  return entries;
}

std::vector<Node*> dicts_of(ir::Graph& graph) {
  return nodes_where(graph, [&](const Node* node) { return aten::acts_as(*node, Container::Dict); });
}

bool makes_dict_of_pairs(const Node& node) {
  return node.is("aten::dict") && aten::traits_of(node).container == Container::None;
}

std::optional<std::vector<Value*>> changed_entries(const Node& node, Container form, std::vector<Value*> entries,
                                                   const std::vector<Value*>* more) {
  const auto erase = [&](std::size_t value) {
    const auto at = entries.begin() + static_cast<std::ptrdiff_t>(value);
    entries.erase(at - 1, at + 1);
    return entries;
  };
  if (form == Container::Clear) return std::vector<Value*>();
  if (form == Container::PopItem) {
    if (entries.empty()) return std::nullopt;
    return erase(1);  // the first, unlike Python's
  }
  if (form == Container::Update) {
    if (!more) return std::nullopt;
    const std::vector<Value*> added = *more;
    for (std::size_t i = 0; i + 1 < added.size(); i += 2) put(entries, added[i], added[i + 1]);
    return entries;
  }
  if (node.input_count() < 2) return std::nullopt;
  const Lookup place = find_entry(entries, node.input(1));
  if (!place.is_known) return std::nullopt;
  switch (form) {
    case Container::SetItem: put(entries, node.input(1), node.input(2)); return entries;
    case Container::SetDefault:
      if (!place.value) put(entries, node.input(1), node.input(2));
      return entries;
    case Container::Pop:
      if (!place.value && node.input_count() > 2) return entries;
      [[fallthrough]];
    case Container::Delete:
      if (!place.value) return std::nullopt;
      return erase(*place.value);
    default: return std::nullopt;
  }
}

Value* entry_value(const Node& node, std::span<Value* const> entries) {
  const Lookup place = find_entry(entries, node.input(1));
  if (place.value) return entries[*place.value];
  return place.is_known && node.input_count() > 2 ? node.input(2) : nullptr;
}

std::vector<Value*> keys_of(std::span<Value* const> entries) { return every_second(entries, 0); }
std::vector<Value*> values_of(std::span<Value* const> entries) { return every_second(entries, 1); }

std::string_view key_form(const Value& dict) {
  const ir::Type& key = dict.type().elements.at(0);
  if (key.is(ir::Type::Kind::String)) return "str";
  if (key.is(ir::Type::Kind::Int)) return "int";
  return key.is(ir::Type::Kind::Float) ? "float" : "";
}

Value* dict_of(Inserter& insert, const ir::Type& type, std::span<Value* const> keys, std::span<Value* const> values) {
  std::vector<Value*> entries;
  for (std::size_t k = 0; k < keys.size(); ++k)
    entries.insert(entries.end(), {insert.constant(*keys[k]->constant()), values[k]});
  return insert.dict(type, entries);
}

Value* get_entry(Inserter& insert, Value* dict, Value* key) {
  const std::string_view form = key_form(*dict);
  if (form.empty()) return nullptr;
  Value* value = insert.call("aten::__getitem__.Dict_" + std::string(form), {dict, key});
  value->set_type(dict->type().elements.at(1));
  return value;
}

bool set_entries(Inserter& insert, Value* dict, std::span<Value* const> entries) {
  const std::string_view form = key_form(*dict);
  const std::string set = "aten::_set_item." + std::string(form);
  for (std::size_t i = 0; !form.empty() && i + 1 < entries.size(); i += 2)
    insert.call(set, {dict, entries[i], entries[i + 1]});
  return !form.empty();
}

}  // namespace tonnx::program
