#pragma once

#include <algorithm>
#include <string_view>

namespace tonnx::aten {

// True for an operator that reports gradient state, by name ("aten::is_leaf"): whether gradients are enabled, or
// tracked for a tensor.
inline bool asks_for_gradients(std::string_view kind) {
  constexpr std::string_view kAsking[] = {"aten::is_grad_enabled", "aten::is_leaf", "aten::retains_grad", "prim::grad",
                                          "prim::requires_grad"};
  return std::ranges::find(kAsking, kind) != std::end(kAsking);
}

}  // namespace tonnx::aten
