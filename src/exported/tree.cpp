#include "exported/tree.h"

#include <algorithm>

namespace tonnx::exported {

namespace {

// Returns the first list in a context that has a name for each child.
const Json* names_in(const Json& context, std::size_t count) {
  if (context.is_array() && context.size() == count) {
    bool plain = true;
    for (const Json& item : context) plain = plain && (item.is_string() || item.is_number() || item.is_boolean());
    if (plain) return &context;
  }
  if (context.is_array())
    for (const Json& item : context)
      if (const Json* found = names_in(item, count)) return found;
  if (context.is_object())
    for (const auto& [key, item] : context.members())
      if (const Json* found = names_in(item, count)) return found;
  return nullptr;
}

// Parses a node's context; an empty document if it is not JSON.
JsonDocument context_of(const Json& node) {
  const Json& text = node.at("context");
  if (!text.is_string()) return JsonDocument(text);
  try {
    return JsonDocument(text.string());
  } catch (const JsonError&) {
    return {};
  }
}

bool is_builtin(const Json& node) { return node.at("type").string().starts_with("builtins."); }

bool is_numbered(const Json& node) {
  const Json& type = node.at("type");
  return type == "builtins.tuple" || type == "builtins.list";
}

std::string key_text(const Json& key) { return key.is_string() ? key.get<std::string>() : key.dump(); }

void visit(const Json& node, const std::string& name, std::vector<std::string>& leaves) {
  if (node.at("type").is_null()) {
    leaves.push_back(name);
    return;
  }
  const Json& children = node.at("children_spec");
  const std::vector<std::string> keys = child_names(node);
  for (std::size_t i = 0; i < children.size(); ++i) {
    const std::string key = !keys.empty() ? keys[i] : name.empty() ? std::string() : std::to_string(i);
    visit(children[i], name.empty() || key.empty() ? name + key : name + "." + key, leaves);
  }
}

}  // namespace

std::vector<std::string> child_names(const Json& node) {
  const Json& children = node.at("children_spec");
  if (is_numbered(node) || children.empty()) return {};
  const JsonDocument context = context_of(node);
  std::vector<std::string> names;
  if (const Json* keys = names_in(context.root(), children.size()))
    for (const Json& key : *keys) names.push_back(key_text(key));
  return names;
}

std::vector<std::string> absent_names(const Json& node) {
  if (node.at("type").is_null() || is_builtin(node)) return {};
  const JsonDocument text = context_of(node);
  const Json& context = text.root();
  const auto is_names = [](const Json& list) {
    return list.is_array() && std::all_of(list.begin(), list.end(), [](const Json& item) { return item.is_string(); });
  };
  if (!context.is_array() || context.size() != 2 || !is_names(context[0]) || !is_names(context[1]) ||
      context[0].size() != node.at("children_spec").size())
    return {};
  return context[1].get<std::vector<std::string>>();
}

std::size_t leaf_count(const Json& node) {
  if (node.at("type").is_null()) return 1;
  std::size_t count = 0;
  for (const Json& child : node.at("children_spec")) count += leaf_count(child);
  return count;
}

bool flatten(const Json& node, const ir::Constant& value, std::vector<const ir::Constant*>& leaves) {
  if (node.at("type").is_null()) {
    leaves.push_back(&value);
    return true;
  }
  const Json& children = node.at("children_spec");
  const std::vector<std::string> absent = absent_names(node);
  const auto in_order = [&](const std::vector<ir::Constant>& items) {
    std::vector<const ir::Constant*> present;
    for (const ir::Constant& item : items)
      if (items.size() == children.size() || !item.is_none()) present.push_back(&item);
    if (present.size() != children.size() || items.size() - present.size() > absent.size()) return false;
    for (std::size_t i = 0; i < children.size(); ++i)
      if (!flatten(children[i], *present[i], leaves)) return false;
    return true;
  };
  if (const auto* list = value.get<ir::Constant::List>()) return in_order(list->items);
  if (const auto* tuple = value.get<ir::Constant::Tuple>()) return in_order(tuple->items);
  const auto* dict = value.get<ir::Constant::Dict>();
  if (!dict) return false;
  const std::vector<std::string> keys = child_names(node);
  const auto given = [&](const std::string& name) -> const ir::Constant* {
    for (const auto& [key, item] : dict->items) {
      const auto* text = key.get<std::string>();
      if ((text ? *text : ir::to_string(key)) == name) return &item;
    }
    return nullptr;
  };
  std::size_t known = children.size();
  for (const std::string& name : absent) {
    const ir::Constant* item = given(name);
    if (item && !item->is_none()) return false;
    known += item != nullptr;
  }
  if (dict->items.size() != known || keys.size() != children.size()) return false;
  for (std::size_t i = 0; i < children.size(); ++i) {
    const ir::Constant* item = given(keys[i]);
    if (!item || !flatten(children[i], *item, leaves)) return false;
  }
  return true;
}

std::vector<std::string> leaf_names(std::string_view spec, const std::string& prefix) {
  std::vector<std::string> leaves;
  visit(JsonDocument(spec).root().at(1), prefix, leaves);
  return leaves;
}

}  // namespace tonnx::exported
