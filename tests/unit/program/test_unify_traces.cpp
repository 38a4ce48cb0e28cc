#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph_text.h"
#include "ir/error.h"
#include "program/traces/choose_sizes.h"
#include "program/traces/unify_traces.h"

namespace tonnx::program {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Sizes = std::vector<std::int64_t>;

// Host code: returns the program that it records at these sizes, as text.
using Code = std::function<std::string(const Sizes&)>;

std::string s(std::int64_t value) { return std::to_string(value); }

struct Symbols {
  std::vector<std::string> names = {"n"};
  Sizes example = {4};
  std::vector<InputAxis> axes = {{0, 0, "n"}};
};

// Records the code at more sizes as long as the unifier needs them.
std::unique_ptr<ir::Graph> unified(const Code& code, const Symbols& symbols = {}) {
  constexpr std::size_t kMostRuns = 10;
  const std::size_t count = symbols.names.size();
  ChosenSizes chosen{{symbols.example}, Sizes(count, 1), std::vector<Sizes>(count), {}};
  while (chosen.runs.size() < 4) chosen.runs.push_back(choose_sizes(chosen));
  for (;;) {
    std::vector<std::unique_ptr<ir::Graph>> graphs;
    TracedRuns runs{{}, symbols.names, chosen.runs, symbols.axes, chosen.multiples, chosen.refused};
    for (const Sizes& sizes : chosen.runs) {
      graphs.push_back(test::parse(code(sizes)));
      runs.graphs.push_back(graphs.back().get());
    }
    UnifiedTrace out = unify_traces(runs, chosen.runs.size() < kMostRuns);
    if (out.graph) {
      verify(*out.graph, "unify_traces");
      return std::move(out.graph);
    }
    chosen.runs.push_back(choose_sizes(chosen, out.wanted));
  }
}

std::string text(const Code& code, const Symbols& symbols = {}) { return test::show(*unified(code, symbols)); }

std::string refused(const Code& code, const Symbols& symbols = {}) {
  try {
    const auto graph = unified(code, symbols);
    ADD_FAILURE() << "not refused: " << test::show(*graph);
  } catch (const ir::Error& error) {
    EXPECT_EQ(error.code(), ir::Code::Unsupported);
    return error.what();
  }
  return {};
}

std::string on_rows(std::int64_t n, const std::string& body) {
  return "graph(%x : Float(" + s(n) + ", 3))\n" + body + "\nreturn %y";
}

TEST(UnifyTraces, WhatDoesNotDifferStays) {
  EXPECT_EQ(text([](const Sizes& z) { return on_rows(z[0], "%y = aten::view(%x, [3, -1])"); }),
            "%1 = aten::view(%x, [3, -1])\nreturn %1\n");
}

TEST(UnifyTraces, ScalarsAndItemsOfLists) {
  EXPECT_EQ(
      text([](const Sizes& z) { return on_rows(z[0], "%y = aten::slice.Tensor(%x, 0, 0, " + s(z[0] - 1) + ", 1)"); }),
      "%1 = aten::size(%x, 0)\n%2 = aten::add(%1, -1)\n%3 = aten::slice(%x, 0, 0, %2, 1)\nreturn %3\n");
  EXPECT_EQ(text([](const Sizes& z) {
              return on_rows(z[0],
                             "%a = aten::view(%x, [" + s(3 * z[0]) + "])\n%y = aten::view(%a, [" + s(z[0]) + ", 3])");
            }),
            "%1 = aten::size(%x, 0)\n%2 = aten::mul(3, %1)\n%3 = prim::ListConstruct(%2)\n%4 = aten::view(%x, %3)\n"
            "%5 = prim::ListConstruct(%1, 3)\n%6 = aten::view(%4, %5)\nreturn %6\n");
  // A list whose items the importer does not fold.
  EXPECT_EQ(text([](const Sizes& z) {
              return on_rows(z[0], "%l : int[] = prim::ListConstruct(" + s(z[0]) + ", 3)\n%y = aten::expand(%x, %l)");
            }),
            "%1 = aten::size(%x, 0)\n%2 = prim::ListConstruct(%1, 3)\n%3 = aten::expand(%x, %2, False)\nreturn %3\n");
}

TEST(UnifyTraces, Floats) {
  EXPECT_EQ(text([](const Sizes& z) { return on_rows(z[0], "%y = aten::mul.Scalar(%x, " + s(z[0]) + ".0)"); }),
            "%1 = aten::size(%x, 0)\n%2 = aten::Float(%1)\n%3 = aten::mul(%x, %2)\nreturn %3\n");
  EXPECT_EQ(
      text([](const Sizes& z) {
        char number[64];
        std::snprintf(number, sizeof number, "%.17g", 1.0 / static_cast<double>(z[0]));
        return on_rows(z[0], "%y = aten::mul.Scalar(%x, " + std::string(number) + ")");
      }),
      "%1 = aten::size(%x, 0)\n%2 = aten::Float(%1)\n%3 = aten::div(1., %2)\n%4 = aten::mul(%x, %3)\nreturn %4\n");
}

TEST(UnifyTraces, CapturedNumbers) {
  EXPECT_EQ(
      text([](const Sizes& z) { return on_rows(z[0], "%y = aten::add.Tensor(%x, tensor(" + s(z[0] + 2) + "), 1)"); }),
      "%1 = aten::size(%x, 0)\n%2 = aten::add(%1, 2)\n%3 = aten::tensor(%2, 4, None, False)\n"
      "%4 = aten::add(%x, %3, 1)\nreturn %4\n");
  EXPECT_EQ(
      text([](const Sizes& z) { return on_rows(z[0], "%y = aten::add.Tensor(%x, tensor(" + s(z[0]) + ".5), 1)"); }),
      "%1 = aten::size(%x, 0)\n%2 = aten::Float(%1)\n%3 = aten::mul(1., %2)\n%4 = aten::add(%3, 0.5)\n"
      "%5 = aten::tensor(%4, 7, None, False)\n%6 = aten::add(%x, %5, 1)\nreturn %6\n");
  EXPECT_EQ(text([](const Sizes& z) {
              return on_rows(z[0], "%y = aten::add.Tensor(%x, tensor[0, " + s(z[0] / 2) + ", 5], 1)");
            }),
            "%1 = aten::size(%x, 0)\n%2 = aten::floordiv(%1, 2)\n%3 = prim::ListConstruct(0, %2, 5)\n"
            "%4 = aten::tensor(%3, 4, None, False)\n%5 = aten::add(%x, %4, 1)\nreturn %5\n");
}

TEST(UnifyTraces, OneExpressionIsComputedOnceAtTheStart) {
  EXPECT_EQ(text([](const Sizes& z) {
              const std::string half = s(z[0] / 2);
              return on_rows(z[0], "%r = aten::relu(%x)\n%a = aten::slice.Tensor(%r, 0, 0, " + half +
                                       ", 1)\n%b = aten::slice.Tensor(%x, 0, " + half + ", " + s(2 * (z[0] / 2)) +
                                       ", 1)\n%y = aten::add.Tensor(%a, %b, 1)");
            }),
            "%1 = aten::size(%x, 0)\n%2 = aten::floordiv(%1, 2)\n%3 = aten::mul(2, %2)\n"
            "%4 = aten::relu(%x)\n%5 = aten::slice(%4, 0, 0, %2, 1)\n%6 = aten::slice(%x, 0, %2, %3, 1)\n"
            "%7 = aten::add(%5, %6, 1)\nreturn %7\n");
}

TEST(UnifyTraces, SizesOfValuesOnTheWay) {
  // A size that is not a supported function of the input sizes, as after two strided convolutions.
  const auto size = [](std::int64_t n) { return ((n - 3) / 2 + 1 + 5) / 7 * 3 + n % 2; };
  EXPECT_EQ(text(
                [&](const Sizes& z) {
                  return "graph(%x : Float(" + s(z[0]) + ", 3))\n%h : Float(" + s(size(z[0])) +
                         ", 3) = custom::op(%x)\n%r = aten::relu(%h)\n%y = aten::view(%r, [" + s(3 * size(z[0])) +
                         "])\nreturn %y";
                },
                {.example = {20}}),
            "%1 = custom::op(%x)\n%2 = aten::size(%1, 0)\n%3 = aten::relu(%1)\n%4 = aten::mul(3, %2)\n"
            "%5 = prim::ListConstruct(%4)\n%6 = aten::view(%3, %5)\nreturn %6\n");
}

TEST(UnifyTraces, AnInputsSizeIsReadBeforeBothOfItsReaders) {
  // The sum is computed after the value with the measured size, sizes of the input at the start.
  const auto size = [](std::int64_t n) { return ((n - 3) / 2 + 1 + 5) / 7 * 3 + n % 2; };
  EXPECT_EQ(text(
                [&](const Sizes& z) {
                  return "graph(%x : Float(" + s(z[0]) + ", 3))\n%h : Float(" + s(size(z[0])) +
                         ", 3) = custom::op(%x)\n%a = aten::slice.Tensor(%h, 0, 0, " + s(size(z[0]) + z[0]) +
                         ", 1)\n%y = aten::slice.Tensor(%a, 0, 0, " + s(2 * z[0]) + ", 1)\nreturn %y";
                },
                {.example = {20}}),
            "%1 = aten::size(%x, 0)\n%2 = aten::mul(2, %1)\n%3 = custom::op(%x)\n%4 = aten::size(%3, 0)\n%5 = "
            "aten::add(%1, %4)\n"
            "%6 = aten::slice(%3, 0, 0, %5, 1)\n%7 = aten::slice(%6, 0, 0, %2, 1)\nreturn %7\n");
}

TEST(UnifyTraces, SymbolsOfSeveralInputs) {
  const Symbols symbols{{"a", "b", "c"}, {2, 3, 2}, {{0, 0, "a"}, {0, 1, "b"}, {1, 0, "b"}, {1, 1, "c"}}};
  EXPECT_EQ(text(
                [](const Sizes& z) {
                  return "graph(%x : Float(" + s(z[0]) + ", " + s(z[1]) + "), %w : Float(" + s(z[1]) + ", " + s(z[2]) +
                         "))\n%m = aten::matmul(%x, %w)\n%y = aten::view(%m, [" + s(z[0] * z[2]) +
                         "])\n%z = aten::view(%w, [" + s(z[2]) + ", " + s(z[1]) + "])\nreturn %y, %z";
                },
                symbols),
            "%1 = aten::size(%x, 0)\n%2 = aten::size(%w, 1)\n%3 = aten::mul(%1, %2)\n%4 = aten::size(%x, 1)\n"
            "%5 = aten::matmul(%x, %w)\n%6 = prim::ListConstruct(%3)\n%7 = aten::view(%5, %6)\n"
            "%8 = prim::ListConstruct(%2, %4)\n%9 = aten::view(%w, %8)\nreturn %7, %9\n");
}

TEST(UnifyTraces, AnExampleOfSizeOneOrZero) {
  for (const std::int64_t example : {0, 1})
    EXPECT_EQ(
        text([](const Sizes& z) { return on_rows(z[0], "%y = aten::slice.Tensor(%x, 0, 0, " + s(z[0] + 1) + ", 1)"); },
             {.example = {example}}),
        "%1 = aten::size(%x, 0)\n%2 = aten::add(%1, 1)\n%3 = aten::slice(%x, 0, 0, %2, 1)\nreturn %3\n");
}

TEST(UnifyTraces, ASizeThatEqualsAConstantIsDistinguishedFromIt) {
  // The example has as many rows as columns.
  EXPECT_EQ(
      text([](const Sizes& z) { return on_rows(z[0], "%y = aten::view(%x, [3, " + s(z[0]) + "])"); }, {.example = {3}}),
      "%1 = aten::size(%x, 0)\n%2 = prim::ListConstruct(3, %1)\n%3 = aten::view(%x, %2)\nreturn %3\n");
}

TEST(UnifyTraces, NodesThatChangeNothingMayBeLeftOut) {
  const auto code = [](const Sizes& z) {
    return on_rows(z[0], std::string("%t = aten::transpose.int(%x, 0, 1)\n") +
                             (z[0] == 1 ? "%y = aten::relu(%t)" : "%c = aten::contiguous(%t, 0)\n%y = aten::relu(%c)"));
  };
  EXPECT_EQ(text(code, {.example = {1}}),
            "%1 = aten::transpose(%x, 0, 1)\n%2 = aten::contiguous(%1, 0)\n"
            "%3 = aten::relu(%2)\nreturn %3\n");
  const auto slice = [](const Sizes& z) {
    return on_rows(
        z[0], "%r : Float(" + s(z[0]) + ", 3) = aten::relu(%x)\n" +
                  (z[0] == 4 ? "%y = aten::neg(%r)" : "%c = aten::slice.Tensor(%r, 0, 0, 4, 1)\n%y = aten::neg(%c)"));
  };
  EXPECT_EQ(text(slice), "%1 = aten::relu(%x)\n%2 = aten::slice(%1, 0, 0, 4, 1)\n%3 = aten::neg(%2)\nreturn %3\n");
  const auto of_padded = [](const Sizes& z) {
    const std::int64_t padded = (z[0] + 1) / 2 * 2;
    const std::string both =
        "%c = aten::slice.Tensor(%r, 0, 0, " + s(z[0]) + ", 1)\n%y = aten::slice.Tensor(%c, 1, 0, 2, 1)";
    return on_rows(z[0], "%r : Float(" + s(padded) + ", 3) = aten::relu(%x)\n" +
                             (z[0] == padded ? "%y = aten::slice.Tensor(%r, 1, 0, 2, 1)" : both));
  };
  EXPECT_EQ(text(of_padded, {.example = {5}}),
            "%1 = aten::size(%x, 0)\n%2 = aten::relu(%x)\n%3 = aten::slice(%2, 0, 0, %1, 1)\n"
            "%4 = aten::slice(%3, 1, 0, 2, 1)\nreturn %4\n");
}

TEST(UnifyTraces, InputsKeepTheExamplesFacts) {
  const auto graph = unified([](const Sizes& z) {
    return on_rows(z[0], "%r : Float(" + s(z[0]) + ", 3) = aten::relu(%x)\n%y = aten::neg(%r)");
  });
  EXPECT_EQ(graph->inputs()[0]->facts().fixed_dims(), (Sizes{4, 3}));
  EXPECT_FALSE(graph->block().first()->output()->facts().has_rank());
}

TEST(UnifyTraces, BranchesAndLoopsOfScriptedCode) {
  EXPECT_EQ(text([](const Sizes& z) {
              return on_rows(z[0], "loop %y = (2, True) (%i, %a) from %x\n  %b = aten::view(%a, [" + s(z[0]) +
                                       ", 3])\n  next True, %b\nend");
            }),
            "%1 = aten::size(%x, 0)\nloop 2, True: %2, %3 = %x\n  %4 = prim::ListConstruct(%1, 3)\n"
            "  %5 = aten::view(%3, %4)\n  next True, %5\nend -> %6\nreturn %6\n");
}

TEST(UnifyTraces, NumbersWithoutArithmetic) {
  EXPECT_THAT(
      refused([](const Sizes& z) { return on_rows(z[0], "%y = aten::view(%x, [3, " + s(z[0] ^ 13) + "])"); }),
      AllOf(HasSubstr("aten::view (line:2): argument size"), HasSubstr("9 at n = 4"), HasSubstr("tonnx_trace_size()")));
  EXPECT_THAT(refused([](const Sizes& z) {
                return on_rows(z[0],
                               "%l : int[] = prim::ListConstruct(3, " + s(z[0] ^ 13) + ")\n%y = aten::view(%x, %l)");
              }),
              HasSubstr("aten::view (line:3): argument size, item 1: 9 at n = 4"));
}

TEST(UnifyTraces, OtherPaths) {
  EXPECT_THAT(
      refused([](const Sizes& z) { return on_rows(z[0], z[0] > 5 ? "%y = aten::relu(%x)" : "%y = aten::neg(%x)"); }),
      AllOf(HasSubstr("aten::neg (line:2)"), HasSubstr("runs at n = 4 where aten::relu (line:2) runs at n = "),
            HasSubstr("another path")));
  EXPECT_THAT(refused([](const Sizes& z) {
                std::string body = "%y = aten::relu(%x)";
                for (std::int64_t i = 0; i < z[0]; ++i) body += "\n%y = aten::relu(%y)";
                return on_rows(z[0], body);
              }),
              HasSubstr("the end of the program"));
  EXPECT_THAT(refused([](const Sizes& z) {
                return on_rows(z[0], "%a = aten::relu(%x)\n%y = aten::neg(" + std::string(z[0] > 5 ? "%a" : "%x") +
                                         ")\n%z = aten::add.Tensor(%y, %a, 1)");
              }),
              HasSubstr("aten::neg (line:3): argument self: comes from another value at n = "));
  EXPECT_THAT(refused([](const Sizes& z) {
                return on_rows(z[0], "%y = aten::dropout(%x, 0.5, " + std::string(z[0] > 5 ? "True" : "False") + ")");
              }),
              AllOf(HasSubstr("argument train"), HasSubstr("False at n = 4"), HasSubstr("True at n = ")));
}

TEST(UnifyTraces, TensorsOfTheHost) {
  EXPECT_THAT(
      refused([](const Sizes& z) {
        std::string elements;
        for (std::int64_t i = 0; i < z[0]; ++i) elements += (i ? ", " : "") + s(i * i);
        return on_rows(z[0], "%y = aten::add.Tensor(%x, tensor[" + elements + "], 1)");
      }),
      AllOf(HasSubstr("argument other: a captured tensor is int64 4 at n = 4; int64 "), HasSubstr("torch::arange")));
  EXPECT_THAT(refused([](const Sizes& z) {
                return "graph(%x : Float(" + s(z[0]) + ", 3))\nweight %mask : Float(" + s(z[0]) +
                       ", 3)\n%y = aten::mul.Tensor(%x, %mask)\nreturn %y";
              }),
              HasSubstr("argument other: weight mask is float32 4x3 at n = 4"));
}

TEST(UnifyTraces, AWeightThatARunWrites) {
  const auto graph = [](float value) {
    auto out =
        test::parse("graph(%x : Float(4, 3))\nweight %mean : Float(3)\n%y = aten::mul.Tensor(%x, %mean)\nreturn %y");
    const std::vector<float> data(3, value);
    out->weights()[0]->set_weight(ir::Tensor::from_bytes(ir::DType::Float32, {3}, data.data(), 12));
    return out;
  };
  const auto first = graph(1), second = graph(1), third = graph(2);
  (*second->inputs()[0]->facts().dims)[0] = 7;
  (*third->inputs()[0]->facts().dims)[0] = 11;
  const TracedRuns runs{{first.get(), second.get(), third.get()}, {"n"}, {{4}, {7}, {11}}, {{0, 0, "n"}}, {1}, {{}}};
  try {
    unify_traces(runs, true);
    FAIL();
  } catch (const ir::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("argument other: weight mean, float32 3, holds other elements in another run"));
  }
}

TEST(UnifyTraces, AnUndeclaredAxis) {
  EXPECT_THROW(
      {
        try {
          unified([](const Sizes& z) {
            return "graph(%x : Float(" + s(z[0]) + ", " + s(z[0] + 1) + "))\n%y = aten::relu(%x)\nreturn %y";
          });
        } catch (const ir::Error& error) {
          EXPECT_THAT(error.what(), HasSubstr("input x, axis 1: the size is "));
          throw;
        }
      },
      ir::Error);
}

}  // namespace
}  // namespace tonnx::program
