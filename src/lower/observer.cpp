#include <numeric>

#include "lower/families.h"
#include "lower/formula.h"
#include "lower/missing.h"
#include "lower/quantise.h"

// Fake quantisation in training: a moving average of the range of the values, and the scale and zero point that it
// determines.
namespace tonnx::lower {
namespace {

struct Range {
  Term low;
  Term high;
};

struct Parameters {
  Term scale;  // float32
  Term zero_point;
};

// A switch: a tensor with one element.
class Switch {
 public:
  // A value of the program's state is known, as everywhere in quantised programs.
  Switch(const Op& op, std::string_view argument) : builder_(op.builder()) {
    const ir::Tensor* weight = op.source(argument)->weight();
    if (weight && weight->numel() == 1)
      known_ = weight->as_int64(0) != 0;
    else
      value_ = not_equal(builder_, op.scalar(argument, DType::Int64), builder_.int64(0));
  }

  // Evaluates only what the switch may choose.
  template <class On>
  Value* choose(const On& on, Value* off) const {
    if (known_) return *known_ ? on() : off;
    return builder_.where(value_, on(), off);
  }
  Value* is_off_or(Value* condition) const {
    if (known_ && *known_) return condition;
    return builder_.op("Or", {builder_.op("Not", {known_ ? condition : value_}), condition});
  }

 private:
  Builder& builder_;
  std::optional<bool> known_;
  Value* value_ = nullptr;
};

// The axes over which the range is taken.
Dims observed_axes(const Op& op, const Value* x, bool of_channels) {
  if (!of_channels) return {};
  const std::int64_t rank = op.rank_of(x);
  if (rank < 2) op.refuse_argument("self", "must have two axes or more for a scale for each channel");
  if (op.integer("ch_axis") != 0) op.refuse_argument("ch_axis", "must be 0");
  Dims axes(static_cast<std::size_t>(rank - 1));
  std::iota(axes.begin(), axes.end(), 1);
  return axes;
}

// The running value moved towards the current one, or the current one if nothing was observed before.
Term moved(Op& op, std::string_view running, std::string_view reduction, Value* x, const Dims& axes) {
  Builder& b = op.builder();
  const Term before{b, b.cast(op.tensor(running), DType::Float32)};
  const Term now{b, b.reduce(reduction, b.cast(x, DType::Float32), axes, false)};
  const Term shaped{b, axes.empty() ? b.reshape(now.value(), b.shape(before.value())) : now.value()};
  const Term share{b, b.scalar(DType::Float32, op.number("averaging_const"))};
  return where(before.with(is_infinite(b, before.value())), shaped, before + share * (shaped - before));
}

// Source: ChooseQuantizationParams in ATen/native/quantized/cpu/QuantUtils.h, which computes in float32 where this
// does. Elementwise.
Parameters parameters_of(Op& op, Range range) {
  constexpr float kLeastScale = 6.1e-5F;
  const double reciprocal_overflows = 0x1p-128;
  const std::int64_t bottom = op.integer("quant_min"), top = op.integer("quant_max");
  if (top <= bottom) op.refuse_argument("quant_max", "must be greater than quant_min");
  const auto low = static_cast<double>(bottom), high = static_cast<double>(top), steps = high - low;
  const bool is_symmetric = op.flag("symmetric_quant");
  const auto wide = [](const Term& t) { return t.cast(DType::Float64); };
  const auto narrow = [](const Term& t) { return t.cast(DType::Float32); };
  if (is_symmetric) {
    const std::int64_t half_steps = (top - bottom) / 2;
    const auto half = static_cast<double>(half_steps);
    const Term is_centred = range.low < 0 && range.high > 0;
    const Term widest = wide(max(abs(range.low / -(half + 1)), abs(range.high / half)));
    range = {where(is_centred, narrow(widest * -(half + 1)), range.low),
             where(is_centred, narrow(widest * half), range.high)};
  }
  range = {min(range.low, 0), max(range.high, 0)};
  const Term exact = (wide(range.high) - wide(range.low)) / steps;
  const Term usable = where(narrow(exact) <= reciprocal_overflows, 0.1, exact);
  const Term is_small = usable < static_cast<double>(kLeastScale);
  const Term scale = where(is_small, static_cast<double>(kLeastScale), usable);
  const Term growth = range.low.number(kLeastScale) / narrow(usable);
  const float width = kLeastScale * static_cast<float>(steps);
  const Term no_low = range.low == 0, no_high = range.high == 0;
  const Term wider_low = where(no_high, where(no_low, range.low, -width), range.low * growth);
  const Term wider_high = where(no_low, width, range.high * growth);
  const Term first = wide(where(is_small, wider_low, range.low)) / scale;
  const Term last = wide(where(is_small, wider_high, range.high)) / scale;
  const Term from_low = std::abs(low) - abs(first), from_high = std::abs(high) - abs(last);
  Term zero = where(from_low < from_high, low - first, high - last);
  if (is_symmetric) {
    // By the adjusted range.
    const Term is_centred = first < 0 && last > 0;
    zero = where(is_centred, (low + high) / 2, zero);
  }
  const Term nearest{op.builder(), round_half_even(op.builder(), op->clip(zero.value(), low, high))};
  return {narrow(scale), nearest};
}

// _fused_moving_avg_obs_fq_helper_functional(self, observer_on, fake_quant_on, running_min, running_max, scale,
//   zero_point, averaging_const, quant_min, quant_max, ch_axis, per_row_fake_quant, symmetric_quant)
//   -> (output, mask, running_min, running_max, scale, zero_point)
Outputs observe_and_quantise(Op& op) {
  Builder& b = op.builder();
  Value* x = op.tensor("self");
  const bool of_channels = op.flag("per_row_fake_quant");
  const Dims axes = observed_axes(op, x, of_channels);
  for (const char* state : {"running_min", "running_max"})
    if (op.rank_of(op.tensor(state)) > 0 && op.fixed_size(op.tensor(state), 0) == 0)
      op.refuse_argument(state,
                         "is empty, and LibTorch resizes it in the first run: run the module once before export");
  const Switch observes(op, "observer_on"), quantises(op, "fake_quant_on");
  const auto after = [&](const char* running, const char* reduction) {
    return observes.choose([&] { return moved(op, running, reduction, x, axes).value(); },
                           b.cast(op.tensor(running), DType::Float32));
  };
  const Range range{Term{b, after("running_min", "ReduceMin")}, Term{b, after("running_max", "ReduceMax")}};
  std::optional<Grid> grid;
  std::optional<Parameters> chosen;
  const auto parameters = [&]() -> const Parameters& {
    if (!chosen) chosen = parameters_of(op, range);
    return *chosen;
  };
  const auto as_state = [&](const Term& t, std::string_view state) {
    Value* held = op.tensor(state);
    Value* value = b.cast(t.value(), held->facts().dtype);
    return of_channels ? value : b.reshape(value, b.shape(held));
  };
  Value* scale = quantises.choose([&] { return as_state(parameters().scale, "scale"); }, op.tensor("scale"));
  Value* zero =
      quantises.choose([&] { return as_state(parameters().zero_point, "zero_point"); }, op.tensor("zero_point"));
  const auto own_grid = [&]() -> const Grid& {
    if (grid) return *grid;
    const auto placed = [&](const Term& t) { return of_channels ? t.value() : b.reshape(t.value(), Dims{}); };
    Value* integers = b.cast(placed(parameters().zero_point), DType::Int64);
    grid = Grid{placed(parameters().scale), integers, op.integer("quant_min"), op.integer("quant_max")};
    if (of_channels) grid->axis = 0;
    return *grid;
  };
  Value* output = quantises.choose([&] { return b.cast(snap(b, x, own_grid()), op.result_dtype()); }, x);
  Value* mask = nullptr;
  if (!op.node().output(1)->is_unused()) {
    const Term at{b, steps(b, x, own_grid())};
    mask = quantises.is_off_or(
        (at >= static_cast<double>(own_grid().low) && at <= static_cast<double>(own_grid().high)).value());
  }
  // LibTorch observes nothing in a tensor without elements.
  Value* nothing = has_no_elements(op, x);
  const auto unless_nothing = [&](Value* value, const char* state) {
    return nothing ? b.where(nothing, op.tensor(state), value) : value;
  };
  return {output,
          mask,
          unless_nothing(range.low.cast(op.result_dtype(2)).value(), "running_min"),
          unless_nothing(range.high.cast(op.result_dtype(3)).value(), "running_max"),
          unless_nothing(scale, "scale"),
          unless_nothing(zero, "zero_point")};
}

constexpr Row kObserverRows[] = {
    {"aten::_fused_moving_avg_obs_fq_helper_functional", 7, observe_and_quantise},
};

}  // namespace

std::span<const Row> observer_rows() { return kObserverRows; }

}  // namespace tonnx::lower
