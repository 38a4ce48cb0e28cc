#pragma once

#include <string>

namespace tonnx::torch {

// Loads a shared library that defines operators (TORCH_LIBRARY) or classes for this process; it stays loaded. Throws
// Error(Code::File) with the loader's message.
void load_library(const std::string& path);

// Registers an operator by its schema alone, "ns::op(Tensor x, float a) -> Tensor", so that programs that use it can be
// loaded and exported, but not run. Does nothing if the same schema is registered. Throws Error(Code::Argument) if the
// text is not a schema, or the name has another schema. Lasts for the life of the process; may be called on any thread.
void register_schema(const std::string& schema);

}  // namespace tonnx::torch
