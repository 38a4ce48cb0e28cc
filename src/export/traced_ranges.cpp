#include "export/traced_ranges.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace tonnx::exporting {

namespace {

constexpr const char* kKey = "tonnx.sizes";

// The model's name of a symbol of the trace.
std::string symbol_in_model(const TracedProgram& traced, const std::string& symbol,
                            const std::vector<BoundAxis>& axes) {
  for (const InputAxis& own : traced.axes) {
    if (own.symbol != symbol) continue;
    const auto is_it = [&](const BoundAxis& axis) {
      return axis.is_input && axis.index == own.input && axis.axis == static_cast<std::int64_t>(own.axis);
    };
    if (const auto found = std::ranges::find_if(axes, is_it); found != axes.end()) return found->symbol;
  }
  return symbol;
}

}  // namespace

void store_ranges(Model& model, const TracedProgram& traced, const std::vector<BoundAxis>& axes, Report& report) {
  if (traced.ranges.empty()) return;
  nlohmann::ordered_json object;
  for (const TracedProgram::Range& range : traced.ranges) {
    const std::string symbol = symbol_in_model(traced, range.symbol, axes);
    report.sizes[symbol] = {range.min, range.max};
    object[symbol] = {{"min", range.min}, {"max", range.max}};
  }
  model.info.metadata.emplace_back(kKey, object.dump());
}

}  // namespace tonnx::exporting
