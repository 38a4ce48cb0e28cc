#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "aten/traits.h"
#include "ir/graph.h"
#include "program/edit.h"

// Entries of dicts with constant keys: key, value, key, value, ... in the dict's order, as prim::DictConstruct has
// them.
namespace tonnx::program {

// True if a value is a constant that can be a key. NaN cannot: LibTorch never finds it again.
bool is_key(const ir::Value* value);

// The position of a key's value.
struct Lookup {
  bool is_known = false;             // false if a key is not a constant
  std::optional<std::size_t> value;  // its index among the entries; empty: no entry has the key
};
Lookup find_entry(std::span<ir::Value* const> entries, const ir::Value* key);

// True if two dicts have the same keys in the same order; false if a key is not a constant.
bool same_keys(std::span<ir::Value* const> a, std::span<ir::Value* const> b);

// True for operators on the entry of one key, input 1.
bool is_keyed(aten::Container form);

// True if a use only reads the dict by one of its methods, and does not pass the dict itself on.
bool asks_dict(const ir::Use& use);

// The entries that prim::DictConstruct creates from its operands: a repeated key keeps its first position and has the
// later value. Empty if a key is not a constant.
std::optional<std::vector<ir::Value*>> entries_of(std::span<ir::Value* const> operands);

// The nodes that create dicts, in all blocks of a graph. A copy, because callers remove such nodes.
std::vector<ir::Node*> dicts_of(ir::Graph& graph);

// True if a node creates a dict from a list of (key, value), or an empty one.
bool makes_dict_of_pairs(const ir::Node& node);

// The entries after `node`, which changes the dict that has `entries`; `more` are those of the dict that an Update
// adds. Empty if they are not known, or if the key to remove is missing.
std::optional<std::vector<ir::Value*>> changed_entries(const ir::Node& node, aten::Container form,
                                                       std::vector<ir::Value*> entries,
                                                       const std::vector<ir::Value*>* more);

// The result of a Get, SetDefault, Pop or Item of a dict: the value of the entry, or the default if there is none. Null
// if that is not known, None, or an exception.
ir::Value* entry_value(const ir::Node& node, std::span<ir::Value* const> entries);

// The result of a node that reads the dict, built from the entries: a length, keys, values, pairs or a copy. Null if it
// is not known.
ir::Value* read_entries(const ir::Node& node, std::span<ir::Value* const> entries, Inserter& insert);

// Builds a dict of copies of these constant keys, with these values.
ir::Value* dict_of(Inserter& insert, const ir::Type& type, std::span<ir::Value* const> keys,
                   std::span<ir::Value* const> values);

// The overload of an operator for keys of the dict's type: "str"; empty for types that none takes.
std::string_view key_form(const ir::Value& dict);
// Reads the value of a key that the dict has. Returns null and inserts nothing for key types that no operator reads.
ir::Value* get_entry(Inserter& insert, ir::Value* dict, ir::Value* key);
// Sets the entries of the dict, one by one. Returns false and inserts nothing for key types that no operator sets.
bool set_entries(Inserter& insert, ir::Value* dict, std::span<ir::Value* const> entries);

// Every second of the entries: the keys, or the values.
std::vector<ir::Value*> keys_of(std::span<ir::Value* const> entries);
std::vector<ir::Value*> values_of(std::span<ir::Value* const> entries);

}  // namespace tonnx::program
