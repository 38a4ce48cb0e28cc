#include "export/mismatch_text.h"

#include <functional>
#include <unordered_map>

#include "exported/json_writer.h"
#include "ir/error.h"
#include "ir/graph.h"
#include "ir/refusal.h"
#include "ir/text.h"

namespace tonnx::exporting {
namespace {

using State = MismatchPart::State;
using Kinds = std::map<std::string, std::int64_t>;

constexpr std::size_t kPlaces = 8;  // operators of one part that are printed
constexpr std::size_t kParts = 20;  // parts that are printed

const char* mark(State state) {
  switch (state) {
    case State::Agrees: return "\u2713";
    case State::Differs: return "X";
    case State::Unknown: return "?";
    case State::Unasked: return "-";
  }
  return "";
}

const char* word(State state) {
  switch (state) {
    case State::Agrees: return "agrees";
    case State::Differs: return "differs";
    case State::Unknown: return "unknown";
    case State::Unasked: return "unasked";
  }
  return "";
}

std::string quoted(const std::string& id) { return id.empty() ? "the whole" : id; }

Kinds kinds_of(const MismatchSummary& summary, const MismatchPart& part) {
  Kinds kinds;
  for (std::size_t i = part.begin; i < part.end; ++i) ++kinds[summary.nodes[i]->kind()];
  return kinds;
}

Kinds kinds_of(const MismatchSummary& summary, const std::vector<const MismatchPart*>& parts) {
  Kinds all;
  for (const MismatchPart* part : parts)
    for (const auto& [kind, count] : kinds_of(summary, *part)) all[kind] += count;
  return all;
}

bool agrees(const MismatchPart& part) {
  if (part.state == State::Differs || part.state == State::Unknown) return false;
  return part.upper ? agrees(*part.upper) && agrees(*part.lower) : true;
}

void draw(const MismatchSummary& summary, const MismatchPart& part, const std::string& lead, const std::string& more,
          std::string& out) {
  const bool agreed = agrees(part);
  out += lead + mark(agreed ? State::Agrees : part.state) + " " + (part.id.empty() ? "" : part.id + ": ");
  out += part.end - part.begin == 1 ? ir::describe_site(*summary.nodes[part.begin])
                                    : ir::counted(part.end - part.begin, "operator");
  out += agreed && part.upper ? ", each alone\n" : "\n";
  if (!part.upper || agreed) return;
  draw(summary, *part.upper, more + "\u251c\u2500 ", more + "\u2502  ", out);
  draw(summary, *part.lower, more + "\u2514\u2500 ", more + "   ", out);
}

void print_part(const MismatchSummary& summary, const MismatchPart& part, std::string& out) {
  out += "  " + quoted(part.id) + ": ";
  const std::size_t count = part.end - part.begin;
  if (count == 1) {
    out += ir::describe_site(*summary.nodes[part.begin]);
  } else {
    out += ir::counted(count, "operator") + (part.upper ? ", but neither half differs" : "");
    for (std::size_t i = 0; i < count && i < kPlaces; ++i)
      out += "\n      " + ir::describe_site(*summary.nodes[part.begin + i]);
    if (count > kPlaces) out += "\n      and " + std::to_string(count - kPlaces) + " more";
  }
  out += "\n      " + part.text + '\n';
  if (!part.whole.empty()) out += "      not split further: " + part.whole + '\n';
}

void print_parts(const MismatchSummary& summary, const char* heading, const std::vector<const MismatchPart*>& parts,
                 std::string& out) {
  if (!parts.empty()) out += heading;
  for (std::size_t i = 0; i < parts.size() && i < kParts; ++i) print_part(summary, *parts[i], out);
  if (parts.size() > kParts) out += "  and " + std::to_string(parts.size() - kParts) + " more\n";
}

std::vector<const MismatchPart*> of_state(const MismatchPart& root, State state) {
  std::vector<const MismatchPart*> found;
  const std::function<void(const MismatchPart&)> walk = [&](const MismatchPart& part) {
    if (part.state == state && !part.upper) found.push_back(&part);
    if (!part.upper) return;
    walk(*part.upper);
    walk(*part.lower);
  };
  walk(root);
  return found;
}

using NodeNames = std::unordered_map<const ir::SourceLine*, std::vector<std::string>>;

// The names of the model's nodes, by the line of their source operator. Several operators may have the same text and
// source line, so the key is the object.
NodeNames names_of_nodes(const ir::Graph& model) {
  NodeNames names;
  ir::for_each_node(model.block(), [&](const ir::Node* node) {
    const ir::SourceLine* line = node->location().line.get();
    if (line && !node->name().empty()) names[line].push_back(node->name());
  });
  return names;
}

void write(const MismatchSummary& summary, const NodeNames& names, const MismatchPart& part,
           exported::JsonWriter& writer) {
  writer.begin_object().member("id", part.id).member("state", word(part.state));
  writer.member("operators", part.end - part.begin).member("kinds", kinds_of(summary, part));
  if (!part.text.empty()) writer.member("text", part.text);
  if (!part.whole.empty()) writer.member("not_cut", part.whole);
  if (part.upper) {
    write(summary, names, *part.upper, writer.key("upper"));
    write(summary, names, *part.lower, writer.key("lower"));
    writer.end_object();
    return;
  }
  writer.key("places").begin_array();
  for (std::size_t i = part.begin; i < part.end; ++i) {
    const ir::Reason site = ir::reason_of(*summary.nodes[i], {});
    writer.begin_object().member("operator", site.op).member("module", site.module).member("source", site.source);
    const auto made = names.find(summary.nodes[i]->location().line.get());
    if (part.state == State::Differs && made != names.end()) writer.member("nodes", made->second);
    writer.end_object();
  }
  writer.end_array().end_object();
}

}  // namespace

std::vector<const MismatchPart*> differing_leaves(const MismatchPart& root) {
  std::vector<const MismatchPart*> found;
  const std::function<bool(const MismatchPart&)> walk = [&](const MismatchPart& part) {
    const bool upper = part.upper && walk(*part.upper);
    const bool lower = part.lower && walk(*part.lower);
    if (upper || lower) return true;
    if (part.state != State::Differs) return false;
    found.push_back(&part);
    return true;
  };
  walk(root);
  return found;
}

std::string mismatch_text(const MismatchSummary& summary) {
  const std::vector<const MismatchPart*> leaves = differing_leaves(summary.root),
                                         unknown = of_state(summary.root, State::Unknown);
  std::string out = summary.whole.empty() ? "the model agrees with LibTorch\n" : summary.whole + '\n';
  if (!summary.program.empty())
    out += "the converted program differs from the original one in LibTorch, so the operators may be correct: " +
           summary.program + '\n';
  for (const std::string& line : summary.warnings) out += "not verified: " + line + '\n';
  draw(summary, summary.root, "", "", out);
  print_parts(summary, "operators that differ:\n", leaves, out);
  print_parts(summary, "operators that were not compared:\n", unknown, out);
  if (leaves.empty()) return out;
  out += "by kind:";
  for (const auto& [kind, count] : kinds_of(summary, leaves)) out += " " + kind + " " + std::to_string(count);
  return out + '\n';
}

std::string mismatch_json(const MismatchSummary& summary) {
  exported::JsonWriter writer(2);
  writer.begin_object().member("differs", !summary.whole.empty());
  if (!summary.whole.empty()) writer.member("text", summary.whole);
  if (!summary.program.empty()) writer.member("program", summary.program);
  writer.member("warnings", summary.warnings);
  const std::vector<const MismatchPart*> leaves = differing_leaves(summary.root);
  writer.key("leaves").begin_array();
  for (const MismatchPart* part : leaves) writer.value(part->id);
  writer.end_array().member("kinds", kinds_of(summary, leaves));
  write(summary, names_of_nodes(summary.model), summary.root, writer.key("tree"));
  return writer.end_object().text();
}

diagram::Marks marks_of(const std::string& json) {
  diagram::Marks marks;
  try {
    const exported::JsonDocument document{std::string_view(json)};
    for (const exported::Json& id : document.root().at("leaves")) {
      const exported::Json* part = &document.root().at("tree");
      for (const char half : id.string()) part = &part->at(half == '0' ? "upper" : "lower");
      if (!part->contains("places")) continue;  // neither half differs on its own
      for (const exported::Json& place : part->at("places"))
        if (place.contains("nodes"))
          for (const std::string& name : place.at("nodes").get<std::vector<std::string>>())
            marks[name] = place.at("operator").get<std::string>() + ": " + part->at("text").get<std::string>();
    }
  } catch (const exported::JsonError& error) {
    throw ir::Error(ir::Code::Argument,
                    std::string("the text is not the result of a search for mismatches: ") + error.what());
  }
  return marks;
}

}  // namespace tonnx::exporting
