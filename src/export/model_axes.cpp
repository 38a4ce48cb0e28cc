#include "export/model_axes.h"

#include "export/exported_axes.h"
#include "ir/observer.h"

namespace tonnx::exporting {

std::vector<InputAxis> program_axes(const std::vector<BoundAxis>& bound) {
  std::vector<InputAxis> axes;
  for (const BoundAxis& b : bound)
    if (b.is_input) axes.push_back({b.index, static_cast<std::size_t>(b.axis), b.symbol});
  return axes;
}

void drop_fixed_axes(std::vector<BoundAxis>& axes, std::vector<InputAxis>& open) {
  std::vector<BoundAxis> left;
  auto found = open.begin();
  for (const BoundAxis& axis : axes)
    if (!axis.is_input || !(found++)->is_fixed()) left.push_back(axis);
  axes = std::move(left);
  std::erase_if(open, [](const InputAxis& axis) { return axis.is_fixed(); });
}

void store_axes(Model& model, const std::vector<BoundAxis>& axes, const std::vector<InputAxis>& open) {
  auto found = open.begin();
  for (const BoundAxis& axis : axes) {
    if (!axis.is_input) continue;
    InputAxis& kept = model.axes.emplace_back(*found++);
    if (const std::string* same = kept.follows ? kept.follows->symbol() : nullptr) {
      (kept.is_broadcast ? model.broadcast : model.same_size)[axis.symbol] = *same;
      kept = {kept.input, kept.axis, kept.is_broadcast ? axis.symbol : *same};
    }
  }
}

void store_exported_axes(Model& model, const ir::RawProgram& program, std::vector<std::string>& warnings) {
  model.axes = sized_axes(*program.graph);
  for (const std::string& symbol : symbols_of(model.axes)) {
    const auto range = program.ranges.find(symbol);
    if (range == program.ranges.end()) continue;
    const ir::SizeRange sizes = range->second;
    model.ranges[symbol] = sizes;
    const bool ends = sizes.max < ir::SizeRange().max;
    // A lower bound of 2 is not reported: PyTorch excludes sizes 0 and 1 from all dynamic sizes.
    if (sizes.min <= 2 && !ends) continue;
    ir::warn(warnings, ir::Category::Sizes,
             "the program takes sizes of " + symbol + " from " + std::to_string(sizes.min) +
                 (ends ? " to " + std::to_string(sizes.max) : " on") + ", which the model does not check");
  }
}

}  // namespace tonnx::exporting
