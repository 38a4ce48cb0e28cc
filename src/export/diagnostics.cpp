#include "export/diagnostics.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "exported/json_writer.h"
#include "ir/error.h"
#include "onnx/writer.h"

namespace tonnx::exporting {
namespace {

using exported::Json;
using exported::JsonWriter;
using ir::Code;
using ir::Error;

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

// The stages of an export (tonnx_event_stage), in their order: a document is read with its members sorted by name.
constexpr std::string_view kStages[] = {"import", "program passes", "lowering", "model passes", "names and checker"};

std::string text_of(const Json& object, std::string_view key) {
  const Json* text = object.find(key);
  return text ? text->get<std::string>() : "";
}

std::string_view rule_of(const Json& reason, bool exported) {
  const std::string missing = text_of(reason, "missing");
  if (missing == "opset") return "POE0004";
  if (!missing.empty() && exported) return "no_symbolic_function_for_call_function";
  if (!missing.empty()) return missing == "custom" ? "POE0002" : "POE0003";
  if (text_of(reason, "operator").empty()) return "TONNX0002";
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
void write_location(const std::string& source, const std::string& module, JsonWriter& writer) {
  const std::size_t colon = source.rfind(':');
  const std::string line = colon == std::string::npos ? "" : source.substr(colon + 1);
  std::int32_t number = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  const bool numbered = error == std::errc() && end == line.data() + line.size() && number > 0;
  if (source.empty() && module.empty()) return;
  writer.key("locations").begin_array().begin_object();
  if (!source.empty()) {
    writer.key("physicalLocation").begin_object().key("artifactLocation").begin_object();
    writer.member("uri", uri(numbered ? source.substr(0, colon) : source)).end_object();
    if (numbered) writer.key("region").begin_object().member("startLine", number).end_object();
    writer.end_object();
  }
  if (!module.empty()) {
    writer.key("logicalLocations").begin_array().begin_object().member("fullyQualifiedName", module);
    writer.member("kind", "module").end_object().end_array();
  }
  writer.end_object().end_array();
}

// The first members of a result or a notification, which the caller ends.
void begin_result(std::string_view rule, const char* level, const std::string& text, JsonWriter& writer) {
  writer.begin_object();
  if (!rule.empty()) writer.member("ruleId", rule);
  writer.member("level", level).key("message").begin_object().member("text", text).end_object();
}

void write_reason(std::string_view rule, const Json& reason, JsonWriter& writer) {
  const std::string op = text_of(reason, "operator"), text = text_of(reason, "text");
  begin_result(rule, "error", op.empty() ? text : op + ": " + text, writer);
  write_location(text_of(reason, "source"), text_of(reason, "module"), writer);
  if (!op.empty()) writer.key("properties").begin_object().member("operator", op).end_object();
  const Json* count = reason.find("count");
  writer.member("occurrenceCount", count ? count->get<std::int64_t>() : 1).end_object();
}

void write_rules(const std::set<std::string_view>& used, JsonWriter& writer) {
  writer.key("rules").begin_array();
  for (const Rule& rule : kRules) {
    if (!used.contains(rule.id)) continue;
    writer.begin_object().member("id", rule.id).member("name", rule.name).key("shortDescription");
    writer.begin_object().member("text", rule.text).end_object().end_object();
  }
  writer.end_array();
}

void write_seconds(const Json& seconds, JsonWriter& writer) {
  std::vector<std::string_view> stages(std::begin(kStages), std::end(kStages));
  for (const auto& [stage, time] : seconds.members())
    if (std::ranges::find(kStages, stage) == std::end(kStages)) stages.push_back(stage);
  for (const std::string_view stage : stages)
    if (const Json* time = seconds.find(stage)) {
      begin_result({}, "note", std::string(stage) + ": " + time->dump() + " s", writer);
      writer.end_object();
    }
}

void write_run(const Json& report, JsonWriter& writer) {
  static const Json none;
  const auto part = [&](std::string_view key) -> const Json& {
    const Json* found = report.find(key);
    return found ? *found : none;
  };
  const bool exported = text_of(report, "program") == "exported";
  const auto warned = part("warnings").get<std::vector<std::string>>();
  std::set<std::string> open(warned.begin(), warned.end());  // not reasons; with warnings_as_errors they are both
  std::vector<std::pair<std::string_view, const Json*>> reasons;
  for (const Json& reason : part("reasons")) {
    const bool is_warning = text_of(reason, "operator").empty() && open.erase(text_of(reason, "text"));
    reasons.emplace_back(is_warning ? "TONNX0003" : rule_of(reason, exported), &reason);
  }
  std::set<std::string_view> used;
  for (const auto& [rule, reason] : reasons) used.insert(rule);
  if (!open.empty()) used.insert("TONNX0003");

  writer.begin_object().key("tool").begin_object().key("driver").begin_object();
  writer.member("name", "tonnx").member("version", TONNX_VERSION);
  write_rules(used, writer);
  writer.end_object().end_object();
  writer.key("invocations").begin_array().begin_object().member("executionSuccessful", !report.contains("error"));
  writer.key("toolExecutionNotifications").begin_array();
  write_seconds(part("seconds"), writer);
  writer.end_array().end_object().end_array();
  writer.key("results").begin_array();
  for (const auto& [rule, reason] : reasons) write_reason(rule, *reason, writer);
  for (const std::string& text : warned) {
    if (!open.contains(text)) continue;
    begin_result("TONNX0003", "warning", text, writer);
    writer.end_object();
  }
  writer.end_array().end_object();
}

}  // namespace

std::string sarif(const std::string& report) {
  try {
    const exported::JsonDocument document{std::string_view(report)};
    if (!document.root().contains("reasons")) throw Error(Code::Argument, "the text is not a report of an export");
    JsonWriter writer(2);
    writer.begin_object().member("version", "2.1.0");
    writer.member("$schema", "https://json.schemastore.org/sarif-2.1.0.json").key("runs").begin_array();
    write_run(document.root(), writer);
    return writer.end_array().end_object().text();
  } catch (const exported::JsonError&) {
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
