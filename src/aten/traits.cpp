#include "aten/traits.h"

#include <string>

#include "aten/schemas.h"
#include "aten/trait_table.h"
#include "ir/error.h"

namespace tonnx::aten {

TraitTable::TraitTable(std::initializer_list<std::span<const Row>> families) {
  for (const auto family : families) {
    for (const Row& row : family) {
      if (!by_name_.emplace(row.op, &row).second)
        throw ir::Error(ir::Code::Internal, "operator " + std::string(row.op) + " has two rows of traits");
      rows_.push_back(&row);
    }
  }
}

const Traits* TraitTable::find(std::string_view op) const {
  const auto found = by_name_.find(op);
  return found == by_name_.end() ? nullptr : &found->second->traits;
}

const TraitTable& trait_table() {
  static const auto& table = *new TraitTable({container_traits(), creation_traits(), data_traits(), effect_traits(),
                                              question_traits(), view_traits(), write_traits()});
  return table;
}

const Traits& traits_of(std::string_view name, std::string_view overload) {
  static const Traits none;
  const TraitTable& table = trait_table();
  if (!overload.empty())
    if (const Traits* traits = table.find(std::string(name) + "." + std::string(overload))) return *traits;
  if (const Traits* traits = table.find(name)) return *traits;
  const std::size_t colons = name.find("::");
  if (colons == std::string_view::npos) return none;
  const Traits* traits = table.find(std::string(name.substr(0, colons + 2)) + "*");
  return traits ? *traits : none;
}

const Traits& traits_of(const ir::Node& node) {
  return traits_of(node.kind(), node.schema() ? std::string_view(node.schema()->overload) : std::string_view());
}

namespace {

// Tags of a node's operator; those of another overload where another LibTorch has one that the table does not know.
Tags tags_of(const ir::Node& node) {
  if (const auto line = find_line(node.full_name())) return line->tags;
  const auto others = overloads_of(node.kind());
  return others.empty() ? Tags{} : others.front().tags;
}

}  // namespace

bool is_random(const ir::Node& node) { return tags_of(node).nondeterministic_seeded; }

Write write_of(const ir::Node& node) {
  const Write write = traits_of(node).write;
  if (write != Write::Content) return write;
  return tags_of(node).inplace_view ? Write::Shape : Write::Content;
}

bool may_alias(const Traits& traits) {
  return traits.alias == Alias::SometimesSame || traits.alias == Alias::SometimesView;
}

}  // namespace tonnx::aten
