#include "lower/linear.h"

#include <algorithm>
#include <cctype>
#include <numeric>

#include "lower/dtype_support.h"
#include "lower/families.h"
#include "lower/formula.h"
#include "lower/known.h"
#include "lower/sizes.h"
#include "lower/spatial.h"
#include "lower/special.h"
#include "lower/whole.h"

namespace tonnx::lower {
namespace {

bool has_rank(const Value* v, std::int64_t rank) { return v->facts().has_rank() && v->facts().rank() == rank; }
bool contains(const std::string& letters, char c) { return letters.find(c) != std::string::npos; }

Value* permute(Builder& b, Value* x, const std::string& from, const std::string& to) {
  Dims perm;
  for (const char c : to) perm.push_back(static_cast<std::int64_t>(from.find(c)));
  return b.transpose(x, perm);
}

// The sizes of the axes with these letters: their product as one element, or one element each.
Value* extent(Builder& b, Value* x, const std::string& letters, const std::string& wanted) {
  Value* product = nullptr;
  for (const char c : wanted) {
    Value* size = b.size(x, static_cast<std::int64_t>(letters.find(c)));
    product = product ? b.mul(product, size) : size;
  }
  return product ? product : b.int64s({1});
}

}  // namespace

Value* affine(const Op& op, Value* x, Value* weight, Value* bias) {
  Builder& b = op.builder();
  const bool floating = ir::is_floating(x->facts().dtype);
  const bool plain = floating && has_rank(x, 2) && has_rank(weight, 2);
  if (plain && bias && bias->facts().has_rank() && bias->facts().rank() <= 2)
    return b.op("Gemm", {x, weight, bias}, {{"transB", std::int64_t{1}}});
  Value* y = product_of_matrices(op, x, op.rank_of(weight) == 2 ? b.transpose(weight, {1, 0}) : weight);
  return bias ? b.add(y, bias) : y;
}

Value* contract(const Op& op, Value* a, const std::string& a_letters, Value* b, const std::string& b_letters,
                const std::string& output) {
  Builder& builder = op.builder();
  std::string batch, left, right, summed;
  for (const char c : a_letters) {
    const bool in_b = contains(b_letters, c), in_output = contains(output, c);
    (in_b ? in_output ? batch : summed : left) += c;
  }
  for (const char c : b_letters)
    if (!contains(a_letters, c)) right += c;
  const auto axes_out = [&](const std::string& letters, const std::string& side) {
    Dims axes;
    for (const char c : side)
      if (!contains(output, c)) axes.push_back(static_cast<std::int64_t>(letters.find(c)));
    return axes;
  };
  const auto without = [&](const std::string& letters, const std::string& side) {
    std::string rest;
    for (const char c : letters)
      if (contains(output, c) || !contains(side, c)) rest += c;
    return rest;
  };
  if (const Dims axes = axes_out(a_letters, left); !axes.empty())
    return contract(op, sum_in_dtype(builder, a, axes, false), without(a_letters, left), b, b_letters, output);
  if (const Dims axes = axes_out(b_letters, right); !axes.empty())
    return contract(op, a, a_letters, sum_in_dtype(builder, b, axes, false), without(b_letters, right), output);

  // (batch..., left, summed) times (batch..., summed, right)
  Values a_shape, b_shape, y_shape;
  for (const char c : batch) {
    Value* size_a = extent(builder, a, a_letters, {c});
    Value* size_b = extent(builder, b, b_letters, {c});
    a_shape.push_back(size_a);
    b_shape.push_back(size_b);
    const auto known_a = known_number(size_a), known_b = known_number(size_b);
    if (known_a && *known_a != 1) {
      y_shape.push_back(size_a);
    } else if (known_a || (known_b && *known_b != 1)) {
      y_shape.push_back(size_b);
    } else {
      y_shape.push_back(maximum(builder, size_a, size_b));
    }
  }
  a_shape.push_back(extent(builder, a, a_letters, left));
  a_shape.push_back(extent(builder, a, a_letters, summed));
  b_shape.push_back(extent(builder, b, b_letters, summed));
  b_shape.push_back(extent(builder, b, b_letters, right));
  for (const char c : left) y_shape.push_back(extent(builder, a, a_letters, {c}));
  for (const char c : right) y_shape.push_back(extent(builder, b, b_letters, {c}));

  Value* x = permute(builder, a, a_letters, batch + left + summed);
  Value* y = permute(builder, b, b_letters, batch + summed + right);
  if (left.size() != 1 || summed.size() != 1) x = builder.reshape(x, builder.join_sizes(a_shape));
  if (right.size() != 1 || summed.size() != 1) y = builder.reshape(y, builder.join_sizes(b_shape));
  Value* product = product_of_matrices(op, x, y);
  if (left.size() != 1 || right.size() != 1) product = builder.reshape(product, builder.join_sizes(y_shape));
  return permute(builder, product, batch + left + right, output);
}

namespace {

Outputs linear(Op& op) {
  return affine(op, op.tensor(op.has("input") ? "input" : "self"), op.tensor("weight"), op.optional_tensor("bias"));
}

// The two matrix operands of any product, by position.
Outputs matmul(Op& op) {
  return product_of_matrices(op, op.value_of(op.node().input(0)), op.value_of(op.node().input(1)));
}

// A product in a dtype wider than that of its operands.
Outputs matmul_into(Op& op) {
  const DType dtype = static_cast<DType>(op.integer("out_dtype"));
  return product_of_matrices(op, op->cast(op.value_of(op.node().input(0)), dtype),
                             op->cast(op.value_of(op.node().input(1)), dtype));
}

Outputs bmm(Op& op) { return product_of_matrices(op, op.tensor("self"), op.tensor("mat2"), Batches::Alike); }

// A float8 matrix as floats, times its scale: one scalar, or one for each row of the first or column of the second
// factor.
Value* scaled_factor(Op& op, std::size_t position, std::string_view argument, std::int64_t axis) {
  Value* scale = op->cast(op.tensor(argument), DType::Float32);
  const std::int64_t rank = op.rank_of(scale);
  const bool fits =
      rank == 0 || (rank == 1 && op.fixed_size(scale, 0) == 1) || (rank == 2 && op.fixed_size(scale, axis) == 1);
  if (!fits) op.refuse_argument(argument, "must be one number, or one for each row or column of the result");
  return op->mul(op->cast(op.value_of(op.node().input(position)), DType::Float32), scale);
}

Outputs scaled_mm(Op& op) {
  const DType dtype = op.result_dtype();
  if (!op.is_none("scale_result") && ir::size_of(dtype) == 1) op.refuse_argument("scale_result", "has no ONNX form");
  Value* product = op->matmul(scaled_factor(op, 0, "scale_a", 1), scaled_factor(op, 1, "scale_b", 0));
  if (Value* bias = op.optional_tensor("bias")) product = op->add(product, op->cast(bias, DType::Float32));
  return op->cast(product, dtype);
}

bool is_number(const Op& op, std::string_view argument, double value) {
  return op.is_constant(argument) && op.number(argument) == value;
}

// beta * self + alpha * product. If beta is 0, self is ignored, even its NaN.
Value* weighted_sum(const Op& op, Value* product) {
  const DType dtype = product->facts().dtype;
  if (!is_number(op, "alpha", 1)) product = op->mul(product, op.scalar("alpha", dtype));
  Value* self = op->cast(op.tensor("self"), dtype);
  if (is_number(op, "beta", 0)) {
    if (self->facts().has_rank() && product->facts().has_rank() && self->facts().rank() <= product->facts().rank())
      return product;
    self = op->mul(self, op.scalar("beta", dtype));
  } else if (!is_number(op, "beta", 1)) {
    self = op->mul(self, op.scalar("beta", dtype));
  }
  return op->add(product, self);
}

Value* addmm_value(Op& op) {
  Value* a = op.tensor("mat1");
  Value* b = op.tensor("mat2");
  if (op.has("out_dtype")) {
    a = op->cast(a, static_cast<DType>(op.integer("out_dtype")));
    b = op->cast(b, a->facts().dtype);
  }
  Value* self = op.tensor("self");
  const bool has_depth =
      !op->avoids(ir::Defect::EmptyGemm) || op.fixed_size(a, -1).value_or(0) > 0 || op.fixed_size(b, 0).value_or(0) > 0;
  const bool direct = ir::is_floating(a->facts().dtype) && (has_depth || is_number(op, "beta", 1)) &&
                      self->facts().dtype == a->facts().dtype && op.is_constant("alpha") && op.is_constant("beta") &&
                      op.number("beta") != 0 && holds_attribute(a->facts().dtype, op.number("alpha")) &&
                      holds_attribute(a->facts().dtype, op.number("beta")) && self->facts().has_rank() &&
                      self->facts().rank() <= 2 && has_rank(a, 2) && has_rank(b, 2);
  if (!direct) return weighted_sum(op, product_of_matrices(op, a, b));
  Attributes attributes;
  if (op.number("alpha") != 1) attributes.push_back({"alpha", op.number("alpha")});
  if (op.number("beta") != 1) attributes.push_back({"beta", op.number("beta")});
  return op->op("Gemm", {a, b, self}, std::move(attributes));
}

Outputs addmm(Op& op) { return addmm_value(op); }

Outputs addmm_activation(Op& op) {
  Value* y = addmm_value(op);
  return op.flag("use_gelu") ? gelu(op.builder(), y) : op->op("Relu", {y});
}

Outputs addmv(Op& op) { return weighted_sum(op, product_of_matrices(op, op.tensor("mat"), op.tensor("vec"))); }

Outputs baddbmm(Op& op) {
  Value* a = op.tensor("batch1");
  Value* b = op.tensor("batch2");
  if (op.has("out_dtype")) {
    a = op->cast(a, static_cast<DType>(op.integer("out_dtype")));
    b = op->cast(b, a->facts().dtype);
  }
  return weighted_sum(op, product_of_matrices(op, a, b, Batches::Alike));
}

Outputs addbmm(Op& op) {
  Value* product = product_of_matrices(op, op.tensor("batch1"), op.tensor("batch2"), Batches::Alike);
  return weighted_sum(op, sum_in_dtype(op.builder(), product, Dims{0}, false));
}

Value* outer_product(Builder& b, Value* x, Value* y) { return b.mul(b.unsqueeze(x, {1}), b.unsqueeze(y, {0})); }

Outputs outer(Op& op) {
  const DType dtype = compute_dtype(op, {0, 1});
  return outer_product(op.builder(), operand(op, 0, dtype), operand(op, 1, dtype));
}

Outputs addr(Op& op) {
  const DType dtype = op.result_dtype();
  Value* product = outer_product(op.builder(), op->cast(op.tensor("vec1"), dtype), op->cast(op.tensor("vec2"), dtype));
  return weighted_sum(op, product);
}

std::string letters(std::int64_t count, char first) {
  std::string result(static_cast<std::size_t>(count), first);
  std::iota(result.begin(), result.end(), first);
  return result;
}

// Repeats an axis of a and one of b to a common size; their sizes are 1 or equal in every run.
void repeat_along(const Op& op, Value*& a, std::int64_t axis_a, Value*& b, std::int64_t axis_b) {
  const Term size_a{op.builder(), op->size(a, axis_a)}, size_b{op.builder(), op->size(b, axis_b)};
  Value* size = where(size_a == 1, size_b, size_a).value();
  const auto repeated = [&](Value* x, std::int64_t axis) {
    Values shape(static_cast<std::size_t>(op.rank_of(x)), op->int64s({1}));
    shape[static_cast<std::size_t>(axis)] = size;
    return op->expand(x, op->join_sizes(shape));
  };
  a = repeated(a, axis_a);
  b = repeated(b, axis_b);
}

// Makes the sizes of an axis of a and one of b equal, so that they can be contracted: size 1 is broadcast.
void make_summable(const Op& op, Value*& a, std::int64_t axis_a, Value*& b, std::int64_t axis_b) {
  const auto size_a = op.fixed_size(a, axis_a), size_b = op.fixed_size(b, axis_b);
  const auto dim = [](const Value* x, std::int64_t axis) { return (*x->facts().dims)[static_cast<std::size_t>(axis)]; };
  if (size_a == 1 && size_b != 1) {
    b = sum_in_dtype(op.builder(), b, Dims{axis_b}, true);
  } else if (size_b == 1 && size_a != 1) {
    a = sum_in_dtype(op.builder(), a, Dims{axis_a}, true);
  } else if (!(size_a && size_b) && !dim(a, axis_a).same(dim(b, axis_b))) {
    repeat_along(op, a, axis_a, b, axis_b);
  }
}

// aten::inner: contracts the last axis of both.
Outputs inner(Op& op) {
  Value* a = op.tensor("self");
  Value* b = op.tensor("other");
  const std::int64_t rank_a = op.rank_of(a), rank_b = op.rank_of(b);
  if (rank_a == 0 || rank_b == 0) return op->mul(a, b);
  std::string a_letters = letters(rank_a, 'a'), b_letters = letters(rank_b, 'A');
  std::string output = a_letters.substr(0, a_letters.size() - 1) + b_letters.substr(0, b_letters.size() - 1);
  b_letters.back() = a_letters.back();
  return contract(op, a, a_letters, b, b_letters, output);
}

// aten::tensordot: contracts pairs of axes; an axis of size 1 broadcasts.
Outputs tensordot(Op& op) {
  Value* a = op.tensor("self");
  Value* b = op.tensor("other");
  const Dims axes_a = op.axes("dims_self", a), axes_b = op.axes("dims_other", b);
  if (axes_a.size() != axes_b.size()) op.refuse("the two lists of axes must have the same length");
  std::string a_letters = letters(op.rank_of(a), 'a'), b_letters = letters(op.rank_of(b), 'A');
  for (std::size_t i = 0; i < axes_a.size(); ++i) {
    b_letters[static_cast<std::size_t>(axes_b[i])] = a_letters[static_cast<std::size_t>(axes_a[i])];
    make_summable(op, a, axes_a[i], b, axes_b[i]);
  }
  std::string output;
  for (const char c : a_letters)
    if (!contains(b_letters, c)) output += c;
  for (const char c : b_letters)
    if (!contains(a_letters, c)) output += c;
  return contract(op, a, a_letters, b, b_letters, output);
}

// An einsum equation with one letter for each axis: the ellipsis is replaced by letters, and the output is explicit.
struct Equation {
  std::vector<std::string> inputs;
  std::string output;
};

Equation parse(const Op& op, std::string text, const Values& operands) {
  std::erase_if(text, [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; });
  const std::size_t arrow = text.find("->");
  std::string left = text.substr(0, arrow);
  Equation e;
  std::string part;
  for (const char c : left + ",") {
    if (c != ',') {
      part += c;
      continue;
    }
    e.inputs.push_back(part);
    part.clear();
  }
  if (e.inputs.size() != operands.size()) op.refuse_argument("equation", "must have one term for each operand");
  // Letters that the equation does not use replace the ellipsis, aligned to the right.
  std::string unused;
  for (char c = 'a'; c <= 'z'; ++c)
    if (!contains(text, c)) unused += c;
  for (char c = 'A'; c <= 'Z'; ++c)
    if (!contains(text, c)) unused += c;
  std::size_t longest = 0;
  const auto hidden = [&](std::size_t i) {
    const std::size_t named = e.inputs[i].size() - 3;
    return static_cast<std::size_t>(op.rank_of(operands[i])) - named;
  };
  for (std::size_t i = 0; i < e.inputs.size(); ++i)
    if (contains(e.inputs[i], '.')) longest = std::max(longest, hidden(i));
  if (longest > unused.size()) op.refuse_argument("equation", "has more axes than there are letters");
  const std::string ellipsis = unused.substr(0, longest);
  if (arrow != std::string::npos) {
    e.output = text.substr(arrow + 2);
  } else {
    if (contains(left, '.')) e.output = "...";
    for (int c = 'A'; c <= 'z'; ++c)
      if (std::isalpha(c) && std::count(left.begin(), left.end(), static_cast<char>(c)) == 1)
        e.output += static_cast<char>(c);
  }
  const auto expand = [&](std::string& term, std::size_t count) {
    const std::size_t at = term.find("...");
    if (at != std::string::npos) term.replace(at, 3, ellipsis.substr(longest - count));
  };
  for (std::size_t i = 0; i < e.inputs.size(); ++i)
    if (contains(e.inputs[i], '.')) expand(e.inputs[i], hidden(i));
  const bool has_ellipsis = contains(e.output, '.');
  if (has_ellipsis) expand(e.output, longest);
  return e;
}

bool has_duplicates(const std::string& text) {
  for (const char c : text)
    if (std::count(text.begin(), text.end(), c) > 1) return true;
  return false;
}

// Sums the axes of one operand that neither another operand nor the output has, and transposes the others to the order
// of the output.
Value* reduce_and_order(Builder& b, Value* x, std::string letters, const std::string& output) {
  Dims axes;
  std::string rest;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    if (contains(output, letters[i])) {
      rest += letters[i];
    } else {
      axes.push_back(static_cast<std::int64_t>(i));
    }
  }
  if (!axes.empty()) x = sum_in_dtype(b, x, axes, false);
  return permute(b, x, rest, output);
}

// If an operand has a letter twice, takes the diagonal of both axes.
void take_diagonals(const Op& op, Value*& x, std::string& letters) {
  Builder& b = op.builder();
  for (std::size_t second = letters.size(); second-- > 1;) {
    const std::size_t first = letters.find(letters[second]);
    if (first == second) continue;
    const auto line = [&](std::size_t axis) {
      Dims trailing(letters.size() - 1 - axis);
      std::iota(trailing.begin(), trailing.end(), 1);
      return b.unsqueeze(b.range(b.size_scalar(x, static_cast<std::int64_t>(axis))), trailing);
    };
    Value* on_diagonal = equal(b, line(first), line(second));
    x = sum_in_dtype(b, b.where(on_diagonal, x, b.scalar_like(x, 0)), Dims{static_cast<std::int64_t>(second)}, false);
    letters.erase(second, 1);
  }
}

std::int64_t axis_of(const std::string& letters, char letter) {
  return static_cast<std::int64_t>(letters.find(letter));
}

// Contracts pairwise, from left to right.
Value* einsum_by_products(const Op& op, Equation e, Values operands) {
  for (std::size_t i = 0; i < operands.size(); ++i) take_diagonals(op, operands[i], e.inputs[i]);
  Value* y = operands[0];
  std::string have = e.inputs[0];
  for (std::size_t i = 1; i < operands.size(); ++i) {
    std::string later = e.output;
    for (std::size_t k = i + 1; k < operands.size(); ++k) later += e.inputs[k];
    std::string keep;
    for (const char c : have + e.inputs[i])
      if (contains(later, c) && !contains(keep, c)) keep += c;
    if (i + 1 == operands.size()) keep = e.output;
    for (const char c : have)
      if (contains(e.inputs[i], c) && !contains(keep, c))
        make_summable(op, y, axis_of(have, c), operands[i], axis_of(e.inputs[i], c));
    y = contract(op, y, have, operands[i], e.inputs[i], keep);
    have = keep;
  }
  return reduce_and_order(op.builder(), y, have, e.output);
}

Outputs einsum(Op& op) {
  Values operands = op.tensors("tensors");
  // In LibTorch, sums over an axis of one operand are int64, and so are products with them.
  if (operands.size() <= 2 && op.result().dtype == DType::Int64)
    for (Value*& v : operands) v = op->cast(v, DType::Int64);
  // For operands of different dtypes LibTorch uses elementwise products, which promote.
  const auto differs = [&](Value* v) { return op.dtype_of(v) != op.dtype_of(operands.front()); };
  if (op.result().dtype != DType::Undefined && std::ranges::any_of(operands, differs))
    for (Value*& v : operands) v = op->cast(v, op.result().dtype);
  const std::string text = op.text("equation");
  const bool ranks_known =
      std::all_of(operands.begin(), operands.end(), [](Value* v) { return v->facts().has_rank(); });
  if (op.opset() >= 12 && !ranks_known) return op->op("Einsum", operands, {{"equation", text}});
  const Equation e = parse(op, text, operands);
  bool plain = true;
  for (const std::string& term : e.inputs) plain = plain && !has_duplicates(term);
  // A product of two operands is one MatMul, which is faster than Einsum.
  const bool whole =
      ir::is_integral(op.dtype_of(operands.front())) && op->avoids(ir::Defect::EinsumRounding, DType::Int64);
  if (op.opset() < 12 || whole || (plain && operands.size() <= 2)) return einsum_by_products(op, e, operands);
  std::string equation;
  for (const std::string& term : e.inputs) equation += (equation.empty() ? "" : ",") + term;
  return op->op("Einsum", operands, {{"equation", equation + "->" + e.output}});
}

// sum over i and j of x1[..., i] * weight[k, i, j] * x2[..., j]
Outputs bilinear(Op& op) {
  Builder& b = op.builder();
  Value* left = op.tensor("input1");
  Value* right = op.tensor("input2");
  const std::int64_t rank = op.rank_of(left);
  Value* weight = op.tensor("weight");
  const auto outputs = op.fixed_size(weight, 0), columns = op.fixed_size(weight, 2);
  // One matrix for all outputs: some runtimes cannot broadcast an empty batch.
  Value* product = b.matmul(left, merge_axes(op, b.transpose(weight, {1, 0, 2}), 1, 2));
  if (outputs && columns) {
    Dims split(static_cast<std::size_t>(rank - 1), 0);
    split.insert(split.end(), {*outputs, *columns});
    product = b.reshape_keeping(product, split);
  } else {
    Value* sizes = b.join_sizes({sizes_between(op, left, 0, rank - 1), b.size(weight, 0), b.size(weight, 2)});
    product = b.reshape_exactly(product, sizes);
  }
  Value* y = b.squeeze(b.matmul(product, b.unsqueeze(right, {rank})), {rank});
  Value* bias = op.optional_tensor("bias");
  return bias ? b.add(y, bias) : y;
}

// aten::_trilinear: the product of three tensors, each with new axes of size 1, summed over axes.
Outputs trilinear(Op& op) {
  Builder& b = op.builder();
  std::int64_t rank = 0;
  const auto axes_of = [&](const char* name) {
    Dims axes = op.integers(name);
    for (std::int64_t& axis : axes) axis = op.wrap_axis(axis, rank);
    std::ranges::sort(axes);
    return axes;
  };
  const auto spread = [&](const char* tensor, const char* added) {
    Value* x = op.tensor(tensor);
    rank = op.rank_of(x) + static_cast<std::int64_t>(op.integers(added).size());
    return b.unsqueeze(x, axes_of(added));
  };
  Value* first = spread("i1", "expand1");
  Value* second = spread("i2", "expand2");
  Value* product = b.mul(b.mul(first, second), spread("i3", "expand3"));
  const Dims summed = axes_of("sumdim");
  return summed.empty() ? product : sum_in_dtype(b, product, summed, false);
}

Outputs chain(Op& op) {
  const Values matrices = op.tensors(op.has("matrices") ? "matrices" : "tensors");
  Value* y = matrices.at(0);
  for (std::size_t i = 1; i < matrices.size(); ++i) y = product_of_matrices(op, y, matrices[i]);
  return y;
}

// sum(x / max(|x|, eps) * y / max(|y|, eps)) over one axis of the broadcast operands
Outputs cosine_similarity(Op& op) {
  Builder& b = op.builder();
  const DType dtype = op.result_dtype();
  Value* x = in_full_precision(b, op->cast(op.tensor("x1"), dtype));
  Value* y = in_full_precision(b, op->cast(op.tensor("x2"), dtype));
  const bool scalars = op.rank_of(x) == 0 && op.rank_of(y) == 0;
  const std::int64_t rank = scalars ? 1 : std::max(op.rank_of(x), op.rank_of(y));
  const std::int64_t axis = op.wrap_axis(op.integer("dim"), rank);
  const auto lift = [&](Value* v) {
    Dims axes(static_cast<std::size_t>(rank - v->facts().rank()));
    std::iota(axes.begin(), axes.end(), 0);
    return b.unsqueeze(v, axes);
  };
  x = lift(x);
  y = lift(y);
  const std::size_t at = static_cast<std::size_t>(axis);
  const bool same =
      rank > 0 && ((*x->facts().dims)[at].same((*y->facts().dims)[at]) || op.source("x1") == op.source("x2"));
  if (!same) {
    Value* shape = b.shape(b.add(x, y));
    x = b.expand(x, shape);
    y = b.expand(y, shape);
  }
  const auto normalise = [&](Value* v) {
    Value* norm = b.op("Sqrt", {b.reduce("ReduceSum", b.mul(v, v), Dims{axis}, true)});
    return b.div(v, maximum(b, norm, op.scalar("eps", norm->facts().dtype)));
  };
  return b.reduce("ReduceSum", b.mul(normalise(x), normalise(y)), Dims{axis}, false);
}

constexpr Row kLinearRows[] = {
    {"aten::linear", 7, linear},
    {"aten::mkldnn_linear", 7, linear},
    {"aten::matmul", 7, matmul},
    {"aten::linalg_matmul", 7, matmul},
    {"aten::mm", 7, matmul},
    {"aten::bmm", 7, bmm},
    {"aten::mm.dtype", 7, matmul_into},
    {"aten::bmm.dtype", 7, matmul_into},
    {"aten::_scaled_mm", 19, scaled_mm},
    {"aten::mv", 7, matmul},
    {"aten::dot", 7, matmul},
    {"aten::vdot", 7, matmul},
    {"aten::inner", 7, inner},
    {"aten::outer", 7, outer},
    {"aten::ger", 7, outer},
    {"aten::addmm", 7, addmm},
    {"aten::_addmm_activation", 7, addmm_activation},
    {"aten::addmv", 7, addmv},
    {"aten::addr", 7, addr},
    {"aten::addbmm", 7, addbmm},
    {"aten::baddbmm", 7, baddbmm},
    {"aten::einsum", 7, einsum},
    {"aten::tensordot", 7, tensordot},
    {"aten::bilinear", 7, bilinear},
    {"aten::_trilinear", 7, rounded<trilinear>},
    {"aten::chain_matmul", 7, chain},
    {"aten::linalg_multi_dot", 7, chain},
    {"aten::cosine_similarity", 7, rounded<cosine_similarity>},
};

}  // namespace

std::span<const Row> linear_rows() { return kLinearRows; }

}  // namespace tonnx::lower
