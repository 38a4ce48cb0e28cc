#include "ir/state_write.h"

#include <algorithm>
#include <utility>

#include "ir/refusal.h"

namespace tonnx::ir {

namespace {

constexpr const char* kWriter = "writer";
constexpr std::size_t kMostNames = 10;  // maximum in one warning

const char* noun(StateWrite::Kind kind) {
  switch (kind) {
    case StateWrite::Kind::Input: return "input";
    case StateWrite::Kind::Weight: return "buffer or parameter";
    case StateWrite::Kind::Constant: return "a constant of its code";
    case StateWrite::Kind::Attribute: return "attribute";
    case StateWrite::Kind::Container: return "argument";
    case StateWrite::Kind::Keys: break;
  }
  return "";
}

const char* effect(StateWrite::Kind kind) {
  switch (kind) {
    case StateWrite::Kind::Input:
    case StateWrite::Kind::Container: return "the model does not change its inputs";
    default: return "the model uses the saved value in every run";
  }
}

bool may_be_output(StateWrite::Kind kind) {
  return kind == StateWrite::Kind::Input || kind == StateWrite::Kind::Weight || kind == StateWrite::Kind::Attribute;
}

bool is_one_place(const StateWrite& a, const StateWrite& b) {
  return a.kind == b.kind && a.op == b.op && a.source == b.source && a.is_certain == b.is_certain;
}

std::string names_of(const std::vector<const StateWrite*>& writes) {
  std::string text;
  for (std::size_t i = 0; i < std::min(writes.size(), kMostNames); ++i)
    if (!writes[i]->name.empty()) text += (i ? ", '" : " '") + writes[i]->name + "'";
  if (writes.size() > kMostNames) text += " and " + std::to_string(writes.size() - kMostNames) + " more";
  return text;
}

std::string warning(const std::vector<const StateWrite*>& writes, bool in_outputs) {
  const StateWrite& first = *writes.front();
  const bool is_one_module =
      std::ranges::all_of(writes, [&](const StateWrite* write) { return write->module == first.module; });
  const Reason site{
      .op = first.op, .text = {}, .module = is_one_module ? first.module : std::string(), .source = first.source};
  std::string text = "the program ";
  if (first.kind == StateWrite::Kind::Attribute)
    text += first.is_certain ? "changes" : "may change";
  else
    text += first.is_certain ? "writes to" : "may write to";
  text += std::string(" ") + noun(first.kind) + names_of(writes);
  if (const std::string where = describe_site(site); !where.empty()) text += ": " + where;
  text += std::string("; ") + effect(first.kind);
  if (in_outputs) return text + ", and no output can hold the new value";
  if (may_be_output(first.kind))
    text += "; --written-outputs (written_outputs) adds the new value as output " + written_name(first);
  return text;
}

}  // namespace

StateWrite state_write(StateWrite::Kind kind, std::string name, const Node& writer) {
  const std::string* op = writer.attribute_as<std::string>(kWriter);
  return {kind, std::move(name), op ? *op : std::string(writer.kind()), writer.location().module_path(),
          writer.location().source()};
}

void set_writer(Node& node, std::string kind) { node.set_attribute(kWriter, std::move(kind)); }

std::vector<std::pair<std::string, Tensor>> overlapping_weights(std::span<Value* const> weights) {
  std::map<const Storage*, std::size_t> counts;
  for (const Value* weight : weights) ++counts[weight->weight()->storage.get()];
  std::vector<std::pair<std::string, Tensor>> found;
  for (const Value* weight : weights) {
    if (counts[weight->weight()->storage.get()] < 2) continue;
    const bool overlaps = std::ranges::any_of(weights, [&](const Value* other) {
      return other != weight && weight->weight()->may_overlap(*other->weight());
    });
    if (overlaps) found.emplace_back(weight->name(), *weight->weight());
  }
  return found;
}

std::string written_name(const StateWrite& write) {
  return write.kind == StateWrite::Kind::Keys ? "keys" : write.name + "_written";
}

std::vector<StateWarning> state_warnings(std::span<const StateWrite> writes, bool in_outputs) {
  std::vector<std::vector<const StateWrite*>> places;
  for (const StateWrite& write : writes) {
    const auto place =
        std::ranges::find_if(places, [&](const auto& known) { return is_one_place(*known.front(), write); });
    if (place == places.end()) {
      places.push_back({&write});
    } else if (std::ranges::none_of(*place, [&](const StateWrite* known) { return known->name == write.name; })) {
      place->push_back(&write);
    }
  }
  std::vector<StateWarning> warnings;
  for (const auto& place : places)
    warnings.push_back({warning(place, in_outputs), place.front()->module, place.front()->source});
  return warnings;
}

}  // namespace tonnx::ir
