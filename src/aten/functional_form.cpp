#include "aten/functional_form.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aten/schemas.h"
#include "aten/traits.h"

namespace tonnx::aten {
namespace {

using ir::Argument;
using ir::Schema;

// "aten::add" for "aten::add_", "aten::__or__" for "aten::__ior__"; empty for other names.
std::string name_without_write(const std::string& name) {
  const std::size_t begin = name.find("::") + 2;
  const std::string_view op = std::string_view(name).substr(begin);
  if (op.starts_with("__i") && op.ends_with("__")) return name.substr(0, begin) + "__" + std::string(op.substr(3));
  if (op.ends_with('_') && !op.ends_with("__")) return name.substr(0, name.size() - 1);
  return {};
}

bool same(const Argument& a, const Argument& b) { return a.name == b.name && a.type == b.type; }

// The overload of `name` that has all `arguments`, and a default value for each further one.
ir::SchemaPtr find_with_defaults(const std::string& name, const std::vector<Argument>& arguments) {
  for (const SchemaLine& line : overloads_of(name)) {
    ir::SchemaPtr schema = find_schema(line.full_name);
    const auto is_own = [&](const Argument& argument) {
      const int at = schema->index_of(argument.name);
      return at >= 0 && same(schema->arguments[static_cast<std::size_t>(at)], argument);
    };
    const auto is_known = [&](const Argument& own) {
      return own.default_value || std::ranges::any_of(arguments, [&](const Argument& a) { return a.name == own.name; });
    };
    if (std::ranges::all_of(arguments, is_own) && std::ranges::all_of(schema->arguments, is_known)) return schema;
  }
  return nullptr;
}

// For each argument of `schema`: the argument of the same name of the writing operator.
std::vector<std::size_t> places(const Schema& schema, const Schema& writing) {
  std::vector<std::size_t> places;
  for (const Argument& argument : schema.arguments) {
    const int at = writing.index_of(argument.name);
    places.push_back(at < 0 ? FunctionalForm::kDefault : static_cast<std::size_t>(at));
  }
  return places;
}

// The overload of `name` whose arguments are the first ones of `arguments`; all of them unless `may_drop`.
ir::SchemaPtr find_overload(const std::string& name, const std::vector<Argument>& arguments, bool may_drop) {
  for (const SchemaLine& line : overloads_of(name)) {
    ir::SchemaPtr schema = find_schema(line.full_name);
    const auto& own = schema->arguments;
    const bool fits = may_drop ? own.size() <= arguments.size() : own.size() == arguments.size();
    if (fits && std::equal(own.begin(), own.end(), arguments.begin(), same)) return schema;
  }
  return nullptr;
}

}  // namespace

FunctionalForm functional_form(const Schema& schema, std::size_t written) {
  const bool is_out = schema.arguments[written].name == "out";
  const std::string_view special = traits_of(schema.name, schema.overload).functional;
  std::string name = is_out ? schema.name : !special.empty() ? std::string(special) : name_without_write(schema.name);
  if (name.empty() || (!is_out && written != 0)) return {};
  std::vector<Argument> arguments = schema.arguments;
  if (is_out) arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(written));
  ir::SchemaPtr found = find_overload(name, arguments, !special.empty());
  if (!found) found = find_with_defaults(name, arguments);
  if (found) {
    std::vector<std::size_t> places_found = places(*found, schema);
    return {std::move(found), std::move(places_found)};
  }
  auto made = std::make_shared<Schema>(schema);
  made->name = std::move(name);
  if (is_out)
    made->overload = schema.overload.ends_with("_out") ? schema.overload.substr(0, schema.overload.size() - 4) : "";
  made->arguments = std::move(arguments);
  for (Argument& argument : made->arguments)
    if (argument.is_write || argument.alias_set != "*") argument.is_write = false, argument.alias_set.clear();
  for (Argument& result : made->returns) {
    result.is_write = false;
    result.alias_set.clear();
  }
  std::vector<std::size_t> own_places = places(*made, schema);
  return {std::move(made), std::move(own_places)};
}

ir::SchemaPtr functional_form_of_outs(const Schema& schema, std::size_t written) {
  std::vector<Argument> arguments = schema.arguments;
  if (schema.returns.size() != written || arguments.size() < written) return nullptr;
  const auto outs = arguments.end() - static_cast<std::ptrdiff_t>(written);
  const auto is_returned = [](const Argument& out, const Argument& result) {
    return out.is_write && !out.alias_set.empty() && out.alias_set == result.alias_set;
  };
  if (!std::equal(outs, arguments.end(), schema.returns.begin(), is_returned)) return nullptr;
  arguments.erase(outs, arguments.end());
  ir::SchemaPtr found = find_overload(schema.name, arguments, false);
  return found && found->returns.size() == written ? found : nullptr;
}

}  // namespace tonnx::aten
