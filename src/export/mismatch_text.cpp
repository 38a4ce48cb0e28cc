#include "export/mismatch_text.h"

#include <functional>

#include <nlohmann/json.hpp>

#include "ir/graph.h"
#include "ir/refusal.h"

namespace tonnx::exporting {
namespace {

using State = MismatchPart::State;
using Kinds = std::map<std::string, std::int64_t>;

constexpr std::size_t kPlaces = 8;  // operators of one part that the text tells
constexpr std::size_t kParts = 20;  // parts that it tells

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

Kinds kinds_of(const MismatchTale& tale, const MismatchPart& part) {
  Kinds kinds;
  for (std::size_t i = part.begin; i < part.end; ++i) ++kinds[tale.nodes[i]->kind()];
  return kinds;
}

Kinds kinds_of(const MismatchTale& tale, const std::vector<const MismatchPart*>& parts) {
  Kinds all;
  for (const MismatchPart* part : parts)
    for (const auto& [kind, count] : kinds_of(tale, *part)) all[kind] += count;
  return all;
}

std::string counted(std::size_t count) { return std::to_string(count) + (count == 1 ? " operator" : " operators"); }

bool agrees(const MismatchPart& part) {
  if (part.state == State::Differs || part.state == State::Unknown) return false;
  return part.upper ? agrees(*part.upper) && agrees(*part.lower) : true;
}

void draw(const MismatchTale& tale, const MismatchPart& part, const std::string& lead, const std::string& more,
          std::string& out) {
  const bool agreed = agrees(part);
  out += lead + mark(agreed ? State::Agrees : part.state) + " " + (part.id.empty() ? "" : part.id + ": ");
  out += part.end - part.begin == 1 ? ir::describe_site(*tale.nodes[part.begin]) : counted(part.end - part.begin);
  out += agreed && part.upper ? ", each alone\n" : "\n";
  if (!part.upper || agreed) return;
  draw(tale, *part.upper, more + "\u251c\u2500 ", more + "\u2502  ", out);
  draw(tale, *part.lower, more + "\u2514\u2500 ", more + "   ", out);
}

void tell_part(const MismatchTale& tale, const MismatchPart& part, std::string& out) {
  out += "  " + quoted(part.id) + ": ";
  const std::size_t count = part.end - part.begin;
  if (count == 1) {
    out += ir::describe_site(*tale.nodes[part.begin]);
  } else {
    out += counted(count) + (part.upper ? ", of which neither half differs" : "");
    for (std::size_t i = 0; i < count && i < kPlaces; ++i)
      out += "\n      " + ir::describe_site(*tale.nodes[part.begin + i]);
    if (count > kPlaces) out += "\n      and " + std::to_string(count - kPlaces) + " more";
  }
  out += "\n      " + part.text + '\n';
  if (!part.whole.empty()) out += "      not cut further: " + part.whole + '\n';
}

void tell_parts(const MismatchTale& tale, const char* heading, const std::vector<const MismatchPart*>& parts,
                std::string& out) {
  if (!parts.empty()) out += heading;
  for (std::size_t i = 0; i < parts.size() && i < kParts; ++i) tell_part(tale, *parts[i], out);
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

nlohmann::ordered_json as_json(const MismatchTale& tale, const MismatchPart& part) {
  nlohmann::ordered_json object{{"id", part.id},
                                {"state", word(part.state)},
                                {"operators", part.end - part.begin},
                                {"kinds", kinds_of(tale, part)}};
  if (!part.text.empty()) object["text"] = part.text;
  if (!part.whole.empty()) object["not_cut"] = part.whole;
  if (!part.upper) {
    object["places"] = nlohmann::ordered_json::array();
    for (std::size_t i = part.begin; i < part.end; ++i) {
      const ir::Reason site = ir::reason_of(*tale.nodes[i], {});
      object["places"].push_back({{"operator", site.op}, {"module", site.module}, {"source", site.source}});
    }
    return object;
  }
  object["upper"] = as_json(tale, *part.upper);
  object["lower"] = as_json(tale, *part.lower);
  return object;
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

std::string mismatch_text(const MismatchTale& tale) {
  const std::vector<const MismatchPart*> leaves = differing_leaves(tale.root),
                                         unknown = of_state(tale.root, State::Unknown);
  std::string out = tale.whole.empty() ? "the model agrees with LibTorch\n" : tale.whole + '\n';
  if (!tale.program.empty())
    out +=
        "the program as it is converted differs from the one that was given, both in LibTorch, so that operators may "
        "not be to "
        "blame: " +
        tale.program + '\n';
  for (const std::string& line : tale.warnings) out += "not verified: " + line + '\n';
  draw(tale, tale.root, "", "", out);
  tell_parts(tale, "operators that differ:\n", leaves, out);
  tell_parts(tale, "operators that were not compared:\n", unknown, out);
  if (leaves.empty()) return out;
  out += "by kind:";
  for (const auto& [kind, count] : kinds_of(tale, leaves)) out += " " + kind + " " + std::to_string(count);
  return out + '\n';
}

std::string mismatch_json(const MismatchTale& tale) {
  nlohmann::ordered_json object{{"differs", !tale.whole.empty()}};
  if (!tale.whole.empty()) object["text"] = tale.whole;
  if (!tale.program.empty()) object["program"] = tale.program;
  object["warnings"] = tale.warnings;
  const std::vector<const MismatchPart*> leaves = differing_leaves(tale.root);
  object["leaves"] = nlohmann::ordered_json::array();
  for (const MismatchPart* part : leaves) object["leaves"].push_back(part->id);
  object["kinds"] = kinds_of(tale, leaves);
  object["tree"] = as_json(tale, tale.root);
  return object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace tonnx::exporting
