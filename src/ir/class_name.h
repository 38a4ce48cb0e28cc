#pragma once

#include <string_view>

namespace tonnx::ir {

// The class of a module, Scope::type: "torch.nn.modules.linear.Linear", or "Linear" if its Python module is unknown.

// "Linear".
inline std::string_view class_name(std::string_view type) { return type.substr(type.rfind('.') + 1); }

// "torch.nn.modules.linear"; empty if it is unknown.
inline std::string_view python_module(std::string_view type) {
  const std::size_t dot = type.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : type.substr(0, dot);
}

}  // namespace tonnx::ir
