#pragma once

#include <algorithm>
#include <string_view>

namespace tonnx::aten {

// Whether an operator tells of gradients, by name ("aten::is_leaf"): whether they are switched on, or followed for a
// tensor.
inline bool asks_for_gradients(std::string_view kind) {
  constexpr std::string_view kAsking[] = {"aten::is_grad_enabled", "aten::is_leaf", "aten::retains_grad", "prim::grad",
                                          "prim::requires_grad"};
  return std::ranges::find(kAsking, kind) != std::end(kAsking);
}

}  // namespace tonnx::aten
