#include "export/report.h"

#include <algorithm>

#include "aten/schemas.h"
#include "exported/json_writer.h"

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
  exported::JsonWriter writer(2);
  writer.begin_object();
  if (!error.empty()) writer.member("error", error);
  writer.member("warnings", warnings);
  if (exported) writer.member("program", "exported");
  writer.member("mode", mode);
  writer.key("reasons").begin_array();
  for (const ir::Reason& r : reasons) {
    writer.begin_object().member("operator", r.op).member("text", r.text).member("module", r.module);
    writer.member("source", r.source).member("count", r.count);
    if (const std::string what = missing(r); !what.empty()) writer.member("missing", what);
    writer.end_object();
  }
  writer.end_array();
  if (!sizes.empty()) {
    writer.key("sizes").begin_object();
    for (const auto& [symbol, range] : sizes)
      writer.key(symbol).begin_object().member("min", range.first).member("max", range.second).end_object();
    writer.end_object();
  }
  writer.member("source_operators", source_operators).member("model_operators", model_operators);
  if (model) {
    writer.key("model").begin_object().member("opset", model->opset).member("parameters", model->parameters);
    writer.member("weight_bytes", model->weight_bytes).member("dynamic_axes", model->dynamic_axes).end_object();
  }
  // A stage that ran twice is listed once, with its last time.
  writer.key("seconds").begin_object();
  for (auto stage = seconds.begin(); stage != seconds.end(); ++stage)
    if (std::none_of(stage + 1, seconds.end(), [&](const auto& later) { return later.first == stage->first; }))
      writer.member(stage->first, stage->second);
  writer.end_object();
  if (passes) {
    writer.key("passes").begin_object();
    for (const auto& [name, count] : passes->passes) {
      writer.key(name).begin_object().member("runs", count.runs).member("changes", count.changes);
      writer.member("seconds", count.seconds).end_object();
    }
    writer.end_object().member("bounds", passes->bounds);
  }
  return writer.end_object().text();
}

}  // namespace tonnx::exporting
