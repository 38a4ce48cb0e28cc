#include <functional>
#include <stdexcept>

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "export/other_values.h"
#include "export/trace_sizes.h"
#include "ir/error.h"
#include "ir/printer.h"
#include "torch/graph_run.h"
#include "torch/recording.h"

namespace tonnx::exporting {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::Le;
using ::testing::Not;

using Code = std::function<at::Tensor(const std::vector<at::Tensor>&)>;

ir::Constant example(std::vector<std::int64_t> dims) {
  std::int64_t count = 1;
  for (const std::int64_t d : dims) count *= d;
  std::vector<float> data(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i) / 7 - 1;
  return {ir::Tensor::from_bytes(ir::DType::Float32, std::move(dims), data.data(), data.size() * sizeof(float))};
}

std::vector<ir::Tensor> run(const ir::Graph& program, const std::vector<ir::Tensor>& inputs) {
  return torch::run_graph(program, inputs);
}

// Like the loop of an export.
TracedProgram traced(const Code& code, const ir::Arguments& arguments, const TraceOptions& options) {
  TraceSizes sizes(arguments, options, run);
  while (!sizes.done()) {
    torch::Recording recording(sizes.arguments());
    if (const auto rising = sizes.sketch()) recording.sketch(*rising);
    try {
      std::vector<at::Tensor> inputs;
      for (void* input : recording.inputs()) inputs.push_back(*static_cast<at::Tensor*>(input));
      const at::Tensor out = code(inputs);
      recording.add_output(&out);
    } catch (const std::exception& error) {
      sizes.fail(std::string(error.what()).substr(0, 40));
      continue;
    }
    sizes.add(recording.end({.replay = sizes.is_example()}));
  }
  return sizes.take();
}

TraceOptions rows() {
  TraceOptions options;
  options.dynamic_axes = {{0, 0, "n"}};
  return options;
}

std::vector<std::int64_t> sizes_run(const TracedProgram& program, std::size_t symbol = 0) {
  std::vector<std::int64_t> sizes;
  for (const auto& run : program.runs) sizes.push_back(run.sizes[symbol]);
  return sizes;
}

std::string refused(const Code& code, const ir::Arguments& arguments, const TraceOptions& options, ir::Code kind) {
  try {
    const TracedProgram program = traced(code, arguments, options);
    ADD_FAILURE() << ir::print(*program.program.graph);
  } catch (const ir::Error& error) {
    EXPECT_EQ(error.code(), kind) << error.what();
    return error.what();
  }
  return {};
}

TEST(TraceSizes, WithoutAxesAndOtherValuesTheCodeRunsOnce) {
  int runs = 0;
  TraceOptions options;
  options.other_values = false;
  const TracedProgram program =
      traced([&](const auto& x) { return ++runs, x[0] * double(x[0].size(0)); }, {{example({4, 3})}, {}}, options);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(program.runs.size(), 1u);
  EXPECT_TRUE(program.ranges.empty());
  EXPECT_FALSE(program.program.graph->block().last()->output()->facts().has_rank());
}

TEST(TraceSizes, ASizeBecomesArithmetic) {
  const TracedProgram program =
      traced([](const auto& x) { return x[0] * double(x[0].size(0)); }, {{example({4, 3})}, {}}, rows());
  EXPECT_THAT(ir::print(*program.program.graph), HasSubstr("aten::size"));
  EXPECT_THAT(sizes_run(program), AllOf(Contains(4), Not(Contains(3))));
  EXPECT_EQ(program.program.inputs[0].dims[0], 4);
  for (const auto& run : program.runs) {
    EXPECT_EQ(run.inputs[0].dims, (std::vector<std::int64_t>{run.sizes[0], 3}));
    EXPECT_EQ(run.outputs[0].dims, run.inputs[0].dims);
    EXPECT_FLOAT_EQ(run.inputs[0].as_double(0) * static_cast<double>(run.sizes[0]), run.outputs[0].as_double(0));
  }
}

std::vector<std::int64_t> sizes_tried(const TraceOptions& options, std::int64_t example_rows,
                                      std::int64_t columns = 3) {
  std::vector<std::int64_t> sizes;
  traced([&](const auto& x) { return sizes.push_back(x[0].size(0)), x[0] * 2; },
         {{example({example_rows, columns})}, {}}, options);
  return sizes;
}

TEST(TraceSizes, SizesAreSpreadUpToABound) {
  EXPECT_THAT(sizes_tried(rows(), 4), AllOf(Contains(64), Contains(1023), Contains(4096), Each(Le(4096))));
  TraceOptions options = rows();
  options.largest_size = 50;
  EXPECT_THAT(sizes_tried(options, 20), AllOf(Contains(50), Contains(3), Each(Le(50))));
  options.largest_size = 1;
  EXPECT_THAT(sizes_tried(options, 4), Each(Le(30)));
  EXPECT_THAT(sizes_tried(rows(), 224), AllOf(Contains(1023), Contains(32), Contains(2)));
}

TEST(TraceSizes, CostlyRunsAreLeftOut) {
  EXPECT_THAT(sizes_tried(rows(), 4, 1 << 19), Each(Le(30)));
  EXPECT_THAT(sizes_tried(rows(), 4, 1 << 14), AllOf(Contains(64), Each(Le(300))));
}

TEST(TraceSizes, TheRangeIsThatOfTheRuns) {
  const auto range = [](const Code& code, const TraceOptions& options) {
    const TracedProgram program = traced(code, {{example({4, 3})}, {}}, options);
    EXPECT_EQ(program.ranges.size(), 1u);
    return std::pair(program.ranges.at(0).min, program.ranges.at(0).max);
  };
  EXPECT_EQ(range([](const auto& x) { return x[0].relu(); }, rows()), std::pair(std::int64_t{1}, std::int64_t{4096}));
  const at::Tensor table = at::ones({64, 3});
  EXPECT_EQ(range([&](const auto& x) { return x[0] + table.narrow(0, 0, x[0].size(0)); }, rows()),
            std::pair(std::int64_t{1}, std::int64_t{64}));
}

TEST(TraceSizes, AnotherPathFarFromTheExampleIsRefused) {
  const auto code = [](const auto& x) { return x[0].size(0) > 500 ? x[0].relu() : x[0].neg(); };
  EXPECT_THAT(refused(code, {{example({4, 3})}, {}}, rows(), ir::Code::Unsupported),
              AllOf(HasSubstr("aten::neg"), HasSubstr("where aten::relu"), HasSubstr("runs at n = 1000"),
                    HasSubstr("option largest_size")));
  TraceOptions options = rows();
  options.largest_size = 500;
  EXPECT_EQ(traced(code, {{example({4, 3})}, {}}, options).ranges.at(0).max, 500);
}

TEST(TraceSizes, AllSymbolsAreRaisedTogether) {
  TraceOptions options;
  options.dynamic_axes = {{0, 0, "n"}, {0, 1, "m"}};
  options.largest_size = 64;
  const auto code = [](const auto& x) { return x[0].size(0) * x[0].size(1) > 2000 ? x[0].relu() : x[0].neg(); };
  EXPECT_THAT(refused(code, {{example({4, 3})}, {}}, options, ir::Code::Unsupported),
              AllOf(HasSubstr("where aten::relu"), HasSubstr("n = 64"), HasSubstr("m = 64")));
  // Code that does not run there is asked at smaller sizes.
  std::vector<std::int64_t> run;
  const auto limited = [&](const auto& x) {
    const std::int64_t count = x[0].size(0) * x[0].size(1);
    if (count > 2000) throw std::runtime_error("too many");
    run.push_back(count);
    return x[0].relu();
  };
  traced(limited, {{example({4, 3})}, {}}, options);
  EXPECT_THAT(run, Contains(Gt(64 * 4)));
}

TEST(TraceSizes, TheHostNeedNotMakeFarInputs) {
  TraceOptions options = rows();
  options.resize = [](const std::map<std::string, std::int64_t>& sizes) {
    if (sizes.at("n") > 100) throw std::runtime_error("too large");
    return ir::Arguments{{example({sizes.at("n"), 3})}, {}};
  };
  EXPECT_EQ(traced([](const auto& x) { return x[0].relu(); }, {{example({4, 3})}, {}}, options).ranges.at(0).max, 100);
}

TEST(TraceSizes, TheCallersSizesAreAmongThoseRun) {
  TraceOptions options = rows();
  options.sizes["n"] = {8, 16};
  EXPECT_THAT(sizes_run(traced([](const auto& x) { return x[0].relu(); }, {{example({4, 3})}, {}}, options)),
              AllOf(Contains(8), Contains(16)));
  EXPECT_THAT(refused([](const auto& x) { return x[0].view({-1, 4, 3}); }, {{example({4, 3})}, {}},
                      [] {
                        TraceOptions options = rows();
                        options.sizes["n"] = {7};
                        return options;
                      }(),
                      ir::Code::Program),
              HasSubstr("at n = 7: "));
}

TEST(TraceSizes, CodeThatWantsMultiples) {
  const TracedProgram program =
      traced([](const auto& x) { return x[0].view({-1, 8, 3}).sum(1); }, {{example({24, 3})}, {}}, rows());
  for (const std::int64_t size : sizes_run(program)) EXPECT_EQ(size % 8, 0);
  const TracedProgram tall =
      traced([](const auto& x) { return x[0].view({x[0].size(0) / 6, 6, 3}).sum(1); }, {{example({6, 3})}, {}}, rows());
  for (const std::int64_t size : sizes_run(tall)) EXPECT_EQ(size % 6, 0);
}

TEST(TraceSizes, CodeThatRunsUpToALimit) {
  const at::Tensor table = at::ones({16, 3});
  const TracedProgram program =
      traced([&](const auto& x) { return x[0] + table.narrow(0, 0, x[0].size(0)); }, {{example({16, 3})}, {}}, rows());
  for (const std::int64_t size : sizes_run(program)) EXPECT_LE(size, 16);
}

TEST(TraceSizes, CodeThatRunsAtOneSizeAlone) {
  EXPECT_THAT(
      refused([](const auto& x) { return x[0].view({4, 3}); }, {{example({4, 3})}, {}}, rows(), ir::Code::Program),
      AllOf(HasSubstr("the code runs at n = 4 but not at other sizes: at n = "), HasSubstr("leave the axis fixed"),
            Not(HasSubstr("the same symbol"))));
}

TEST(TraceSizes, AxesOfOneSizeWantOneName) {
  TraceOptions options;
  options.dynamic_axes = {{0, 0, "a"}, {1, 0, "b"}};
  EXPECT_THAT(refused([](const auto& x) { return x[0] + x[1]; }, {{example({4, 3}), example({4, 3})}, {}}, options,
                      ir::Code::Program),
              HasSubstr("; use the same symbol for axes that must have the same size, leave"));
}

TEST(TraceSizes, TheSymbolThatCannotVaryIsFound) {
  TraceOptions options;
  options.dynamic_axes = {{0, 0, "n"}, {0, 1, "m"}};
  const auto code = [](const auto& x) { return x[0].view({x[0].size(0), -1, 4}) * double(x[0].size(0)); };
  const TracedProgram program = traced(code, {{example({5, 8})}, {}}, options);
  for (const std::int64_t size : sizes_run(program, 1)) EXPECT_EQ(size % 4, 0);
}

TEST(TraceSizes, AnAxisThatTheCodeFixesStaysFixedWhereThatIsAllowed) {
  TraceOptions options = rows();
  options.dynamic_axes.push_back({0, 1, "m"});
  options.allow_fixed_axes = true;
  const auto fixed = [&](const Code& code) {
    const TracedProgram program = traced(code, {{example({4, 6})}, {}}, options);
    std::string text;
    for (const InputAxis& axis : program.axes) text += axis.symbol + " is open; ";
    for (const InputAxis& axis : program.fixed) text += axis.symbol + " is fixed; ";
    EXPECT_EQ(program.program.warnings.size(), program.fixed.size());
    return text;
  };
  EXPECT_EQ(fixed([](const auto& x) { return x[0] + at::ones({4, 1}); }), "m is open; n is fixed; ");
  EXPECT_EQ(fixed([](const auto& x) { return x[0] + at::ones({1, 6}); }), "n is open; m is fixed; ");
  EXPECT_EQ(fixed([](const auto& x) { return x[0] + at::ones({4, 6}); }), "n is fixed; m is fixed; ");
  // Takes another path at other sizes.
  const auto steps = [](std::int64_t axis) {
    return [axis](const auto& x) {
      at::Tensor y = x[0];
      for (std::int64_t i = 0; i < x[0].size(axis); ++i) y = y.relu() + 1;
      return y;
    };
  };
  EXPECT_EQ(fixed(steps(0)), "m is open; n is fixed; ");
  EXPECT_EQ(fixed(steps(1)), "n is open; m is fixed; ");
  EXPECT_EQ(fixed([&](const auto& x) { return steps(0)(x) + steps(1)(x); }), "n is fixed; m is fixed; ");
}

TEST(TraceSizes, SizesAtWhichTheCodeFailsOfItsOwnAccordAreReported) {
  const auto warnings = [](const Code& code) { return traced(code, {{example({8, 3})}, {}}, rows()).program.warnings; };
  const auto even = [](const auto& x) {
    if (x[0].size(0) % 2 == 1) throw std::runtime_error("must be even");
    return x[0].relu();
  };
  EXPECT_THAT(warnings(even), ElementsAre(AllOf(HasSubstr("the code fails at n = "), HasSubstr("(must be even)"))));
  EXPECT_THAT(warnings([](const auto& x) { return x[0].relu(); }), ElementsAre());
  // A failure of an operator is found by the export.
  EXPECT_THAT(warnings([](const auto& x) { return x[0].view({-1, 2, 3}); }), ElementsAre());
}

TEST(TraceSizes, InputsOfOneSymbolVaryTogether) {
  TraceOptions options;
  options.dynamic_axes = {{0, 0, "n"}, {1, -1, "n"}};
  const TracedProgram program =
      traced([](const auto& x) { return x[0] + x[1].t(); }, {{example({4, 3}), example({3, 4})}, {}}, options);
  for (const auto& run : program.runs) EXPECT_EQ(run.inputs[0].dims[0], run.inputs[1].dims[1]);
}

TEST(TraceSizes, TheHostMakesTheInputs) {
  TraceOptions options = rows();
  std::vector<std::int64_t> asked;
  options.resize = [&](const std::map<std::string, std::int64_t>& sizes) {
    asked.push_back(sizes.at("n"));
    return ir::Arguments{{example({sizes.at("n"), 3})}, {}};
  };
  const TracedProgram program = traced([](const auto& x) { return x[0].relu(); }, {{example({4, 3})}, {}}, options);
  ASSERT_GT(program.runs.size(), 1u);
  for (std::size_t i = 1; i < program.runs.size(); ++i) EXPECT_THAT(asked, Contains(program.runs[i].sizes[0]));
  options.resize = [&](const std::map<std::string, std::int64_t>& sizes) {
    return ir::Arguments{{example({sizes.at("n") + 1, 3})}, {}};
  };
  EXPECT_THAT(refused([](const auto& x) { return x[0].relu(); }, {{example({4, 3})}, {}}, options, ir::Code::Argument),
              HasSubstr("have 'input' as float32["));
}

TEST(TraceSizes, ANumberThatIsAnotherAtOneIsRefused) {
  const auto code = [](const auto& x) { return x[0].sum(0) / double(x[0].size(0) == 1 ? 7 : x[0].size(0)); };
  EXPECT_THAT(refused(code, {{example({4, 3})}, {}}, rows(), ir::Code::Unsupported),
              AllOf(HasSubstr("at n = 1 the code takes another path"), HasSubstr("3 of 3 elements differ")));
}

TEST(TraceSizes, TheCallersSizeZeroShowsTheResult) {
  TraceOptions options = rows();
  options.sizes["n"] = {0, 8};
  const ir::Arguments arguments{{example({4, 3})}, {}};
  const auto guarded = [](const auto& x) { return x[0].size(0) == 0 ? x[0].clone() : x[0] * 2; };
  EXPECT_THAT(sizes_run(traced(guarded, arguments, options)), AllOf(Contains(0), Contains(8)));
  const auto mean = [](const auto& x) { return x[0].size(0) == 0 ? at::zeros({3}) : x[0].mean(0); };
  EXPECT_THAT(refused(mean, arguments, options, ir::Code::Unsupported),
              AllOf(HasSubstr("at n = 0 the code takes another path"), HasSubstr("3 of 3 elements differ")));
  EXPECT_THAT(sizes_run(traced(mean, arguments, rows())), Not(Contains(0)));
  const auto first = [](const auto& x) { return x[0].select(0, 0); };
  EXPECT_THAT(refused(first, arguments, options, ir::Code::Program), HasSubstr("at n = 0: "));
}

TEST(TraceSizes, ARunThatWantsItsResultsIsComputed) {
  const at::Tensor weight = at::ones({3, 2});
  int computed = 0, refused = 0;
  const auto code = [&](const auto& x) {
    const at::Tensor y = (x[0] + 8).mm(weight);
    if (*y.template const_data_ptr<float>() < 0 && ++refused) throw std::runtime_error("nothing");
    return ++computed, y * double(x[0].size(0));
  };
  TraceOptions options = rows();
  const TracedProgram program = traced(code, {{example({4, 3})}, {}}, options);
  EXPECT_EQ(refused, 1);
  EXPECT_GE(computed, 7);
  for (const auto& run : program.runs) EXPECT_GT(run.outputs[0].as_double(0), 0);
}

// Products of real numbers are nearly equal in all runs.
TEST(TraceSizes, WhatFollowsAnElementOfAProductIsRefused) {
  const at::Tensor weight = at::ones({3, 2});
  const auto sign = [&](const auto& x) {
    const at::Tensor y = (x[0] + 8).mm(weight);
    return *y.template const_data_ptr<float>() > 0 ? y * 2 : y;
  };
  const auto place = [&](const auto& x) {
    const at::Tensor y = (x[0] * 0.001).mm(weight) + at::arange(2), first = y.argmax(1);
    return *first.template const_data_ptr<std::int64_t>() == 1 ? y * 2 : y;
  };
  for (const Code& code : {Code(sign), Code(place)})
    EXPECT_THAT(refused(code, {{example({4, 3})}, {}}, rows(), ir::Code::Unsupported),
                HasSubstr("read elements of a tensor"));
}

TEST(TraceSizes, WeightsThatARunWritesAreRefused) {
  at::Tensor mean = at::zeros({3});
  const auto code = [&](const auto& x) {
    mean.add_(x[0].mean(0));
    return x[0] - mean;
  };
  EXPECT_THAT(
      refused(code, {{example({4, 3})}, {}}, rows(), ir::Code::Unsupported),
      AllOf(HasSubstr("weight 'constant_0' has different elements"), HasSubstr("behaves differently in each run")));
  TraceOptions options = rows();
  options.other_values = false;
  EXPECT_THAT(refused(code, {{example({4, 3})}, {}}, options, ir::Code::Unsupported),
              HasSubstr("weight 'constant_0' differs at n = "));
}

TEST(TraceValues, CodeThatReadsElementsIsRefused) {
  TraceOptions options;
  options.other_values = true;
  int runs = 0;
  const auto code = [&](const auto& x) { return ++runs, x[0] * x[0].template data_ptr<float>()[0]; };
  EXPECT_THAT(refused(code, {{example({4, 3})}, {}}, options, ir::Code::Unsupported),
              AllOf(HasSubstr("aten::mul"), HasSubstr("is -1., and "), HasSubstr("read elements of a tensor")));
  EXPECT_EQ(runs, 3);
  options.other_values = false;
  EXPECT_EQ(traced(code, {{example({4, 3})}, {}}, options).runs.size(), 1u);
  EXPECT_THAT(refused(code, {{example({4, 3})}, {}}, rows(), ir::Code::Unsupported),
              HasSubstr("read elements of a tensor"));
}

TEST(TraceValues, SizesOfDataAreWarnedOfUnlessTheyVary) {
  const auto code = [](const auto& x) { return (x[0] > 0).nonzero(); };
  TraceOptions options;
  EXPECT_THAT(traced(code, {{example({4, 3})}, {}}, options).program.warnings,
              ElementsAre(AllOf(HasSubstr("the result of aten::nonzero (operator 2"), HasSubstr("here 4x2"),
                                HasSubstr("other_values"))));
  options.other_values = true;
  EXPECT_THAT(traced(code, {{example({4, 3})}, {}}, options).program.warnings, ElementsAre());
  const auto positive = [](const auto& x) { return (x[0] > -1e9).nonzero(); };  // all elements, whatever their values
  EXPECT_THAT(traced(positive, {{example({4, 3})}, {}}, options).program.warnings, ElementsAre(HasSubstr("here 12x2")));
}

TEST(TraceValues, CodeThatNeedsItsValuesIsReported) {
  TraceOptions options;
  options.other_values = true;
  const auto code = [](const auto& x) {
    if (x[0].template data_ptr<float>()[0] != -1) throw std::runtime_error("not so");
    return x[0] * 2;
  };
  EXPECT_THAT(traced(code, {{example({4, 3})}, {}}, options).program.warnings,
              Contains(AllOf(HasSubstr("runs only on the example's values"), HasSubstr("not so"))));
}

TEST(TraceValues, WhereIntegersCannotChangeFloatsDo) {
  TraceOptions options;
  options.other_values = true;
  const std::vector<std::int64_t> indices = {2, 0, 1};
  const ir::Arguments arguments{{example({4, 3}), ir::Constant{ir::Tensor::of_int64(indices)}}, {}};
  const auto sorted = [](const auto& x) {
    if (x[1].template data_ptr<std::int64_t>()[0] != 2) throw std::runtime_error("not so");
    return x[0] * x[1];
  };
  EXPECT_THAT(traced(sorted, arguments, options).program.warnings, ElementsAre());
  const auto reads = [&](const auto& x) { return sorted(x) + x[0].template data_ptr<float>()[0]; };
  EXPECT_THAT(refused(reads, arguments, options, ir::Code::Unsupported), HasSubstr("argument other: is -1., and "));
}

TEST(OtherValues, KeepDtypeDimsStridesAndRange) {
  ir::Tensor strided = *example({2, 3}).get<ir::Tensor>();
  strided.dims = {3, 2};
  strided.strides = {1, 3};
  const std::vector<std::int64_t> ones = {1, 1}, some = {4, 0, 9};
  const ir::Tensor zeros = ir::Tensor::scalar(ir::DType::Float32, 0.0), flag = ir::Tensor::scalar(ir::DType::Bool, 1.0);
  const ir::Tensor none = ir::Tensor::from_bytes(ir::DType::Float32, {0, 2}, nullptr, 0);
  const std::vector<ir::Tensor> before = {strided, ir::Tensor::of_int64(ones), ir::Tensor::of_int64(some), zeros, flag,
                                          none};
  const std::vector<ir::Tensor> after = other_values(before, Values::All);
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(after[i].dtype, before[i].dtype);
    EXPECT_EQ(after[i].dims, before[i].dims);
    EXPECT_EQ(after[i].strides, before[i].strides);
    EXPECT_EQ(after[i].equals(before[i]), before[i].numel() == 0) << i;
  }
  for (std::int64_t i = 0; i < 6; ++i) EXPECT_NE(after[0].as_double(i), strided.as_double(i));
  EXPECT_THAT(after[2].to_int64s(), testing::UnorderedElementsAre(0, 4, 9));
  EXPECT_TRUE(other_values(before, Values::Floating)[1].equals(before[1]));
}

TEST(TraceSizes, AxesThatAreNone) {
  const auto argument = [](std::vector<TraceAxis> axes, std::map<std::string, std::vector<std::int64_t>> sizes = {}) {
    TraceOptions options;
    options.dynamic_axes = std::move(axes);
    options.sizes = std::move(sizes);
    try {
      TraceSizes({{example({4, 3}), example({5})}, {}}, options, run);
    } catch (const ir::Error& error) {
      EXPECT_EQ(error.code(), ir::Code::Argument);
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(argument({{2, 0, "n"}}), HasSubstr("have only 2 tensors"));
  EXPECT_THAT(argument({{0, 2, "n"}}), HasSubstr("out of range"));
  EXPECT_THAT(argument({{0, 0, "n"}, {0, -2, "m"}}), HasSubstr("specified twice"));
  EXPECT_THAT(argument({{0, 0, "n"}, {1, 0, "n"}}), HasSubstr("'n' is 4 in one input but 5 in 'input_1'"));
  EXPECT_THAT(argument({{0, 0, "n"}}, {{"m", {3}}}), HasSubstr("'m': no dynamic axis has this symbol"));
  EXPECT_THAT(argument({{0, 0, "n"}}, {{"n", {-1}}}), HasSubstr("is negative"));
  EXPECT_EQ(argument({{0, 0, "n"}, {1, 0, ""}}), "");
}

TEST(Resize, SlicesAreRepeated) {
  const ir::Tensor rows = *example({2, 2}).get<ir::Tensor>();
  EXPECT_EQ(resized(rows, 0, 3).dims, (std::vector<std::int64_t>{3, 2}));
  EXPECT_EQ(resized(rows, 0, 3).as_double(4), rows.as_double(0));
  EXPECT_EQ(resized(rows, 1, 3).as_double(2), rows.as_double(0));
  EXPECT_EQ(resized(rows, 1, 3).as_double(3), rows.as_double(2));
  // Products of fractions differ slightly, so that no two are equal.
  const float fractions[] = {0.5F, -1.5F, 3};
  const ir::Tensor repeated =
      resized(ir::Tensor::from_bytes(ir::DType::Float32, {3}, fractions, sizeof fractions), 0, 6);
  EXPECT_LT(repeated.as_double(3), 0.5);
  EXPECT_NEAR(repeated.as_double(3), 0.5, 0.01);
  EXPECT_GT(repeated.as_double(4), -1.5);
  EXPECT_EQ(repeated.as_double(5), 3);
  EXPECT_EQ(resized(rows, 1, 1).to_doubles(), (std::vector<double>{rows.as_double(0), rows.as_double(2)}));
  const ir::Tensor none = ir::Tensor::from_bytes(ir::DType::Float32, {0, 2}, nullptr, 0);
  EXPECT_THAT(resized(none, 0, 2).to_doubles(), ElementsAre(0, 0, 0, 0));
}

}  // namespace
}  // namespace tonnx::exporting
