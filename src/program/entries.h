#pragma once

#include <optional>
#include <span>
#include <vector>

#include "aten/traits.h"
#include "ir/graph.h"
#include "program/edit.h"

// What constants say of the entries of dicts: key, value, key, value, ... in the dict's order, as prim::DictConstruct
// has them.
namespace tonnx::program {

// Where the value of a key stands.
struct Lookup {
  bool is_known = false;             // keys that are no constants may be any
  std::optional<std::size_t> value;  // its place among the entries; nothing: no entry has the key
};
Lookup find_entry(std::span<ir::Value* const> entries, const ir::Value* key);

// Whether two dicts have the same keys in the same order; false where a key is no constant.
bool same_keys(std::span<ir::Value* const> a, std::span<ir::Value* const> b);

// Whether a use of a dict reads of it by a method of its own, and hands the dict itself on to nobody.
bool asks_dict(const ir::Use& use);

// The entries that prim::DictConstruct makes of its operands: a key that stands twice keeps its place and takes the
// later value. Nothing where a key is no constant.
std::optional<std::vector<ir::Value*>> entries_of(std::span<ir::Value* const> operands);

// The nodes that make the dicts of a graph, inner blocks' too, as a list of their own: who takes dicts apart removes
// them.
std::vector<ir::Node*> dicts_of(ir::Graph& graph);

// Whether a node makes a dict of a list of (key, value), or an empty one of nothing.
bool makes_dict_of_pairs(const ir::Node& node);

// The entries after `node`, which changes the dict that has `entries`; `more` are those of the dict that an Update
// adds. Nothing if they are not known, or if the key that it takes away is not there.
std::optional<std::vector<ir::Value*>> changed_entries(const ir::Node& node, aten::Container form,
                                                       std::vector<ir::Value*> entries,
                                                       const std::vector<ir::Value*>* more);

// What a Get, SetDefault, Pop or Item of a dict gives: the value of the entry, or the default where there is none. Null
// where that is not known, or where it is None or an exception.
ir::Value* entry_value(const ir::Node& node, std::span<ir::Value* const> entries);

// What a node that reads the dict gives, a length, keys, values, pairs or copy made of the entries; null where that is
// not known.
ir::Value* read_entries(const ir::Node& node, std::span<ir::Value* const> entries, Inserter& insert);

// Reads the value of a key that the dict has; null, and nothing, for keys that no operator reads.
ir::Value* get_entry(Inserter& insert, ir::Value* dict, ir::Value* key);
// Sets the entries of the dict, one by one; false, and nothing, for keys that no operator sets.
bool set_entries(Inserter& insert, ir::Value* dict, std::span<ir::Value* const> entries);
// Takes the keys of these entries out of the dict, which has them.
void delete_entries(Inserter& insert, ir::Value* dict, std::span<ir::Value* const> entries);

// Every second of the entries: the keys, or the values.
std::vector<ir::Value*> keys_of(std::span<ir::Value* const> entries);
std::vector<ir::Value*> values_of(std::span<ir::Value* const> entries);

}  // namespace tonnx::program
