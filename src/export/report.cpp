#include "export/report.h"

#include <nlohmann/json.hpp>

namespace tonnx::exporting {

void Report::fail(const std::string& message, std::vector<ir::Reason> why) {
  error = message;
  reasons = std::move(why);
  if (reasons.empty()) reasons.push_back({"", message, "", "", 1});
}

std::string Report::json() const {
  using Json = nlohmann::ordered_json;
  Json object;
  if (!error.empty()) object["error"] = error;
  object["warnings"] = warnings;
  object["mode"] = mode;
  object["reasons"] = Json::array();
  for (const ir::Reason& r : reasons)
    object["reasons"].push_back(
        {{"operator", r.op}, {"text", r.text}, {"module", r.module}, {"source", r.source}, {"count", r.count}});
  object["source_operators"] = source_operators;
  object["model_operators"] = model_operators;
  object["seconds"] = Json::object();
  for (const auto& [stage, time] : seconds) object["seconds"][stage] = time;
  return object.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tonnx::exporting
