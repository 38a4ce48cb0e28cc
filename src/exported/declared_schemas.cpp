#include "exported/declared_schemas.h"

#include <map>
#include <mutex>

#include "aten/schema_text.h"
#include "aten/schemas.h"
#include "ir/error.h"

namespace tonnx::exported {

using ir::Code;
using ir::Error;

namespace {

struct Declared {
  std::string text;
  ir::SchemaPtr schema;
};

struct Declarations {
  std::mutex mutex;
  std::map<std::string, Declared, std::less<>> by_name;
};

Declarations& declarations() {
  static auto& all = *new Declarations();
  return all;
}

ir::Schema parse(const std::string& text) {
  if (text.substr(0, text.find('(')).find("::") == std::string::npos)
    throw Error(Code::Argument, "'" + text + "' is not an operator schema: the name needs a namespace, as in 'ns::op'");
  try {
    return aten::parse_schema(text);
  } catch (const Error& error) {
    throw Error(Code::Argument, "'" + text + "' is not an operator schema: " + error.what());
  }
}

}  // namespace

void declare_schema(const std::string& text) {
  const auto schema = std::make_shared<const ir::Schema>(parse(text));
  const std::string name = schema->full_name();
  const auto refuse_other = [&](std::string_view known) {
    if (known != text)
      throw Error(Code::Argument, "operator " + name + " already has another schema: " + std::string(known));
  };
  if (const auto line = aten::find_line(name)) return refuse_other(line->text);
  Declarations& all = declarations();
  const std::scoped_lock lock(all.mutex);
  const auto [at, is_new] = all.by_name.try_emplace(name, Declared{text, schema});
  if (!is_new) refuse_other(at->second.text);
}

ir::SchemaPtr declared_schema(std::string_view full_name) {
  Declarations& all = declarations();
  const std::scoped_lock lock(all.mutex);
  const auto found = all.by_name.find(full_name);
  return found == all.by_name.end() ? nullptr : found->second.schema;
}

}  // namespace tonnx::exported
