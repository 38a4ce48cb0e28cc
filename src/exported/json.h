#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

// The documents of an archive. Whoever reads them trusts nothing: a member that is missing or of another kind throws
// Json::exception, which Archive tells as a damaged file.
namespace tonnx::exported {

using Json = nlohmann::json;

// A value that says of which kind it is: {"as_int": 3}.
struct Tagged {
  std::string_view kind;  // "as_int"
  const Json* value;

  bool is(std::string_view other) const { return kind == other; }
};

// The tag and the value of a tagged value; members that are null are no tags.
inline Tagged tagged(const Json& json) {
  for (auto it = json.begin(); it != json.end(); ++it)
    if (!it.value().is_null()) return {it.key(), &it.value()};
  return {"as_none", &json};
}

}  // namespace tonnx::exported
