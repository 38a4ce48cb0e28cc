#pragma once

#include <string>

namespace tonnx::torch {

// Loads a shared library that defines operators (TORCH_LIBRARY) or classes for this process; it stays loaded. Throws
// Error(Code::File) with the loader's reason.
void load_library(const std::string& path);

// Makes an operator known by its schema alone, "ns::op(Tensor x, float a) -> Tensor", so that programs that use it can
// be loaded and exported, not run. Nothing happens if the same schema is there already. Throws Error(Code::Argument) if
// the text is no schema or another schema has the name. Stays for the life of the process; any thread.
void register_schema(const std::string& schema);

}  // namespace tonnx::torch
