#include "exported/tree.h"

#include "exported/json.h"

namespace tonnx::exported {

namespace {

// The first list in a context that has a name for each child.
const Json* names_in(const Json& context, std::size_t count) {
  if (context.is_array() && context.size() == count) {
    bool plain = true;
    for (const Json& item : context) plain = plain && (item.is_string() || item.is_number() || item.is_boolean());
    if (plain) return &context;
  }
  if (!context.is_structured()) return nullptr;
  for (const Json& item : context)
    if (const Json* found = names_in(item, count)) return found;
  return nullptr;
}

void visit(const Json& node, const std::string& name, std::vector<std::string>& leaves) {
  const Json& type = node.at("type");
  if (type.is_null()) {
    leaves.push_back(name);
    return;
  }
  const Json& children = node.at("children_spec");
  const Json& text = node.at("context");
  const Json context = text.is_string() ? Json::parse(text.get_ref<const std::string&>(), nullptr, false) : text;
  const bool numbered = type == "builtins.tuple" || type == "builtins.list";
  const Json* keys = numbered || children.empty() ? nullptr : names_in(context, children.size());
  for (std::size_t i = 0; i < children.size(); ++i) {
    std::string key;
    if (keys) {
      key = (*keys)[i].is_string() ? (*keys)[i].get<std::string>() : (*keys)[i].dump();
    } else if (!name.empty()) {
      key = std::to_string(i);
    }
    visit(children[i], name.empty() || key.empty() ? name + key : name + "." + key, leaves);
  }
}

}  // namespace

std::vector<std::string> leaf_names(std::string_view spec, const std::string& prefix) {
  std::vector<std::string> leaves;
  visit(Json::parse(spec).at(1), prefix, leaves);
  return leaves;
}

}  // namespace tonnx::exported
