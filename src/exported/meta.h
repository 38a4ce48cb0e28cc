#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exported/json.h"
#include "ir/facts.h"
#include "ir/graph.h"
#include "ir/polynomial.h"

namespace tonnx::exported {

// Reads dtypes, sizes and strides of values from a document. `names` renames symbols; `sizes` replaces them by numbers.
class Meta {
 public:
  explicit Meta(std::map<std::string, std::string> names, std::map<std::string, ir::Polynomial> sizes = {})
      : names_(std::move(names)), sizes_(std::move(sizes)) {}

  // Not valid if the text is not supported.
  ir::Polynomial expression(std::string_view text) const;

  // Facts of a tensor.
  ir::Facts facts(const Json& tensor) const;
  // Facts of a number: its constant if it is the same in every run. `type` is the type of the value.
  ir::Facts facts(const Json& number, ir::Type::Kind type) const;

  // True if a condition on sizes, "Equality(Mod(Symbol('s0'), Integer(2)), Integer(0))", always holds, false if it
  // never holds, nullopt if unknown.
  std::optional<bool> truth(std::string_view condition) const;
  // True if symbols are replaced by numbers.
  bool has_sizes() const { return !sizes_.empty(); }

  // True if the tensor is contiguous; false if unknown.
  bool is_contiguous(const Json& tensor) const;
  // True if two tensors have the same sizes and strides in every run.
  bool same_strides(const Json& a, const Json& b) const;
  // True if two tensors with the same storage have the same elements at the same offsets in every run: strides of axes
  // of size 1 are ignored.
  bool same_elements(const Json& a, const Json& b) const;
  // Parses a list of sizes or strides; unsupported ones are not valid.
  std::vector<ir::Polynomial> sizes(const Json& all) const;
  // Storage offset of the tensor, if it is the same in every run.
  std::optional<std::int64_t> offset(const Json& tensor) const;

 private:
  ir::Polynomial size_of(const Json& size) const;

  std::map<std::string, std::string> names_;
  std::map<std::string, ir::Polynomial> sizes_;
};

// Adds attributes to an operator that returns its argument, a view or a copy of it, which say which one it returns:
// "shares_memory"; "view_symbols" and "view_cases" if it depends on dynamic sizes (read by branch_views() of
// src/program). Adds "memory_offset" to one that reads memory by strides from the beginning of its argument. See
// facts.h of src/program. Adds nothing if the strides of argument and result do not decide it.
void note_memory(ir::Node& node, const Meta& meta, const Json& argument, const Json& result);

}  // namespace tonnx::exported
