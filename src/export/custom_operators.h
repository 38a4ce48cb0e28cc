#pragma once

#include <string>

namespace tonnx::exporting {

// Makes an operator known by its schema, to LibTorch where there is one, and to programs of torch.export. Nothing
// happens if the same schema is there already. Throws Error(Code::Argument) if the text is no schema or another schema
// has the name.
void register_operator(const std::string& schema);

}  // namespace tonnx::exporting
