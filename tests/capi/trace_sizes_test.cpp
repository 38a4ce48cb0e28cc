// Host code that computes with sizes: traced at several sizes of its dynamic axes, exported, and compared with what it
// does itself at others; or refused by name.
#include <cmath>
#include <cstdio>
#include <deque>
#include <unistd.h>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "error_matchers.h"
#include "host.h"
#include "verify/runtime.h"

using host::failure;
using host::tensor;
using testing::AllOf;
using testing::HasSubstr;
using tonnx::Program;
using tonnx::Trace;

namespace {

using Tensors = std::vector<at::Tensor>;
using Code = std::function<at::Tensor(const Tensors&)>;
using Axes = std::vector<std::tuple<std::size_t, std::int64_t, std::string>>;

constexpr double kPi = 3.14159265358979323846;

// Code that computes with sizes, its inputs and their dynamic axes.
struct Case {
  const char* name;
  Tensors inputs;
  Axes axes;
  Code code;
  const char* refusal = nullptr;  // a part of the message
};

tonnx::TraceOptions declared(const Axes& axes) {
  tonnx::TraceOptions options;
  for (const auto& [input, axis, symbol] : axes) options.dynamic_axis(input, axis, symbol);
  return options;
}

Program traced(const Case& given, const tonnx::TraceOptions& options) {
  return Program::trace(
      [&](Trace& t) {
        Tensors inputs;
        for (std::size_t i = 0; i < t.input_count(); ++i) inputs.push_back(tensor(t.input(i)));
        const at::Tensor y = given.code(inputs);
        t.output(&y, "y");
      },
      host::args(given.inputs), options);
}

tonnx::ir::DType dtype_of(const at::Tensor& t) { return static_cast<tonnx::ir::DType>(t.scalar_type()); }

tonnx::ir::Tensor to_ir(const at::Tensor& given) {
  const at::Tensor t = given.contiguous();
  return tonnx::ir::Tensor::from_bytes(dtype_of(t), t.sizes().vec(), t.data_ptr(), t.nbytes());
}

class ModelFile {
 public:
  explicit ModelFile(const tonnx::Model& model)
      : path_(testing::TempDir() + "trace_sizes_" + std::to_string(::getpid()) + ".onnx") {
    model.save(path_, TONNX_EXTERNAL_DATA_NO);
  }
  ~ModelFile() { std::remove(path_.c_str()); }
  at::Tensor run(const Tensors& inputs) const {
    const tonnx::verify::Session session(path_);
    std::vector<tonnx::ir::Tensor> given;
    for (const at::Tensor& input : inputs) given.push_back(to_ir(input));
    const tonnx::ir::Tensor got = session.run(given).at(0);
    return at::from_blob(const_cast<std::byte*>(got.data()), got.dims,
                         at::TensorOptions(static_cast<at::ScalarType>(got.dtype)))
        .clone();
  }

 private:
  std::string path_;
};

// The inputs, with each dynamic axis at the size that `choose` returns for its symbol.
Tensors at_sizes(const Case& given, const std::function<std::int64_t(const std::string&)>& choose) {
  Tensors inputs;
  for (std::size_t i = 0; i < given.inputs.size(); ++i) {
    std::vector<std::int64_t> dims = given.inputs[i].sizes().vec();
    for (const auto& [input, axis, symbol] : given.axes)
      if (input == i) dims[static_cast<std::size_t>(axis)] = choose(symbol);
    const auto options = given.inputs[i].options();
    inputs.push_back(options.dtype() == at::kFloat ? at::rand(dims) + 0.25 : at::randint(0, 5, dims, options));
  }
  return inputs;
}

// Compares at the sizes where the code runs; at least three.
void expect_equal_everywhere(const Case& given, const ModelFile& model) {
  int compared = 0;
  for (const std::int64_t base : {1, 2, 3, 4, 6, 8, 12, 16, 29, 48}) {
    std::int64_t next = base;
    std::map<std::string, std::int64_t> sizes;
    const Tensors inputs = at_sizes(given, [&](const std::string& symbol) {
      const auto [size, fresh] = sizes.try_emplace(symbol, next);
      if (fresh) next = base >= 16 ? base - 12 : base + 4;
      return size->second;
    });
    at::Tensor expected;
    try {
      Tensors copies;
      for (const at::Tensor& input : inputs) copies.push_back(input.clone());
      expected = given.code(copies);
    } catch (const std::exception&) {
      continue;
    }
    const at::Tensor got = model.run(inputs);
    ASSERT_EQ(got.sizes(), expected.sizes()) << "at " << base;
    ASSERT_EQ(got.scalar_type(), expected.scalar_type()) << "at " << base;
    EXPECT_TRUE(at::allclose(got.to(at::kDouble), expected.to(at::kDouble), 1e-3, 1e-4)) << "at " << base;
    ++compared;
  }
  EXPECT_GE(compared, 3);
}

at::Tensor rows(std::int64_t n = 4) { return at::rand({n, 6}) + 0.25; }
const Axes kRows = {{0, 0, "n"}};
const Axes kBatchTime = {{0, 0, "b"}, {0, 1, "t"}};
const Axes kImage = {{0, 2, "h"}, {0, 3, "w"}};

at::Tensor weight(at::IntArrayRef dims) {
  static std::map<std::vector<std::int64_t>, at::Tensor> made;
  auto& known = made[dims.vec()];
  if (!known.defined()) {
    std::int64_t count = 1;
    for (const std::int64_t d : dims) count *= d;
    known = (at::arange(count, at::kFloat).remainder(7) / 7 - 0.4).reshape(dims);
  }
  return known;
}

// A tensor over memory of the host's.
template <class T>
at::Tensor captured(std::vector<T> elements, bool scalar = false) {
  static std::deque<std::vector<T>> kept;
  kept.push_back(std::move(elements));
  std::vector<std::int64_t> dims;
  if (!scalar) dims.push_back(static_cast<std::int64_t>(kept.back().size()));
  return at::from_blob(kept.back().data(), dims, c10::CppTypeToScalarType<T>::value);
}

std::vector<Case> rows_cases() {
  const auto row = [](const char* name, std::function<at::Tensor(const at::Tensor&, std::int64_t)> code,
                      const char* refusal = nullptr, std::int64_t example = 4) {
    return Case{name, {rows(example)}, kRows, [code](const Tensors& x) { return code(x[0], x[0].size(0)); }, refusal};
  };
  return {
      row("TimesSize", [](auto& x, auto n) { return x * double(n); }),
      row("PlusSize", [](auto& x, auto n) { return x + n; }),
      row("MeanByHand", [](auto& x, auto n) { return x.sum(0) / n; }),
      row("ReciprocalOfSize", [](auto& x, auto n) { return x * (1.0 / double(n)); }),
      row("SingleReciprocal", [](auto& x, auto n) { return x * (1.0F / static_cast<float>(n)); }),
      row("RootOfSize", [](auto& x, auto n) { return x / std::sqrt(double(n)); }),
      row("InverseRoot", [](auto& x, auto n) { return x * (1 / std::sqrt(double(n))); }),
      row("LogOfSize", [](auto& x, auto n) { return x * std::log(double(n)); }),
      row("PartOfSize", [](auto& x, auto n) { return x * (0.1 * double(n)); }),
      row("LineOfSize", [](auto& x, auto n) { return x * (0.5 + 0.25 * double(n)); }),
      row("BesselsCorrection", [](auto& x, auto n) { return x.square().sum(0) / double(n - 1); }),
      row("Pairs", [](auto& x, auto n) { return x * double(n * (n - 1) / 2); }),
      row("Square", [](auto& x, auto n) { return x + n * n; }),
      row("SizeUnderTwo", [](auto& x, auto n) { return x * (2.0 / double(n * (n + 1))); }),
      row("Arange", [](auto& x, auto n) { return x + at::arange(n).unsqueeze(1); }),
      row("ArangeFromOne", [](auto& x, auto n) { return x.cumsum(0) / at::arange(1, n + 1).unsqueeze(1); }),
      row("ArangeBackwards", [](auto& x, auto n) { return x.index_select(0, n - 1 - at::arange(n)); }),
      row("Linspace", [](auto& x, auto n) { return x * at::linspace(0, 1, n).unsqueeze(1); }),
      row("Identity", [](auto& x, auto n) { return at::eye(n).mm(x); }),
      row("AllButLast", [](auto& x, auto n) { return x.slice(0, 0, n - 1); }),
      row("AllButFirst", [](auto& x, auto n) { return x.narrow(0, 1, n - 1); }),
      row("Last", [](auto& x, auto n) { return x.select(0, n - 1); }),
      row("LastFromTheEnd", [](auto& x, auto) { return x.select(0, -1); }),
      row("FirstHalf", [](auto& x, auto n) { return x.narrow(0, 0, n / 2); }),
      row("SecondHalf", [](auto& x, auto n) { return x.narrow(0, n / 2, n - n / 2); }),
      row("UpperHalf", [](auto& x, auto n) { return x.narrow(0, 0, (n + 1) / 2); }),
      row("EvenRows", [](auto& x, auto n) { return x.narrow(0, 0, n / 2 * 2).view({-1, 12}); }),
      row("Flattened", [](auto& x, auto n) { return x.view({n * 6}); }),
      row("Regrouped", [](auto& x, auto n) { return x.view({n * 2, 3}) * 2; }),
      row("Turned", [](auto& x, auto n) { return x.reshape({3, n * 2}); }),
      row("Transposed", [](auto& x, auto n) { return x.t().contiguous().view({3, 2 * n}); }),
      row("Expanded", [](auto& x, auto n) { return at::ones({1, 6}).expand({n, 6}) + x; }),
      row("Broadcast", [](auto& x, auto n) { return x.unsqueeze(0).expand({n, n, 6}).sum(0); }),
      row("Zeros", [](auto& x, auto n) { return at::cat({x, at::zeros({n, 2})}, 1); }),
      row("Full", [](auto& x, auto n) { return x + at::full({n, 1}, 1.5); }),
      row("FullOfSize", [](auto& x, auto n) { return x + at::full({6}, double(n)); }),
      row("NewZeros", [](auto& x, auto n) { return x.new_zeros({n + 1, 6}).narrow(0, 1, n) + x; }),
      row("ScalarTensor", [](auto& x, auto n) { return x / at::scalar_tensor(n); }),
      row("CapturedScalar", [](auto& x, auto n) { return x * captured<double>({double(n)}, true); }),
      row("CapturedIndices", [](auto& x, auto n) { return x.index_select(0, captured<std::int64_t>({n - 1, 0})); }),
      row("Repeated", [](auto& x, auto n) { return x.repeat({2, 1}).narrow(0, n, n); }),
      row("Joined", [](auto& x, auto n) { return at::cat({x, x}).view({2, n, 6}).sum(0); }),
      row("SizeAfterCat",
          [](auto& x, auto) {
            const at::Tensor y = at::cat({x, x.narrow(0, 0, 1)});
            return y + at::arange(y.size(0)).unsqueeze(1);
          }),
      row("CausalMask",
          [](auto& x, auto n) {
            return x.mm(x.t()).masked_fill(at::ones({n, n}).triu(1).to(at::kBool), -1e9).softmax(-1).mm(x);
          }),
      row("LengthMask", [](auto& x, auto n) { return x * at::arange(n).lt(n - 1).unsqueeze(1); }),
      row("Rolled", [](auto& x, auto n) { return at::roll(x, {n / 2}, {0}); }),
      row("Split", [](auto& x, auto n) { return x.split_with_sizes({n - 1, 1})[0] * 2; }),
      row("Chunks", [](auto& x, auto) { return x.chunk(2, 1)[0]; }),
      row("AtMostThree", [](auto& x, auto n) { return x.narrow(0, 0, std::min<std::int64_t>(n, 3)); }),
      row("MeanOfOneOrMore", [](auto& x, auto n) { return x.sum(0) / double(std::max<std::int64_t>(n - 1, 1)); }),
      row("AtMostTwo", [](auto& x, auto n) { return x.narrow(0, 0, std::min<std::int64_t>(n, 2)) * 2; }),
      row(
          "AnotherNumberForOneRow", [](auto& x, auto n) { return x * double(n == 1 ? 7 : n); }, "at n = 1 the code"),
      row("LastFive",
          [](auto& x, auto n) { return x.narrow(0, std::max<std::int64_t>(n - 5, 0), std::min<std::int64_t>(n, 5)); }),
      row(
          "PaddedToEight", [](auto& x, auto n) { return at::constant_pad_nd(x, {0, 0, 0, (8 - n % 8) % 8}); }, nullptr,
          30),
      row("Table", [](auto& x, auto n) { return x + weight({64, 6}).narrow(0, 0, n); }),
      row("Rotary",
          [](auto& x, auto n) {
            const at::Tensor angle = at::outer(at::arange(n, at::kFloat), at::pow(10000, -at::arange(0, 6, 2) / 6.0));
            return at::cat({angle.cos(), angle.sin()}, 1) * x;
          }),
      row("Sinusoids",
          [](auto& x, auto n) { return x + at::sin(at::arange(n, at::kFloat) * (2 * kPi / double(n))).unsqueeze(1); }),
      row("InPlace",
          [](auto& x, auto n) {
            at::Tensor y = at::zeros({n + 2, 6});
            y.narrow(0, 1, n).copy_(x);
            y.select(0, n + 1).fill_(double(n));
            return y;
          }),
      row("FixedLoop",
          [](auto& x, auto n) {
            at::Tensor y = x;
            for (int i = 0; i < 3; ++i) y = y + double(i * n);
            return y;
          }),
      row(
          "ExampleLikeTheColumns", [](auto& x, auto n) { return x.view({n, 2, 3}).view({n * 3, 2}); }, nullptr, 6),
      row(
          "ExampleOfOne", [](auto& x, auto n) { return x.t().contiguous().view({6 * n}) / n; }, nullptr, 1),
      row(
          "ExampleOfNone", [](auto& x, auto n) { return at::cat({x, at::ones({n + 1, 6})}); }, nullptr, 0),
      row("SliceLikeTheExample", [](auto& x, auto) { return x.slice(0, 0, 4).sum(0); }),
      row(
          "PathBySize", [](auto& x, auto n) { return n > 6 ? x.relu() : x.neg(); }, "another path"),
      row(
          "LoopOverRows",
          [](auto& x, auto n) {
            at::Tensor sum = x.select(0, 0);
            for (std::int64_t i = 1; i < n; ++i) sum = sum + x.select(0, i);
            return sum;
          },
          "another path"),
      row(
          "Pieces", [](auto& x, auto) { return at::cat(x.split(2), 1); }, "another path"),
      row("Alternating", [](auto& x, auto n) { return x * double(n % 2); }),
      row(
          "Bits", [](auto& x, auto n) { return x.view({-1, 6}) + (n ^ 5); }, "argument other"),
      row(
          "Sine", [](auto& x, auto n) { return x * std::sin(double(n)); }, "no arithmetic"),
      row(
          "TowardsZero", [](auto& x, auto n) { return x + (n - 9) / 2; }, "no arithmetic"),
      row(
          "HostsMask",
          [](auto& x, auto n) {
            std::vector<float> mask(static_cast<std::size_t>(n), 1.F);
            mask.back() = 0;
            return x * captured(mask).unsqueeze(1);
          },
          "its elements were computed outside the recording"),
      row(
          "FlagBySize", [](auto& x, auto n) { return at::cumsum(at::dropout(x, 0.5, n > 100), 0).sum(0, n > 6); },
          "only numbers can follow a size"),
  };
}

std::vector<Case> shaped_cases() {
  const at::Tensor tokens = at::rand({2, 5, 4}), image = at::rand({1, 4, 12, 20}), signal = at::rand({1, 3, 17});
  return {
      {"Tokens",
       {tokens},
       kBatchTime,
       [](const Tensors& x) {
         const std::int64_t b = x[0].size(0), t = x[0].size(1);
         return x[0].view({b * t, 4}).mm(weight({4, 3})).view({b, t, 3});
       }},
      {"Heads",
       {tokens},
       kBatchTime,
       [](const Tensors& x) {
         const std::int64_t b = x[0].size(0), t = x[0].size(1);
         const at::Tensor q = x[0].view({b, t, 2, 2}).transpose(1, 2);
         const at::Tensor score = at::matmul(q, q.transpose(2, 3)) / std::sqrt(2.0);
         return at::matmul(score.softmax(-1), q).transpose(1, 2).reshape({b, t, 4});
       }},
      {"TimeFirst",
       {tokens},
       kBatchTime,
       [](const Tensors& x) { return x[0].transpose(0, 1).reshape({x[0].size(1), x[0].size(0) * 4}); }},
      {"ScaleByProduct",
       {tokens},
       kBatchTime,
       [](const Tensors& x) { return x[0].sum() * (1.0 / double(x[0].size(0) * x[0].size(1))); }},
      {"Ratio",
       {tokens},
       kBatchTime,
       [](const Tensors& x) { return x[0] * (double(x[0].size(0)) / double(x[0].size(1))); }},
      {"SumOfSizes",
       {tokens},
       kBatchTime,
       [](const Tensors& x) { return x[0] + (x[0].size(0) + 2 * x[0].size(1) - 3); }},
      {"Smaller",
       {tokens},
       kBatchTime,
       [](const Tensors& x) {
         return x[0].narrow(1, 0, std::min<std::int64_t>(x[0].size(1), 2)) * double(x[0].size(0));
       }},
      {"PositionsOfABatch",
       {tokens},
       kBatchTime,
       [](const Tensors& x) {
         const at::Tensor positions = at::arange(x[0].size(1)).unsqueeze(0).expand({x[0].size(0), x[0].size(1)});
         return x[0] + at::embedding(weight({64, 4}), positions);
       }},
      {"TwoInputs",
       {rows(3), rows(5)},
       {{0, 0, "n"}, {1, 0, "m"}},
       [](const Tensors& x) {
         const at::Tensor both = at::cat({x[0], x[1]});
         return both.narrow(0, x[0].size(0), x[1].size(0)) * double(both.size(0));
       }},
      {"OuterProduct",
       {at::rand({3}), at::rand({5})},
       {{0, 0, "n"}, {1, 0, "m"}},
       [](const Tensors& x) {
         const std::int64_t n = x[0].size(0), m = x[1].size(0);
         return x[0].unsqueeze(1).expand({n, m}) * x[1].unsqueeze(0).expand({n, m});
       }},
      {"SharedSymbol",
       {rows(4), at::rand({6, 4})},
       {{0, 0, "n"}, {1, 1, "n"}},
       [](const Tensors& x) { return at::mm(x[0], x[1]).view({x[0].size(0) * x[1].size(1)}); }},
      {"EqualExamples",
       {at::rand({4, 4})},
       {{0, 0, "n"}, {0, 1, "m"}},
       [](const Tensors& x) { return x[0].reshape({x[0].size(1), x[0].size(0)}); }},
      {"ThreeSymbols",
       {at::rand({2, 3, 4})},
       {{0, 0, "a"}, {0, 1, "b"}, {0, 2, "c"}},
       [](const Tensors& x) {
         return x[0].reshape({x[0].size(0) * x[0].size(2), x[0].size(1)}) / double(x[0].numel());
       }},
      {"Indices",
       {at::randint(0, 5, {7}, at::kLong)},
       {{0, 0, "n"}},
       [](const Tensors& x) { return at::embedding(weight({5, 3}), x[0]) + at::arange(x[0].size(0)).unsqueeze(1); }},
      {"StridedConvolution",
       {signal},
       {{0, 2, "l"}},
       [](const Tensors& x) {
         const at::Tensor y = at::conv1d(x[0], weight({4, 3, 3}), {}, 2, 1);
         return y.view({y.size(1) * y.size(2)});
       }},
      {"ConvolutionsHalf",
       {signal},
       {{0, 2, "l"}},
       [](const Tensors& x) {
         const at::Tensor y = at::conv1d(x[0], weight({4, 3, 5}), {}, 3);
         return y.narrow(2, 0, (y.size(2) + 1) / 2) * double(y.size(2));
       }},
      {"Pooled",
       {image},
       kImage,
       [](const Tensors& x) {
         const at::Tensor y = at::max_pool2d(x[0], 3, 2, 1);
         return y.flatten(2).transpose(1, 2).reshape({1, y.size(2) * y.size(3), 4});
       }},
      {"Upsampled",
       {image},
       kImage,
       [](const Tensors& x) { return at::upsample_nearest2d(x[0], {x[0].size(2) * 2, x[0].size(3) * 2}); }},
      {"Windows",
       {at::rand({1, 8, 12, 3})},
       {{0, 1, "h"}, {0, 2, "w"}},
       [](const Tensors& x) {
         const std::int64_t h = x[0].size(1), w = x[0].size(2);
         return x[0].view({1, h / 4, 4, w / 4, 4, 3}).permute({0, 1, 3, 2, 4, 5}).reshape({h * w / 16, 16, 3});
       }},
      {"SkipConnection",
       {image},
       kImage,
       [](const Tensors& x) {
         const at::Tensor low = at::avg_pool2d(x[0], 2);
         const at::Tensor up = at::upsample_nearest2d(low, {x[0].size(2), x[0].size(3)});
         return at::cat({x[0], up}, 1);
       }},
      {"KernelOfASize",
       {image},
       kImage,
       [](const Tensors& x) { return at::avg_pool2d(x[0], {x[0].size(2), x[0].size(3)}); }},
      {"KernelOfHalfASize",
       {image},
       kImage,
       [](const Tensors& x) { return at::avg_pool2d(x[0], {x[0].size(2) / 2, x[0].size(3)}); }},
      {"PaddedKernelOfHalfASize",
       {image},
       kImage,
       [](const Tensors& x) { return at::avg_pool2d(x[0], {x[0].size(2) / 2, 2}, {2, 2}, {1, 1}); },
       "no padding"},
  };
}

class TraceSizes : public testing::TestWithParam<Case> {};

TEST_P(TraceSizes, EqualOrRefused) {
  const Case& given = GetParam();
  at::manual_seed(3);
  const at::NoGradGuard no_grad;
  if (given.refusal) {
    const auto error = failure([&] {
      const Program program = traced(given, declared(given.axes));
      tonnx::export_program(program, tonnx::Args());
    });
    EXPECT_THAT(error, host::is_error(TONNX_STATUS_UNSUPPORTED, HasSubstr(given.refusal)));
    return;
  }
  given.code(given.inputs);  // creates what the code stores for all runs
  const Program program = traced(given, declared(given.axes));
  const auto model = tonnx::export_program(program, tonnx::Args());
  model.verify(program, tonnx::Args());
  expect_equal_everywhere(given, ModelFile(model));
}

const auto kName = [](const auto& info) { return std::string(info.param.name); };
INSTANTIATE_TEST_SUITE_P(Rows, TraceSizes, testing::ValuesIn(rows_cases()), kName);
INSTANTIATE_TEST_SUITE_P(Shapes, TraceSizes, testing::ValuesIn(shaped_cases()), kName);

const Case kTimesSize = {"", {rows()}, kRows, [](const Tensors& x) { return x[0] * double(x[0].size(0)); }};

TEST(TraceAxes, AnUndeclaredAxisIsRefused) {
  const Program program = traced(kTimesSize, {});
  tonnx::Options options;
  options.dynamic_axis("input", 0, "n");
  const auto error = failure([&] { tonnx::export_program(program, tonnx::Args(), options); });
  EXPECT_THAT(error, host::is_error(TONNX_STATUS_ARGUMENT, AllOf(HasSubstr("was not declared to the trace"),
                                                                 HasSubstr("the trace's option dynamic_axis"))));
}

TEST(TraceAxes, ASingleRunIsTheHostsWord) {
  const Case plain = {"", {rows()}, kRows, [](const Tensors& x) { return x[0] * 3; }};
  const Program program = traced(plain, tonnx::TraceOptions().single_run(true));
  tonnx::Options options;
  options.dynamic_axis("input", 0, "n");
  expect_equal_everywhere(plain, ModelFile(tonnx::export_program(program, tonnx::Args(), options)));
}

TEST(TraceAxes, DeclaredAxesAreDynamicAndMayBeRenamed) {
  const Case pair = {"", {rows(), rows()}, {{0, 0, "n"}, {1, 0, "n"}}, [](const Tensors& x) { return x[0] + x[1]; }};
  const Program program = traced(pair, declared(pair.axes));
  EXPECT_THAT(tonnx::export_program(program, tonnx::Args()).text(), HasSubstr("%input_1 : Float(n, 6)"));
  tonnx::Options options;
  options.dynamic_axis("input_0", 0, "batch");
  const std::string text = tonnx::export_program(program, tonnx::Args(), options).text();
  EXPECT_THAT(text, HasSubstr("%input_0 : Float(batch, 6)"));
  EXPECT_THAT(text, HasSubstr("%input_1 : Float(batch, 6)"));
}

TEST(TraceAxes, ASizeThatStaysSymbolicInOneRun) {
  const Case given = {"", {rows()}, kRows, [](const Tensors& x) { return x[0].sum(0) / x[0].size(0); }};
  const at::Tensor other = at::ones({2});
  const Program program = Program::trace(
      [&](Trace& t) {
        const at::Tensor& x = tensor(t.input(0));
        const at::Tensor y = x.sum(0) / tensor(t.size(&x, -2));
        t.output(&y);
        EXPECT_EQ(failure([&] { t.size(&other, 0); }).status(), TONNX_STATUS_ARGUMENT);
        EXPECT_EQ(failure([&] { t.size(&x, 2); }).status(), TONNX_STATUS_ARGUMENT);
      },
      host::args(given.inputs), tonnx::TraceOptions().dynamic_axis(0, 0, "n").single_run(true));
  expect_equal_everywhere(given, ModelFile(tonnx::export_program(program, tonnx::Args())));
}

TEST(TraceAxes, F2_TheCodeRunsAgainAsOftenAsTheLoopSays) {
  tonnx::Recording recording(host::args({rows()}), tonnx::TraceOptions().dynamic_axis(0, 0, "n").size("n", 11));
  std::vector<std::int64_t> sizes;
  do {
    const at::Tensor& x = tensor(recording.input(0));
    sizes.push_back(x.size(0));
    if (x.size(0) == 2 || x.size(0) == 3) {
      recording.fail("too few");
      continue;
    }
    const at::Tensor y = x * double(x.size(0));
    recording.output(&y);
  } while (recording.next());
  EXPECT_EQ(sizes[0], 4);
  EXPECT_THAT(sizes, testing::Contains(11));
  const Program program = recording.end();
  expect_equal_everywhere(kTimesSize, ModelFile(tonnx::export_program(program, tonnx::Args())));
}

TEST(TraceAxes, ALoopThatEndsTooEarlyIsReported) {
  tonnx::Recording recording(host::args({rows()}), tonnx::TraceOptions().dynamic_axis(0, 0, "n"));
  recording.output(recording.input(0));
  EXPECT_THAT(failure([&] { recording.end(); }), host::is_error(TONNX_STATUS_ARGUMENT, HasSubstr("must run again")));
}

TEST(TraceAxes, TheHostMakesTheInputs) {
  std::vector<std::int64_t> made;
  tonnx::TraceOptions options;
  options.dynamic_axis(0, 0, "n").resize([&](const std::map<std::string, std::int64_t>& sizes) {
    made.push_back(sizes.at("n"));
    return host::args({rows(sizes.at("n"))});
  });
  const Program program = traced(kTimesSize, options);
  EXPECT_FALSE(made.empty());
  expect_equal_everywhere(kTimesSize, ModelFile(tonnx::export_program(program, tonnx::Args())));
  options.resize([](const auto&) -> tonnx::Args { throw std::range_error("too large"); });
  const tonnx::Error error = failure([&] { traced(kTimesSize, options); });
  EXPECT_THAT(error, host::is_error(TONNX_STATUS_CALLBACK, HasSubstr("inputs of other sizes failed: too large")));
  EXPECT_THROW(std::rethrow_exception(error.cause()), std::range_error);
}

TEST(TraceAxes, InputsThatAreNotTheExamplesAreRefused) {
  const auto refusal = [](std::function<tonnx::Args(std::int64_t)> make) {
    tonnx::TraceOptions options;
    options.dynamic_axis(0, 0, "n").size("n", 7).resize([&](const auto& sizes) { return make(sizes.at("n")); });
    const tonnx::Error error = failure([&] { traced(kTimesSize, options); });
    EXPECT_EQ(error.status(), TONNX_STATUS_ARGUMENT);
    return std::string(error.what());
  };
  EXPECT_THAT(refusal([](auto) { return tonnx::Args(); }), HasSubstr("for n = 7 have 0 tensors and numbers"));
  EXPECT_THAT(refusal([](auto n) { return host::args({rows(n), rows(n)}); }), HasSubstr("have 2 tensors"));
  EXPECT_THAT(refusal([](auto n) { return host::args({rows(n + 1)}); }),
              HasSubstr("have 'input' as float32[8,6], which must be float32[7,6]"));
  EXPECT_THAT(refusal([](auto n) { return host::args({rows(n).to(at::kDouble)}); }), HasSubstr("as float64[7,6]"));
  EXPECT_THAT(refusal([](auto n) { return host::args({rows(n).flatten()}); }), HasSubstr("as float32[42]"));
  EXPECT_THAT(refusal([](auto n) {
                const at::Tensor x = rows(n);
                tonnx::Args args;
                args.key("x").add(tonnx::Tensor::from_torch(&x));
                return args;
              }),
              HasSubstr("instead of 'input'"));
}

TEST(VerifySizes, ATraceIsVerifiedAtSizesItRanAt) {
  const Program program = traced(kTimesSize, tonnx::TraceOptions().dynamic_axis(0, 0, "n").size("n", 8));
  const auto model = tonnx::export_program(program, tonnx::Args());
  EXPECT_TRUE(model.verify(program, tonnx::Args(), tonnx::VerifyOptions().size("n", 8)).empty());
  const auto refusal = [&](const char* symbol, std::int64_t size) {
    return failure([&] { model.verify(program, tonnx::Args(), tonnx::VerifyOptions().size(symbol, size)); });
  };
  EXPECT_THAT(refusal("n", 1000),
              host::is_error(TONNX_STATUS_ARGUMENT, HasSubstr("the trace was not run at these sizes but at n = 4")));
  EXPECT_THAT(refusal("m", 8), host::is_error(TONNX_STATUS_ARGUMENT,
                                              HasSubstr("no input of the model has a dynamic axis with this symbol")));
}

tonnx::Options dynamic_x() {
  tonnx::Options options;
  options.dynamic_axis("x", 0, "n");
  return options;
}

TEST(VerifySizes, AnArchiveIsRunAtAnotherSize) {
  const auto args = host::args({rows()});
  const Program program = host::program("x * x.size(0)");
  const auto model = tonnx::export_program(program, args, dynamic_x());
  EXPECT_TRUE(model.verify(program, args, tonnx::VerifyOptions()).empty());
  EXPECT_TRUE(model.verify(program, args, tonnx::VerifyOptions().size("n", 9)).empty());
}

TEST(VerifySizes, AModelThatIsWrongAtAnotherSizeIsFound) {
  const auto args = host::args({rows()});
  const Program right = host::program("x * x.size(0)");
  const Program wrong = host::program("x * 4");
  const auto model = tonnx::export_program(wrong, args, dynamic_x());
  const auto error = failure([&] { model.verify(right, args, tonnx::VerifyOptions().size("n", 9)); });
  EXPECT_THAT(error, host::is_error(TONNX_STATUS_VERIFICATION, HasSubstr("at n = 9")));
  EXPECT_EQ(failure([&] { model.verify(right, args); }).status(), TONNX_STATUS_VERIFICATION);
}

TEST(VerifySizes, InputsThatDoNotFitTheModelAreNamed) {
  const Program program = host::program("x + 1");
  const auto said = [&](const tonnx::Model& model, const at::Tensor& x) -> std::string {
    const auto error = failure([&] { model.verify(program, host::args({x})); });
    EXPECT_EQ(error.status(), TONNX_STATUS_ARGUMENT);
    EXPECT_EQ(error.class_name(), "ArgumentError");
    return error.what();
  };
  const auto fixed = tonnx::export_program(program, host::args({rows()}));
  EXPECT_THAT(said(fixed, at::ones({3, 6})), HasSubstr("input 'x' is float32[3, 6], the model takes float32[4, 6]; "));
  EXPECT_THAT(said(fixed, at::ones({4, 6, 1})), HasSubstr("is float32[4, 6, 1], the model takes float32[4, 6]"));
  EXPECT_THAT(said(fixed, at::ones({4, 6}, at::kDouble)), HasSubstr("is float64[4, 6], the model takes float32[4, 6]"));
  const auto open = tonnx::export_program(program, host::args({rows()}), dynamic_x());
  EXPECT_THAT(said(open, at::ones({3, 5})), HasSubstr("is float32[3, 5], the model takes float32[n, 6]"));
  open.verify(program, host::args({at::ones({3, 6})}));
}

TEST(VerifySizes, MultiplesAreTriedAndSizesThatCannotRunAreReported) {
  const auto args = host::args({rows()});
  const Program pairs = host::program("x.view(-1, 4, 6).sum(1)");
  EXPECT_TRUE(tonnx::export_program(pairs, args, dynamic_x()).verify(pairs, args, tonnx::VerifyOptions()).empty());
  const Program fixed = host::program("x + torch.ones(4, 6)");
  const auto model = tonnx::export_program(host::program("x + 1"), args, dynamic_x());
  const auto warnings = model.verify(fixed, args, tonnx::VerifyOptions());
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], HasSubstr("the program does not run at the other sizes tried; at n = "));
  EXPECT_EQ(failure([&] { model.verify(fixed, args); }).status(), TONNX_STATUS_VERIFICATION);
  EXPECT_EQ(failure([&] { model.verify(fixed, args, tonnx::VerifyOptions().size("n", 7)); }).status(),
            TONNX_STATUS_ARGUMENT);
}

}  // namespace
