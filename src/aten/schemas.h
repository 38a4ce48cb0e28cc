#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "ir/schema.h"

// The schemas of LibTorch's operators, and of a few other libraries, without LibTorch: a table in the executable's text
// segment, sorted by name; lines are parsed on demand. All functions are thread-safe.
namespace tonnx::aten {

// LibTorch's tags of an operator.
struct Tags {
  bool data_dependent_output = false;    // a result is a scalar that depends on tensor data
  bool dynamic_output_shape = false;     // a size depends on tensor data
  bool inplace_view = false;             // changes sizes or strides of its argument, but no data
  bool nondeterministic_seeded = false;  // uses a random generator
};

// A line of the table.
struct SchemaLine {
  std::string_view full_name;  // "aten::add.Tensor"
  std::string_view text;       // the schema, as parse_schema() reads it
  Tags tags;

  std::string_view overload() const;  // "Tensor"
};

// Looks up a full name; nullopt if the table does not have it.
std::optional<SchemaLine> find_line(std::string_view full_name);
// All overloads of an operator, "aten::add", by full name; empty if the table does not have it.
std::vector<SchemaLine> overloads_of(std::string_view name);
// The first overload whose arguments begin with these types; null if there is none.
ir::SchemaPtr overload_for(std::string_view name, std::initializer_list<ir::Type> types);
// Every line, by full name; other libraries come last.
void for_each_line(const std::function<void(const SchemaLine&)>& visit);

// True if the operator is LibTorch's own.
bool is_own(const SchemaLine& line);

// The schema of a full name, parsed at the first call and shared from then on; null if the table does not have it.
ir::SchemaPtr find_schema(std::string_view full_name);

// True for domains whose operators are LibTorch's own: "aten", "prim", "quantized"; false for "torchvision".
bool is_own_domain(std::string_view domain);

}  // namespace tonnx::aten
