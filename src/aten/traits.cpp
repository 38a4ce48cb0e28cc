#include "aten/traits.h"

#include <mutex>
#include <string>
#include <unordered_map>

#include "aten/meaning.h"
#include "aten/schemas.h"
#include "aten/trait_table.h"

namespace tonnx::ir {

struct Meaning {
  const aten::Traits& traits;
  aten::Tags tags;
};

}  // namespace tonnx::ir

namespace tonnx::aten {

const TraitTable& trait_table() {
  static const auto& table = *new TraitTable({container_traits(), creation_traits(), data_traits(), effect_traits(),
                                              question_traits(), view_traits(), write_traits()});
  return table;
}

const Traits& traits_of(std::string_view name, std::string_view overload) { return trait_table().of(name, overload); }

namespace {

// The tags of a node's operator. If another LibTorch has an overload that the table lacks, the tags of another
// overload.
Tags tags_of(const ir::Node& node) {
  if (const auto line = find_line(node.full_name())) return line->tags;
  const auto others = overloads_of(node.kind());
  return others.empty() ? Tags{} : others.front().tags;
}

// Passes ask in every walk for every node: a node looks its operator up once.
const ir::Meaning& find_meaning(const ir::Node& node) {
  if (const ir::Meaning* known = node.meaning()) return *known;
  static std::mutex mutex;
  static auto& meanings = *new std::unordered_map<std::string, const ir::Meaning>();
  const std::string_view overload = node.schema() ? std::string_view(node.schema()->overload) : std::string_view();
  const std::string key = node.kind() + " " + node.full_name();  // the schema may be that of another kind
  const std::scoped_lock lock(mutex);
  auto found = meanings.find(key);
  if (found == meanings.end())
    found = meanings.emplace(key, ir::Meaning{traits_of(node.kind(), overload), tags_of(node)}).first;
  node.set_meaning(&found->second);
  return found->second;
}

}  // namespace

const ir::Meaning* meaning_of(const ir::Node& node) { return &find_meaning(node); }

const Traits& traits_of(const ir::Node& node) { return find_meaning(node).traits; }

bool is_random(const ir::Node& node) { return find_meaning(node).tags.nondeterministic_seeded; }

Write write_of(const ir::Node& node) {
  const Write write = traits_of(node).write;
  if (write != Write::Content) return write;
  return find_meaning(node).tags.inplace_view ? Write::Shape : Write::Content;
}

bool keeps_operand(const Traits& traits) { return traits.alias == Alias::Same || traits.layout_only; }

bool may_alias(const Traits& traits) {
  return traits.alias == Alias::SometimesSame || traits.alias == Alias::SometimesView;
}

}  // namespace tonnx::aten
