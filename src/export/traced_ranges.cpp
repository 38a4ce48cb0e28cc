#include "export/traced_ranges.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "exported/json_writer.h"

namespace tonnx::exporting {

namespace {

constexpr const char* kKey = "tonnx.sizes";

// The model's name for a symbol of the trace; nullopt if the model fixes its axes.
std::optional<std::string> symbol_in_model(const TracedProgram& traced, const std::string& symbol,
                                           const std::vector<BoundAxis>& axes) {
  for (const InputAxis& own : traced.axes) {
    if (own.symbol != symbol) continue;
    const auto is_it = [&](const BoundAxis& axis) {
      return axis.is_input && axis.index == own.input && axis.axis == static_cast<std::int64_t>(own.axis);
    };
    if (const auto found = std::ranges::find_if(axes, is_it); found != axes.end()) return found->symbol;
  }
  return std::nullopt;
}

}  // namespace

void store_ranges(Model& model, const TracedProgram& traced, const std::vector<BoundAxis>& axes, Report& report) {
  if (traced.ranges.empty()) return;
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> named;  // by symbol of the model
  for (const TracedProgram::Range& range : traced.ranges) {
    const auto symbol = symbol_in_model(traced, range.symbol, axes);
    if (!symbol) continue;
    report.sizes[*symbol] = named[*symbol] = {range.min, range.max};
  }
  if (named.empty()) return;
  exported::JsonWriter writer;
  writer.begin_object();
  for (const auto& [symbol, range] : named)
    writer.key(symbol).begin_object().member("min", range.first).member("max", range.second).end_object();
  model.info.metadata.emplace_back(kKey, writer.end_object().text());
}

}  // namespace tonnx::exporting
