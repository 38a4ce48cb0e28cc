#include <cmath>
#include <limits>

#include "lower/families.h"
#include "lower/formula.h"
#include "lower/loop.h"
#include "lower/matrix.h"

// torchvision::nms: the indices of the remaining boxes, best first, after each box has removed the later ones that
// overlap it too much.
namespace tonnx::lower {
namespace {

// The largest float32 not above x: every float32 exceeds both or neither.
float round_down(double x) {
  const float nearest = static_cast<float>(x);
  return nearest > x ? std::nextafter(nearest, -std::numeric_limits<float>::infinity()) : nearest;
}

// TorchVision treats a box with swapped sides as overlapping nothing. ONNX would swap the sides back, so it is replaced
// by a box without area.
Value* without_swapped_sides(Builder& b, Value* boxes) {
  Value* first = b.slice(boxes, 1, 0, 2);
  return b.concat({first, maximum(b, first, b.slice(boxes, 1, 2, 4))}, 1);
}

// The overlap of each box i of (boxes, 4) with each box j, (boxes, boxes): intersection over union.
Term overlaps(Term boxes) {
  Builder& b = boxes.builder();
  const auto corners = [&](std::int64_t from) { return boxes.with(b.slice(boxes.value(), 1, from, from + 2)); };
  const Term first = corners(0), last = corners(2);
  const auto area = [&](Term sides, std::int64_t axis) {
    return sides.with(b.reduce("ReduceProd", sides.value(), Dims{axis}, false));
  };
  const auto of_each = [&](Term x) { return unsqueezed(x, 1); };
  const auto of_other = [&](Term x) { return unsqueezed(x, 0); };
  const Term shared = area(max(min(of_each(last), of_other(last)) - max(of_each(first), of_other(first)), 0), 2);
  const Term areas = area(last - first, 1);
  return shared / (of_each(areas) + of_other(areas) - shared);
}

// Box by box, for dtypes and thresholds that NonMaxSuppression does not support in every run.
Value* suppress_in_turn(Op& op, Value* boxes, Value* scores) {
  Builder& b = op.builder();
  if (op.opset() < 10) op.needs_opset(10, "non-maximum suppression");
  const Values sorted = b.op("TopK", {scores, b.size(scores, 0)}, {{"axis", std::int64_t{0}}}, 2);
  const Term best_first{b, b.take(boxes, sorted[1], 0)};
  const Term places{b, b.range(b.size_scalar(boxes, 0))};
  const Term is_later = unsqueezed(places, 1) < unsqueezed(places, 0);
  const Term threshold{b, op.scalar("iou_threshold", DType::Float64)};
  const Term takes = overlaps(best_first).cast(DType::Float64) > threshold && is_later;
  const Values left =
      loop(b, b.size_scalar(boxes, 0), nullptr, {(places >= 0).value()}, [&](Value* i, const Values& state) -> Pass {
        const Term kept{b, state[0]};
        const Term taken = kept.with(b.take(takes.value(), i, 0)) && kept.with(b.take(state[0], i, 0));
        return {nullptr, {(kept && !taken).value()}};
      });
  Value* kept = b.op("NonZero", {left[0]});
  return b.take(sorted[1], b.squeeze(kept, {0}), 0);
}

Outputs nms(Op& op) {
  Builder& b = op.builder();
  Value* boxes = op.tensor("dets");
  Value* scores = op.tensor("scores");
  const double threshold = op.is_constant("iou_threshold") ? op.number("iou_threshold") : -1;
  if (op.dtype_of(boxes) != DType::Float32 || !(threshold >= 0 && threshold <= 1))
    return suppress_in_turn(op, boxes, scores);
  Value* selected =
      b.op("NonMaxSuppression", {b.unsqueeze(without_swapped_sides(b, boxes), {0}), b.unsqueeze(scores, {0, 1}),
                                 b.size(boxes, 0), b.scalar(DType::Float32, double{round_down(threshold)})});
  return b.squeeze(b.slice(selected, 1, 2, 3), {1});
}

constexpr Row kSuppressionRows[] = {
    {"torchvision::nms", 10, nms},
};

}  // namespace

std::span<const Row> suppression_rows() { return kSuppressionRows; }

}  // namespace tonnx::lower
