#include "export/traced_ranges.h"

#include <algorithm>
#include <optional>

#include "exported/json_library.h"

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
  auto object = nlohmann::ordered_json::object();
  for (const TracedProgram::Range& range : traced.ranges) {
    const auto symbol = symbol_in_model(traced, range.symbol, axes);
    if (!symbol) continue;
    report.sizes[*symbol] = {range.min, range.max};
    object[*symbol] = {{"min", range.min}, {"max", range.max}};
  }
  if (object.empty()) return;
  model.info.metadata.emplace_back(kKey, object.dump());
}

}  // namespace tonnx::exporting
