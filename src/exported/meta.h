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

// What a document tells of its values: dtypes, sizes, strides. `names` gives symbols other names, and `sizes` numbers
// in place of these.
class Meta {
 public:
  explicit Meta(std::map<std::string, std::string> names, std::map<std::string, ir::Polynomial> sizes = {})
      : names_(std::move(names)), sizes_(std::move(sizes)) {}

  // Not valid where the text is not understood.
  ir::Polynomial expression(std::string_view text) const;

  // Of a tensor.
  ir::Facts facts(const Json& tensor) const;
  // Of a number: its constant where it is the same in every run. `type` is that of the value.
  ir::Facts facts(const Json& number, ir::Type::Kind type) const;

  // Whether a condition on sizes, "Equality(Mod(Symbol('s0'), Integer(2)), Integer(0))", holds in every run, or in
  // none; nothing where that is not sure.
  std::optional<bool> truth(std::string_view condition) const;
  // Whether numbers stand in place of symbols.
  bool has_sizes() const { return !sizes_.empty(); }

  // Whether the elements lie in memory one after the other; false where that is not sure.
  bool is_contiguous(const Json& tensor) const;
  // Whether two tensors have the same sizes and strides in every run.
  bool same_strides(const Json& a, const Json& b) const;
  // Whether two tensors of one memory have the same elements in the same places in every run: strides of axes of size 1
  // do not count.
  bool same_elements(const Json& a, const Json& b) const;
  // Of a list of sizes or strides; those that are not understood are not valid.
  std::vector<ir::Polynomial> sizes(const Json& all) const;
  // Where the tensor begins in its memory, if that is the same in every run.
  std::optional<std::int64_t> offset(const Json& tensor) const;

 private:
  ir::Polynomial size_of(const Json& size) const;

  std::map<std::string, std::string> names_;
  std::map<std::string, ir::Polynomial> sizes_;
};

// Notes on an operator that gives its argument, a view of it or a copy, which of these it does ("shares_memory";
// "view_symbols" and "view_cases" where open sizes decide, as branch_views() of src/program reads them), and on one
// that reads memory by strides where its argument begins ("memory_offset"), as facts.h of src/program has them. Nothing
// is noted where the argument's and the result's strides do not tell it.
void note_memory(ir::Node& node, const Meta& meta, const Json& argument, const Json& result);

}  // namespace tonnx::exported
