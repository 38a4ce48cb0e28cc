#pragma once

#include <string>
#include <vector>

#include "exported/call_spec.h"
#include "exported/json_library.h"

namespace tonnx::exported {

// "float32[batch, 4]"
std::string text_of(const ir::Facts& facts);

// Returns the tensors of those leaves of a tree that are values of the program; null in `given` is a leaf without a
// value. `what` begins messages. Throws Error(Code::Argument) if a value is missing, does not fit its leaf, or differs
// from a fixed constant.
std::vector<ir::Tensor> tensors_of(const std::vector<Leaf>& leaves, const std::vector<const ir::Constant*>& given,
                                   const std::string& what);

// Returns a tree as JSON. Leaves have the names in `names`, one for each value of the program, or their fixed
// constants.
nlohmann::ordered_json described(const LeafTree& tree, const std::vector<std::string>& names, const char* leaf_key);

}  // namespace tonnx::exported
