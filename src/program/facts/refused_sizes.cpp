#include "program/facts/refused_sizes.h"

#include <algorithm>
#include <optional>

#include "aten/containers.h"
#include "aten/size_checks.h"
#include "aten/traits.h"
#include "ir/refusal.h"
#include "ir/text.h"
#include "program/containers/items.h"

namespace tonnx::program {

using ir::Node;

namespace {

constexpr std::size_t kShown = 4;  // sizes that a line lists

std::string text_of(const ChangedSizes& sizes) {
  std::string text;
  for (const auto& [symbol, size] : sizes)
    text += (text.empty() ? "" : " and ") + symbol + " is " + std::to_string(size);
  return text;
}

// The node, or for ListUnpack the node of its list: unpacking has no source location.
const Node& site_of(const Node& node) {
  const Node* list = aten::acts_as(node, aten::Container::ListUnpack) ? node.input()->node() : nullptr;
  return list ? *list : node;
}

// The axis along which the node splits a tensor.
std::optional<std::size_t> split_axis(const Node& node) {
  const aten::Inverse inverse = aten::traits_of(node).inverse;
  const bool is_split =
      inverse == aten::Inverse::Split || inverse == aten::Inverse::Chunk || inverse == aten::Inverse::Unbind;
  const ir::Value* axis = is_split ? node.input("dim") : nullptr;
  const auto& dims = is_split ? node.input()->facts().dims : std::nullopt;
  return axis && dims ? constant_index(axis, dims->size()) : std::nullopt;
}

// True if the lowering of the node that returns the list checks its number of items in every run.
bool counts_items(const Node& reader) {
  const Node* list = reader.input()->node();
  const auto axis = list ? split_axis(*list) : std::nullopt;
  return axis && !(*list->input()->facts().dims)[*axis].is_fixed();
}

// True if the node reshapes a tensor to its own shape in every run that succeeds (x[:2].view(2, 3)). The model has no
// Reshape for it, so nothing is checked.
bool keeps_shape(const Node& node) {
  if (aten::traits_of(node).inverse != aten::Inverse::Reshape || node.output_count() != 1) return false;
  const auto before = node.input()->facts().fixed_dims(), after = node.output()->facts().fixed_dims();
  return before && before == after;
}

bool uses_weight(const Node& node) {
  return std::ranges::any_of(node.inputs(), [](const ir::Value* input) { return input && input->weight(); });
}

bool has_module(const ir::Graph& program, const std::string& path) {
  return ir::any_node(program.block(), [&](const Node& node) {
    const std::string own = node.location().module_path();
    return own.starts_with(path) && (own.size() == path.size() || own[path.size()] == '.');
  });
}

// Equal for an operator and its in-place form.
std::string key_of(const Node& site) {
  std::string key = std::string(site.kind()) + ir::site_after(site.location());
  std::erase(key, '_');
  return key;
}

}  // namespace

bool is_present(const ir::Graph& program, const SizeRefusal& refusal) {
  return ir::any_node(program.block(), [&](const Node& node) { return key_of(site_of(node)) == refusal.key; });
}

bool is_checked(const ir::Graph& program, const SizeRefusal& refusal) {
  if (!refusal.of_items) {
    if (!refusal.is_checked) return false;
    return !ir::any_node(program.block(), [&](const Node& node) {
      return keeps_shape(node) && ir::describe_site(node) == refusal.site;
    });
  }
  return ir::any_node(program.block(), [&](const Node& node) {
    const bool reads = aten::acts_as(node, aten::Container::ListUnpack) || aten::acts_as(node, aten::Container::Item);
    return reads && ir::describe_site(site_of(node)) == refusal.site && counts_items(node);
  });
}

std::string layer_after(const Node& raise) {
  const Node* check = raise.parent()->owner();
  std::string path = raise.location().module_path();
  if (!check || !check->parent()->owner() || path.empty()) return {};
  const auto is_of_layer = [&](const Node& node) { return uses_weight(node) && node.location().module_path() == path; };
  for (const Node* node = check->next(); node; node = node->next()) {
    const auto holds = [&](const ir::Block* block) { return ir::any_node(*block, is_of_layer); };
    if (is_of_layer(*node) || std::ranges::any_of(node->blocks(), holds)) return path;
  }
  return {};
}

SizeRefusal refusal_at(const Node& node, const std::string& message) {
  const Node& site = site_of(node);
  std::string key = key_of(site);
  const aten::Container form = aten::traits_of(node).container;
  SizeRefusal refusal{ir::describe_site(site), std::move(key), ir::first_line(message)};
  refusal.is_checked = aten::runtime_checks_sizes(node);
  refusal.of_items = form == aten::Container::ListUnpack || form == aten::Container::Item;
  return refusal;
}

std::vector<std::string> refused_sizes(const ir::Graph& program, const std::vector<SizeRefusal>& refusals) {
  std::vector<std::string> lines;
  for (const SizeRefusal& refusal : refusals) {
    if (is_checked(program, refusal) || (!refusal.layer.empty() && !has_module(program, refusal.layer))) continue;
    std::string where;
    for (std::size_t i = 0; i < std::min(refusal.sizes.size(), kShown); ++i)
      where += (i ? ", or " : "") + text_of(refusal.sizes[i]);
    if (where.empty()) where = "its condition on tensor data holds";
    lines.push_back(refusal.site + ": the program fails where " + (refusal.is_inside ? "it runs this and " : "") +
                    where + (refusal.message.empty() ? "" : " (" + refusal.message + ")") +
                    "; the model does not check this, and its results there are meaningless");
  }
  return lines;
}

}  // namespace tonnx::program
