#include "export/report.h"

#include "aten/schemas.h"
#include "exported/json_library.h"

namespace tonnx::exporting {

namespace {

// A way to convert an unsupported operator: a symbolic ("custom" operators and LibTorch's own) or a newer opset; "" if
// there is none.
const char* missing(const ir::Reason& reason) {
  if (reason.missing == ir::Missing::No) return "";
  return reason.missing == ir::Missing::Opset ? "opset" : aten::find_schema(reason.op) ? "operator" : "custom";
}

}  // namespace

void Report::fail(const std::string& message, std::vector<ir::Reason> why) {
  error = message;
  reasons = std::move(why);
  if (reasons.empty()) reasons.push_back({"", message, "", "", 1});
}

std::string Report::json() const {
  using Json = nlohmann::ordered_json;
  Json object = Json::object();
  if (!error.empty()) object["error"] = error;
  object["warnings"] = warnings;
  if (exported) object["program"] = "exported";
  object["mode"] = mode;
  object["reasons"] = Json::array();
  for (const ir::Reason& r : reasons) {
    Json reason = {
        {"operator", r.op}, {"text", r.text}, {"module", r.module}, {"source", r.source}, {"count", r.count}};
    if (const std::string what = missing(r); !what.empty()) reason["missing"] = what;
    object["reasons"].push_back(std::move(reason));
  }
  if (!sizes.empty()) object["sizes"] = Json::object();
  for (const auto& [symbol, range] : sizes) object["sizes"][symbol] = {{"min", range.first}, {"max", range.second}};
  object["source_operators"] = source_operators;
  object["model_operators"] = model_operators;
  if (model)
    object["model"] = {{"opset", model->opset},
                       {"parameters", model->parameters},
                       {"weight_bytes", model->weight_bytes},
                       {"dynamic_axes", model->dynamic_axes}};
  object["seconds"] = Json::object();
  for (const auto& [stage, time] : seconds) object["seconds"][stage] = time;
  if (passes) {
    object["passes"] = Json::object();
    for (const auto& [name, count] : passes->passes)
      object["passes"][name] = {{"runs", count.runs}, {"changes", count.changes}, {"seconds", count.seconds}};
    object["bounds"] = passes->bounds;
  }
  return object.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tonnx::exporting
