#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "ir/schema.h"

// The schemas of LibTorch's operators, and of a few libraries beside it, without LibTorch: a table in the program's
// text, sorted by name, of which nothing is read before it is asked for. All functions are thread-safe.
namespace tonnx::aten {

// How LibTorch's dispatcher tags an operator.
struct Tags {
  bool data_dependent_output = false;    // a result is a number that depends on the data of a tensor
  bool dynamic_output_shape = false;     // a size depends on the data of a tensor
  bool inplace_view = false;             // changes the sizes or strides of its argument and no data
  bool nondeterministic_seeded = false;  // draws from a generator
};

// A line of the table.
struct SchemaLine {
  std::string_view full_name;  // "aten::add.Tensor"
  std::string_view text;       // the schema, as parse_schema() reads it
  Tags tags;

  std::string_view overload() const;  // "Tensor"
};

// By full name; nothing if the table does not have it.
std::optional<SchemaLine> find_line(std::string_view full_name);
// All overloads of an operator, "aten::add", by full name; empty if the table does not have it.
std::vector<SchemaLine> overloads_of(std::string_view name);
// The first overload whose arguments begin with these types; null if there is none.
ir::SchemaPtr overload_for(std::string_view name, std::initializer_list<ir::Type> types);
// Every line, by full name; those of libraries beside LibTorch last.
void for_each_line(const std::function<void(const SchemaLine&)>& visit);

// Whether LibTorch itself has the operator, and no library beside it.
bool is_own(const SchemaLine& line);

// The schema by full name, parsed at the first call and shared from then on; null if the table does not have it.
ir::SchemaPtr find_schema(std::string_view full_name);

// True for domains whose operators are LibTorch's own: "aten", "prim", "quantized"; false for "torchvision".
bool is_own_domain(std::string_view domain);

}  // namespace tonnx::aten
