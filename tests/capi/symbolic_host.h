#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tonnx.hpp"

// Programs for tests of symbolics, without LibTorch's headers.
namespace host {

using Results = std::optional<std::vector<tonnx::Value>>;

inline tonnx::Program compiled(const std::string& body) {
  return tonnx::Program::compile("def forward(self, x):\n    return " + body + "\n");
}

inline tonnx::Args example() {
  const float values[6] = {-2, -1, 0, 1, 2, 3};
  tonnx::Args args;
  args.add(tonnx::Tensor(TONNX_DTYPE_FLOAT32, {2, 3}, values, sizeof values));
  return args;
}

// The error of a call; one of status TONNX_STATUS_OK if it does not fail.
template <class Body>
tonnx::Error failure(Body&& body) {
  try {
    body();
  } catch (const tonnx::Error& error) {
    return error;
  }
  return tonnx::Error(TONNX_STATUS_OK, "it does not");
}

}  // namespace host
