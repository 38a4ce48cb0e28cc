#include "export/diagnostics.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>
#include <string_view>

#include "exported/json_library.h"
#include "ir/error.h"
#include "onnx/writer.h"

namespace tonnx::exporting {
namespace {

using ir::Code;
using ir::Error;
using Json = nlohmann::ordered_json;

struct Rule {
  std::string_view id, name, text;
};

// Rule ids and names of PyTorch's exporters, where they have the same rule; tonnx's own ids begin with TONNX.
constexpr Rule kRules[] = {
    {"POE0002", "missing-custom-symbolic-function", "A custom operator has no symbolic: register one."},
    {"POE0003", "missing-standard-symbolic-function",
     "An operator has no ONNX form: register a symbolic, or avoid it."},
    {"POE0004", "operator-supported-in-newer-opset-version", "An operator needs a newer opset: export to that opset."},
    {"no_symbolic_function_for_call_function", "no-symbolic-function-for-call-function",
     "An operator of an exported program has no ONNX form."},
    {"unsupported_fx_node_analysis", "unsupported-fx-node-analysis",
     "A call in an exported program cannot be converted."},
    {"TONNX0001", "unsupported-call", "A call of an operator cannot be converted."},
    {"TONNX0002", "export-failed", "The export failed."},
    {"TONNX0003", "warning", "The model differs from the program, or omits a part of it."},
};

std::string_view rule_of(const Json& reason, bool exported) {
  const std::string missing = reason.value("missing", "");
  if (missing == "opset") return "POE0004";
  if (!missing.empty() && exported) return "no_symbolic_function_for_call_function";
  if (!missing.empty()) return missing == "custom" ? "POE0002" : "POE0003";
  if (reason.value("operator", "").empty()) return "TONNX0002";
  return exported ? "unsupported_fx_node_analysis" : "TONNX0001";
}

// Converts a path to a relative URI reference.
std::string uri(std::string_view path) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) || std::string_view("/._-~").find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += {'%', kDigits[byte / 16], kDigits[byte % 16]};
    }
  }
  return out;
}

// The location of "model.py:12" and a module path.
Json location(const std::string& source, const std::string& module) {
  Json place = Json::object();
  const std::size_t colon = source.rfind(':');
  const std::string line = colon == std::string::npos ? "" : source.substr(colon + 1);
  std::int32_t number = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  const bool numbered = error == std::errc() && end == line.data() + line.size() && number > 0;
  if (!source.empty())
    place["physicalLocation"]["artifactLocation"]["uri"] = uri(numbered ? source.substr(0, colon) : source);
  if (numbered) place["physicalLocation"]["region"]["startLine"] = number;
  if (!module.empty()) place["logicalLocations"] = {{{"fullyQualifiedName", module}, {"kind", "module"}}};
  return place;
}

Json result(std::string_view rule, const char* level, const std::string& text) {
  return {{"ruleId", rule}, {"level", level}, {"message", {{"text", text}}}};
}

Json of_reason(const Json& reason, bool exported) {
  const std::string op = reason.value("operator", ""), text = reason.value("text", "");
  Json made = result(rule_of(reason, exported), "error", op.empty() ? text : op + ": " + text);
  Json place = location(reason.value("source", ""), reason.value("module", ""));
  if (!place.empty()) made["locations"] = Json::array({place});
  if (!op.empty()) made["properties"]["operator"] = op;
  made["occurrenceCount"] = reason.value("count", 1);
  return made;
}

Json rules_of(const Json& results) {
  std::set<std::string> used;
  for (const Json& each : results) used.insert(each.at("ruleId").get<std::string>());
  Json rules = Json::array();
  for (const Rule& rule : kRules)
    if (used.contains(std::string(rule.id)))
      rules.push_back({{"id", rule.id}, {"name", rule.name}, {"shortDescription", {{"text", rule.text}}}});
  return rules;
}

Json run_of(const Json& report) {
  const bool exported = report.value("program", "") == "exported";
  Json results = Json::array(), steps = Json::array();
  const Json warned = report.value("warnings", Json::array());
  std::set<std::string> open;  // warnings that are not reasons; with warnings_as_errors they are both
  for (const Json& warning : warned) open.insert(warning.get<std::string>());
  for (const Json& reason : report.value("reasons", Json::array())) {
    Json made = of_reason(reason, exported);
    if (reason.value("operator", "").empty() && open.erase(reason.value("text", ""))) made["ruleId"] = "TONNX0003";
    results.push_back(std::move(made));
  }
  for (const Json& warning : warned)
    if (const std::string text = warning.get<std::string>(); open.contains(text))
      results.push_back(result("TONNX0003", "warning", text));
  const Json seconds_of = report.value("seconds", Json::object());
  for (const auto& [step, seconds] : seconds_of.items())
    steps.push_back({{"level", "note"}, {"message", {{"text", step + ": " + seconds.dump() + " s"}}}});
  Json invocation = {{"executionSuccessful", !report.contains("error")}, {"toolExecutionNotifications", steps}};
  Json driver = {{"name", "tonnx"}, {"version", TONNX_VERSION}, {"rules", rules_of(results)}};
  return {{"tool", {{"driver", driver}}}, {"invocations", Json::array({invocation})}, {"results", results}};
}

}  // namespace

std::string sarif(const std::string& report) {
  try {
    const Json read = Json::parse(report);
    if (!read.is_object() || !read.contains("reasons"))
      throw Error(Code::Argument, "the text is not a report of an export");
    const Json log = {{"version", "2.1.0"},
                      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                      {"runs", Json::array({run_of(read)})}};
    return log.dump(2, ' ', false, Json::error_handler_t::replace);
  } catch (const Json::exception&) {
    throw Error(Code::Argument, "the text is not a report of an export");
  }
}

void save_diagnostics(const std::string& path, const std::string& report) {
  if (!path.ends_with(".sarif"))
    throw Error(Code::Argument, path + ": diagnostics are saved as SARIF; the file name must end in .sarif");
  const std::string text = sarif(report) + '\n';
  onnx::write_file(path, [&](const onnx::Receive& receive) {
    receive(reinterpret_cast<const std::byte*>(text.data()), text.size());
  });
}

}  // namespace tonnx::exporting
