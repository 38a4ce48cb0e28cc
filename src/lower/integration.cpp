#include "lower/families.h"
#include "lower/formula.h"
#include "lower/promotion.h"

// Integrals and derivatives of samples along an axis.
namespace tonnx::lower {
namespace {

// The samples [first, last); negative positions count from the end.
Term part(Term y, std::int64_t axis, std::int64_t first, std::int64_t last) {
  return y.with(y.builder().slice(y.value(), axis, first, last));
}

struct Samples {
  Value* given;
  Term y;
  std::int64_t axis;
  DType dtype;
};

Samples samples(Op& op, std::string_view argument) {
  Builder& b = op.builder();
  Value* y = op.tensor(argument);
  DType dtype = op.result().dtype;
  if (dtype == DType::Undefined) dtype = ir::is_floating(op.dtype_of(y)) ? op.dtype_of(y) : DType::Float32;
  return {y, {b, in_full_precision(b, b.cast(y, dtype))}, op.axis("dim", y), dtype};
}

// Casts an operand that LibTorch adds, subtracts or multiplies in its own dtype: integers wrap.
Value* in_own_dtype(Op& op, const Samples& s, Value* v) {
  return ir::is_floating(op.dtype_of(v)) ? op->cast(v, op.dtype_of(s.y.value())) : v;
}

// The sums of adjacent samples.
Term neighbours(Op& op, const Samples& s) {
  const Term y = s.y.with(in_own_dtype(op, s, s.given));
  return part(y, s.axis, 1, INT64_MAX) + part(y, s.axis, 0, -1);
}

// The areas between adjacent samples with given coordinates.
Term areas(Op& op, const Samples& s) {
  Builder& b = op.builder();
  const Term sums = neighbours(op, s);
  Value* x = in_own_dtype(op, s, op.tensor("x"));
  const std::int64_t rank = op.rank_of(s.y.value());
  std::int64_t axis = s.axis;
  if (op.rank_of(x) == 1) {
    Dims after;
    for (std::int64_t i = 1; i < rank - s.axis; ++i) after.push_back(i);
    x = b.unsqueeze(x, after);
    axis = 0;
  } else {
    axis = s.axis - rank + op.rank_of(x);
  }
  const Term places{b, x};
  const Term steps = part(places, axis, 1, INT64_MAX) - part(places, axis, 0, -1);
  const DType product = ir::promote(op.dtype_of(sums.value()), op.dtype_of(x));
  return (sums.cast(product) * steps.cast(product)).cast(op.dtype_of(s.y.value())) * 0.5;
}

Outputs trapezoid(Op& op) {
  const Samples s = samples(op, "y");
  const auto sum = [&](Term v) { return v.with(op->reduce("ReduceSum", v.value(), Dims{s.axis}, false)); };
  if (op.has("x")) return sum(areas(op, s)).value();
  const Term own = s.y.with(in_own_dtype(op, s, s.given));
  const Term ends = part(own, s.axis, 0, 1) + part(own, s.axis, -1, INT64_MAX);
  return ((sum(s.y) - sum(ends.cast(op.dtype_of(s.y.value()))) * 0.5) * op.number("dx")).value();
}

Outputs cumulative_trapezoid(Op& op) {
  const Samples s = samples(op, "y");
  const Term parts =
      op.has("x") ? areas(op, s) : neighbours(op, s).cast(op.dtype_of(s.y.value())) * (op.number("dx") / 2);
  const DType dtype = op.dtype_of(parts.value());
  const Term wide = dtype == DType::Float32 ? parts.cast(DType::Float64) : parts;
  return op->cast(op->op("CumSum", {wide.value(), op->int64(s.axis)}), dtype);
}

// The distances between samples: one scalar, or the samples' coordinates.
struct Spacing {
  double step = 1;
  Value* places = nullptr;
};

Term derivative(Op& op, Term y, std::int64_t axis, const Spacing& spacing, std::int64_t edge_order) {
  Builder& b = op.builder();
  const auto at = [&](std::int64_t first, std::int64_t last) { return part(y, axis, first, last); };
  const Term before = at(0, -2), here = at(1, -1), after = at(2, INT64_MAX);
  const Term first = at(0, 1), second = at(1, 2), third = at(2, 3);
  const Term last = at(-1, INT64_MAX), last_but_one = at(-2, -1), last_but_two = at(-3, -2);
  const auto joined = [&](Term begin, Term middle, Term end) {
    return y.with(b.concat({begin.value(), middle.value(), end.value()}, axis));
  };
  if (!spacing.places) {
    const double h = spacing.step;
    const Term middle = (after - before) / (2 * h);
    if (edge_order == 1) return joined((second - first) / h, middle, (last - last_but_one) / h);
    return joined((first * -1.5 + second * 2 - third * 0.5) / h, middle,
                  (last * 1.5 - last_but_one * 2 + last_but_two * 0.5) / h);
  }
  Dims trailing;
  for (std::int64_t i = axis + 1; i < op.rank_of(y.value()); ++i) trailing.push_back(i - axis);
  const Term x = y.with(b.unsqueeze(b.cast(spacing.places, op.dtype_of(y.value())), trailing));
  const Term steps = part(x, 0, 1, INT64_MAX) - part(x, 0, 0, -1);
  const Term left = part(steps, 0, 0, -1), right = part(steps, 0, 1, INT64_MAX);
  const Term both = left + right;
  const Term middle =
      here * ((right - left) / (left * right)) - before * (right / (left * both)) + after * (left / (right * both));
  const Term step_first = part(steps, 0, 0, 1), step_last = part(steps, 0, -1, INT64_MAX);
  if (edge_order == 1) return joined((second - first) / step_first, middle, (last - last_but_one) / step_last);
  const Term step_second = part(steps, 0, 1, 2), step_last_but_one = part(steps, 0, -2, -1);
  const auto edge = [](Term h, Term k, Term f, Term g, Term e) {
    // f at the edge, g beyond a step h, e beyond a step k more
    return (h + k) / (h * k) * g - (h * 2 + k) / (h * (h + k)) * f - h / (k * (h + k)) * e;
  };
  return joined(edge(step_first, step_second, first, second, third), middle,
                -edge(step_last, step_last_but_one, last, last_but_one, last_but_two));
}

Outputs gradient(Op& op) {
  Value* self = op.tensor("self");
  const std::int64_t rank = op.rank_of(self);
  const Term y{
      op.builder(),
      in_full_precision(op.builder(), ir::is_floating(op.dtype_of(self)) ? self : op->cast(self, DType::Float32))};
  Dims axes = op.has("dim") && !op.is_none("dim") ? op.axes("dim", self) : Dims{};
  if (axes.empty())
    for (std::int64_t i = 0; i < rank; ++i) axes.push_back(i);
  Values results;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    Spacing spacing;
    if (op.has("spacing") && !op.is_none("spacing")) {
      const ir::Value* given = op.source("spacing");
      if (given->type().is_tensor_list()) {
        spacing.places = op.tensors("spacing").at(i);
      } else if (const ir::Constant* c = op.constant("spacing")) {
        const ir::Constant::List* list = c->get<ir::Constant::List>();
        spacing.step = list ? list->items.at(i).as_double() : c->as_double();
      } else {
        op.refuse_argument("spacing", "must be constant numbers or tensors");
      }
    }
    results.push_back(op->cast(derivative(op, y, axes[i], spacing, op.integer("edge_order")).value(),
                               ir::is_floating(op.dtype_of(self)) ? op.dtype_of(self) : DType::Float32));
  }
  return Outputs::list(results);
}

constexpr Row kIntegrationRows[] = {
    {"aten::trapz", 7, rounded<trapezoid>},
    {"aten::trapezoid", 7, rounded<trapezoid>},
    {"aten::cumulative_trapezoid", 11, rounded<cumulative_trapezoid>},
    {"aten::gradient", 7, rounded<gradient>},
};

}  // namespace

std::span<const Row> integration_rows() { return kIntegrationRows; }

}  // namespace tonnx::lower
