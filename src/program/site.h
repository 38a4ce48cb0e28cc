#pragma once

#include <string>

#include "ir/error.h"
#include "ir/graph.h"

namespace tonnx::program {

// "aten::add_.Tensor in layer1.0 (model.py:12)"; parts that are unknown are left out.
std::string describe_site(const ir::Node& node);

// The error for a node that cannot be exported: message "PLACE: reason", with one Reason.
ir::Error refusal(const ir::Node& node, const std::string& reason, ir::Code code = ir::Code::Unsupported);

// What a node does beyond its results, as its schema tells.
bool writes(const ir::Node& node);
bool writes_argument(const ir::Node& node, std::size_t input);

}  // namespace tonnx::program
