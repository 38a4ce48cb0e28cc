#pragma once

#include <string>
#include <string_view>

#include "ir/graph.h"

namespace tonnx::aten {

// True if ONNX Runtime fails in the operator's lowering for sizes for which LibTorch's operator fails. False if the
// model may compute something instead: some ONNX operators clamp, broadcast or move where LibTorch's refuse. For
// prim::ListUnpack the operator of the list decides.
bool runtime_checks_sizes(const ir::Node& node);

// The same for operators that LibTorch refuses because an axis has size 0. False for most of them: they return
// something without elements in ONNX Runtime.
bool runtime_checks_empty(const ir::Node& node);

// True for a view of a shape in which one size may be -1. LibTorch refuses it for tensors without elements.
bool infers_size(const ir::Node& node);

// True if the operator fails when a condition on data, its first argument, is false. A model does not check it.
bool asserts_condition(std::string_view name);
// The warning about such an operator; `site` is its location, `message` its error message or empty.
// `is_assumed` says whether the model's sizes and constants assume the condition.
std::string unchecked_condition(const std::string& site, const std::string& message, bool is_assumed = false);

// Whether a size of the results that data decide is at most the number of elements of the operator's boolean
// arguments, or of the first one if there are none.
bool selects_elements(const ir::Node& node);

}  // namespace tonnx::aten
