#pragma once

#include <string>

namespace tonnx::exporting {

// Registers an operator's schema with LibTorch, if it is available, and for programs of torch.export. Does nothing if
// the same schema is registered. Throws Error(Code::Argument) if the text is not a schema, or the name has another
// schema.
void register_operator(const std::string& schema);

}  // namespace tonnx::exporting
