#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "exported/call_spec.h"

namespace tonnx::exported {

// "float32[batch, 4]"
std::string text_of(const ir::Facts& facts);

// The tensors of a tree's leaves that are values of the program; a null stands for a leaf that was not given. `what`
// begins messages. Throws Error(Code::Argument) where a value is missing, does not fit its leaf, or differs from what
// is fixed.
std::vector<ir::Tensor> tensors_of(const std::vector<Leaf>& leaves, const std::vector<const ir::Constant*>& given,
                                   const std::string& what);

// A tree as JSON, its leaves named by `names`, one for each value of the program, or with what is fixed.
nlohmann::ordered_json described(const LeafTree& tree, const std::vector<std::string>& names, const char* leaf_key);

}  // namespace tonnx::exported
