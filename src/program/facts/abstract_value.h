#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "ir/evaluator.h"

namespace tonnx::program {

// How many items at the front, and at the back, of a list have the same index from that end in every run.
struct FixedEnds {
  std::size_t front = 0;
  std::size_t back = 0;
};

// The abstract value of a program value: what it is in each sample of an inference.
struct Sampled {
  std::vector<ir::DatumPtr> samples;       // empty: unknown
  ir::DType dtype = ir::DType::Undefined;  // of an unknown tensor: its dtype, if known
  bool meta = false;                       // a tensor without data, or a container of one
  bool varies = false;                     // depends on a dynamic size or on tensor data
  bool unreachable = false;                // undefined: prim::Uninitialized, or computed from it
  bool depends_on_data = false;            // the value, or the sizes of a tensor, depend on tensor data
  bool has_open_layout = false;            // a tensor, or one in a container, may have other strides in other runs
  std::vector<char> items;                 // per item of a list or tuple: it varies; empty: see `varies`
  bool fixed_keys = false;                 // pairs of a dict, or a pair, with the same keys in every run
  bool fixed_form = false;                 // this container and those in it have the same length or keys in every run
  std::optional<FixedEnds> fixed_ends;     // of a list whose items may differ by run, or of its container
  // Of a list of tensors that is empty in some runs: for each sample in which it is empty, a non-empty list from
  // another path, or null. Empty if those lists may differ in dtype or shape.
  std::vector<ir::DatumPtr> otherwise;
  bool is_mixed = false;  // an empty list that may have items other than those of `otherwise` in other runs

  bool known() const { return !samples.empty(); }
  bool any_varies() const { return varies || std::ranges::find(items, 1) != items.end(); }
  bool item_varies(std::size_t item) const { return item < items.size() ? items[item] != 0 : any_varies(); }
};

// How a loop-carried value changes between iterations.
struct CarriedChange {
  bool form = false;       // its dtype, rank or kind
  bool dtype = false;      // of a tensor, known to change
  bool any_dtype = false;  // the dtype is not known to be the same in all iterations
  bool rank = false;       // of a tensor, known to change
  bool value = false;      // a number, or small content
  std::vector<bool> dims;
  bool length = false;                   // the length of a list
  bool shrinks = false;                  // some iteration shortens the list
  std::vector<std::vector<bool>> items;  // the dims of each tensor in a list
  std::vector<ir::DatumPtr> filled;      // by sample: a non-empty state of the list, or null
  bool is_mixed = false;                 // Sampled::is_mixed of the list where it is empty
};

}  // namespace tonnx::program
