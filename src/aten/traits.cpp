#include "aten/traits.h"

#include "aten/schemas.h"
#include "aten/trait_table.h"

namespace tonnx::aten {

const TraitTable& trait_table() {
  static const auto& table = *new TraitTable({container_traits(), creation_traits(), data_traits(), effect_traits(),
                                              question_traits(), view_traits(), write_traits()});
  return table;
}

const Traits& traits_of(std::string_view name, std::string_view overload) { return trait_table().of(name, overload); }

const Traits& traits_of(const ir::Node& node) {
  return traits_of(node.kind(), node.schema() ? std::string_view(node.schema()->overload) : std::string_view());
}

namespace {

// The tags of a node's operator. If another LibTorch has an overload that the table lacks, the tags of another
// overload.
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

bool keeps_operand(const Traits& traits) { return traits.alias == Alias::Same || traits.layout_only; }

bool may_alias(const Traits& traits) {
  return traits.alias == Alias::SometimesSame || traits.alias == Alias::SometimesView;
}

}  // namespace tonnx::aten
