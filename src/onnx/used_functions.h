#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ir/function.h"
#include "ir/graph.h"

namespace tonnx::onnx {

using DomainVersions = std::vector<std::pair<std::string, std::int64_t>>;

// The functions that a model needs.
struct UsedFunctions {
  std::vector<std::string> messages;  // FunctionProtos; each after those that it calls
  DomainVersions domains;             // what they import besides the default domain
  std::vector<std::string>
      missing_calls;  // "my::A calls my::B": calls in a domain of the host's functions that are none
};

// The functions that the graph's nodes call, directly or not. They import the default domain at `opset`, and other
// domains at the versions of `domains`, if these have one. Throws Error(Code::Unsupported) for a function that does not
// fit the opset, and Error(Code::Argument) for two that import a domain at different versions.
UsedFunctions used_functions(const ir::Graph& graph, const ir::Functions& functions, int opset,
                             const DomainVersions& domains);

}  // namespace tonnx::onnx
