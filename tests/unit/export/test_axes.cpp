#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "export/axes.h"
#include "ir/error.h"

using namespace tonnx;
using exporting::Options;
using testing::HasSubstr;

namespace {

struct Program {
  ir::Graph graph;
  Program() {
    add("x", {2, 3});
    add("y", {2, 4});
    ir::Node* sum = graph.create("aten::sum", {}, 1);
    graph.block().append(sum);
    graph.block().add_output(sum->output());
  }
  void add(const std::string& name, std::vector<std::int64_t> dims) {
    ir::Value* v = graph.block().add_input();
    v->set_name(name);
    v->facts().dtype = ir::DType::Float32;
    v->facts().dims.emplace(dims.begin(), dims.end());
  }
  std::string failure(const std::vector<exporting::DynamicAxis>& axes) const {
    Options options;
    options.dynamic_axes = axes;
    try {
      exporting::bind_axes(graph, options);
    } catch (const ir::Error& e) {
      EXPECT_EQ(e.code(), ir::Code::Argument);
      return e.what();
    }
    return {};
  }
};

}  // namespace

TEST(DynamicAxes, MapAndListFormMayBeMixed) {
  const Program p;
  Options options;
  options.output_names = {"sum"};
  options.dynamic_axes = {{"x", 0, "batch"}, {"x", -1, ""}, {"sum", 0, ""}};
  const auto bound = exporting::bind_axes(p.graph, options);
  ASSERT_EQ(bound.size(), 3u);
  EXPECT_EQ(bound[0].symbol, "batch");
  EXPECT_EQ(bound[1].axis, 1);
  EXPECT_EQ(bound[1].symbol, "x_dynamic_axes_2");
  EXPECT_FALSE(bound[2].is_input);
  EXPECT_EQ(bound[2].symbol, "sum_dynamic_axes_1");
}

TEST(DynamicAxes, ChosenNamesCount) {
  const Program p;
  Options options;
  options.input_names = {"image"};
  options.dynamic_axes = {{"image", 0, "batch"}};
  EXPECT_EQ(exporting::bind_axes(p.graph, options).at(0).index, 0u);
}

TEST(DynamicAxes, ChosenNamesTakePrecedence) {
  const Program p;
  Options options;
  options.input_names = {"y", "x"};
  options.dynamic_axes = {{"y", 0, "n"}, {"x", 1, "m"}};
  auto bound = exporting::bind_axes(p.graph, options);
  EXPECT_EQ(bound.at(0).index, 0u);
  EXPECT_EQ(bound.at(1).index, 1u);
  options.input_names = {"a"};
  options.output_names = {"x"};
  options.dynamic_axes = {{"x", 0, "n"}, {"y", 0, "m"}};
  bound = exporting::bind_axes(p.graph, options);
  EXPECT_FALSE(bound.at(0).is_input);
  EXPECT_TRUE(bound.at(1).is_input);
}

TEST(DynamicAxes, FaultsAreNamed) {
  const Program p;
  EXPECT_THAT(p.failure({{"z", 0, "n"}}), HasSubstr("inputs x, y"));
  EXPECT_THAT(p.failure({{"x", 2, "n"}}), HasSubstr("out of range"));
  EXPECT_THAT(p.failure({{"x", -3, "n"}}), HasSubstr("out of range"));
  EXPECT_THAT(p.failure({{"x", 1, "n"}, {"x", -1, "m"}}), HasSubstr("specified twice"));
  EXPECT_THAT(p.failure({{"x", 1, "n"}, {"y", 1, "n"}}),
              HasSubstr("axes with the same symbol must have the same size"));
}

TEST(DynamicAxes, OutputsGetTheDeclaredSymbols) {
  Program p;
  p.graph.outputs()[0]->facts().dims.emplace(std::vector<ir::Dim>{ir::Dim()});
  std::vector<std::string> warnings;
  exporting::apply_axes(p.graph, {{false, 0, -1, "n"}}, false, warnings);
  EXPECT_EQ((*p.graph.outputs()[0]->facts().dims)[0].text(), "n");
  EXPECT_THROW(exporting::apply_axes(p.graph, {{false, 0, 1, "n"}}, false, warnings), ir::Error);
}

// x is [n, 3]; the outputs have these sizes.
std::string declared(const std::vector<ir::Dim>& sizes, const std::vector<exporting::BoundAxis>& outputs,
                     bool warn = false) {
  Program p;
  (*p.graph.inputs()[0]->facts().dims)[0] = ir::Dim::symbol("n");
  p.graph.outputs()[0]->facts().dims.emplace(sizes);
  std::vector<exporting::BoundAxis> axes = {{true, 0, 0, "n"}};
  axes.insert(axes.end(), outputs.begin(), outputs.end());
  std::vector<std::string> warnings;
  try {
    exporting::apply_axes(p.graph, axes, warn, warnings);
  } catch (const ir::Error& error) {
    EXPECT_EQ(error.code(), ir::Code::Argument);
    return error.what();
  }
  std::string text;
  for (const ir::Dim& dim : *p.graph.outputs()[0]->facts().dims) text += ir::text_of(dim) + " ";
  for (const std::string& warning : warnings) text += warning;
  return text;
}

TEST(DynamicAxes, AnOutputDoesNotContradictItsSize) {
  const ir::Polynomial n = ir::Polynomial::symbol("n");
  EXPECT_THAT(declared({n, 4}, {{false, 0, 1, "n"}}), HasSubstr("has the fixed size 4"));
  EXPECT_THAT(declared({n, 4}, {{false, 0, 1, "m"}}), HasSubstr("has the fixed size 4"));
  EXPECT_THAT(declared({n + 1, 4}, {{false, 0, 0, "n"}}), HasSubstr("has the size n + 1 in the model, not n"));
  EXPECT_THAT(declared({n, n + 1}, {{false, 0, 0, "m"}, {false, 0, 1, "m"}}),
              HasSubstr("has the size n + 1 in the model, not n"));
  EXPECT_THAT(declared({n, 4}, {{false, 0, 1, "n"}}, true), HasSubstr("n 4 dynamic axis 1 of output"));
  EXPECT_EQ(declared({n, n + 1}, {{false, 0, 0, "n"}, {false, 0, 1, "m"}}), "n m ");
  EXPECT_THAT(
      declared({n * 2, ir::Dim()}, {{false, 0, 1, "n"}}),
      HasSubstr("2*n n dynamic axis 1 of output '' is declared to have the size n, which is also that of another"));
}

TEST(DynamicAxes, InputsKeepTheDeclaredSymbols) {
  Program p;
  (*p.graph.inputs()[1]->facts().dims)[0] = ir::Dim::symbol("a");
  std::vector<std::string> warnings;
  exporting::apply_axes(p.graph, {{true, 1, 0, "b"}}, false, warnings);
  EXPECT_EQ((*p.graph.inputs()[1]->facts().dims)[0].text(), "b");
}

TEST(DynamicAxes, AnOutputOfTheSizeOfAnInputThatFollowsFromOthersHasItsName) {
  Program p;
  const ir::Polynomial twice = ir::Polynomial::symbol("a") * 2;
  (*p.graph.inputs()[1]->facts().dims)[0] = twice;
  p.graph.outputs()[0]->facts().dims.emplace(std::vector<ir::Dim>{twice, twice + 1});
  std::vector<std::string> warnings;
  exporting::apply_axes(p.graph, {{true, 1, 0, "b"}}, false, warnings);
  EXPECT_EQ((*p.graph.outputs()[0]->facts().dims)[0].text(), "b");
  EXPECT_EQ((*p.graph.outputs()[0]->facts().dims)[1].text(), "2*a + 1");
}

// A symbol of an input that the user did not declare, and an unknown size that has the symbol of another output.
TEST(DynamicAxes, OutputsAreComparedWithAllInputsAndOutputs) {
  Program p;
  (*p.graph.inputs()[0]->facts().dims)[0] = ir::Dim::symbol("s");
  ir::Node* found = p.graph.create("aten::nonzero", {}, 1);
  p.graph.block().append(found);
  p.graph.block().add_output(found->output());
  const auto applied = [&](std::vector<ir::Dim> first, std::vector<ir::Dim> second, const std::string& symbol) {
    p.graph.outputs()[0]->facts().dims = std::move(first);
    p.graph.outputs()[1]->facts().dims = std::move(second);
    std::vector<std::string> warnings;
    try {
      exporting::apply_axes(p.graph, {{false, 0, 0, symbol}, {false, 1, 0, symbol}}, false, warnings);
    } catch (const ir::Error& e) {
      return std::string(e.what());
    }
    return warnings.empty() ? std::string() : warnings.front();
  };
  const ir::Dim s = ir::Dim::symbol("s"), twice = ir::Polynomial::symbol("s") * ir::Polynomial(2);
  EXPECT_EQ(applied({s}, {s}, "s"), "");
  EXPECT_THAT(applied({s}, {twice}, "s"), HasSubstr("has the size 2*s in the model, not s"));
  EXPECT_EQ(applied({twice}, {twice}, "k"), "");
  EXPECT_THAT(applied({twice}, {s}, "k"), HasSubstr("has the size s in the model, not 2*s"));
  EXPECT_THAT(applied({ir::Dim()}, {ir::Dim()}, "k"), HasSubstr("its size is known only at run time"));
  EXPECT_THAT(applied({ir::Dim()}, {s}, "k"), HasSubstr("the other's size is known only at run time"));
}
