#pragma once

#include <string>
#include <string_view>

#include "ir/schema.h"

// Schemas of operators that the table does not have, as users tell them. They stay for the life of the process.
// Thread-safe.
namespace tonnx::exported {

// Nothing happens where the same schema is there already. Throws Error(Code::Argument) where the text is no schema, its
// name has no namespace, or the operator has another schema.
void declare_schema(const std::string& text);

// By full name, "ns::op.overload"; null where nobody told it.
ir::SchemaPtr declared_schema(std::string_view full_name);

}  // namespace tonnx::exported
