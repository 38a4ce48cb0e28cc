#pragma once

#include <string>
#include <string_view>

#include "ir/schema.h"

// Schemas of operators that are not in the table, registered by users. They last for the life of the process.
// Thread-safe.
namespace tonnx::exported {

// Registers a schema. Does nothing if the same schema is registered. Throws Error(Code::Argument) if the text is not a
// schema, its name has no namespace, or the operator has another schema.
void declare_schema(const std::string& text);

// Finds a schema by full name, "ns::op.overload"; null if it is not registered.
ir::SchemaPtr declared_schema(std::string_view full_name);

}  // namespace tonnx::exported
