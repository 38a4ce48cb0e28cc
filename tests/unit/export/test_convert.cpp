#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "export/convert.h"
#include "export/loaded_program.h"
#include "ir/error.h"
#include "lower/op.h"
#include "lower/registry.h"

// Programs of torch.export, which need no LibTorch.
namespace tonnx::exporting {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Not;

struct Converted {
  std::unique_ptr<Model> model;
  Report report;
};

std::shared_ptr<const LoadedProgram> program() {
  return open_archive(std::string(std::getenv("TONNX_SOURCE_ROOT")) + "/tests/exported/torch-2.11.0.pt2");
}

template <class Set>
Converted convert_with(const Set& set, const lower::Registry& registry = {}) {
  Options options;
  set(options);
  Converted made;
  const auto source = program();
  made.model = convert(*source, source->examples("forward"), options, registry, made.report);
  return made;
}

std::vector<std::string> names_of(std::span<ir::Value* const> values) {
  std::vector<std::string> names;
  for (const ir::Value* value : values) names.push_back(value->name());
  return names;
}

TEST(Convert, PassesEachStageOnceAndReportsIt) {
  const Converted made = convert_with([](Options&) {});
  EXPECT_EQ(made.report.mode, "graph");
  EXPECT_THAT(made.report.warnings, ElementsAre(HasSubstr("None"), HasSubstr("s77")));
  EXPECT_THAT(made.report.reasons, IsEmpty());
  EXPECT_THAT(made.report.source_operators, Contains(Key(testing::StartsWith("aten::conv2d"))));
  EXPECT_THAT(made.report.model_operators, Contains(Key("Conv")));
  std::vector<std::string> stages;
  for (const auto& [stage, seconds] : made.report.seconds) {
    stages.push_back(stage);
    EXPECT_GE(seconds, 0) << stage;
  }
  EXPECT_THAT(stages, ElementsAre("import", "program passes", "lowering", "model passes", "names and checker"));
  EXPECT_THAT(names_of(made.model->graph->inputs()), ElementsAre("x"));
}

TEST(Convert, MakesWeightsInputsWhereTheyAreNotStored) {
  const Converted stored = convert_with([](Options&) {}),
                  bare = convert_with([](Options& o) { o.export_params = false; });
  EXPECT_TRUE(stored.model->weights_stored);
  EXPECT_FALSE(bare.model->weights_stored);
  EXPECT_THAT(stored.model->graph->weights(), Not(IsEmpty()));
  EXPECT_THAT(bare.model->graph->weights(), IsEmpty());
  EXPECT_EQ(bare.model->graph->inputs().size(), 1 + stored.model->graph->weights().size());
}

TEST(Convert, ReportsTheStagesBeforeAFailure) {
  Options options;
  options.dynamic_axes = {{"nothing", 0, "n"}};
  const auto source = program();
  Report report;
  try {
    convert(*source, source->examples("forward"), options, {}, report);
    ADD_FAILURE() << "an axis of an input that is not there";
  } catch (const ir::Error& error) {
    EXPECT_EQ(error.code(), ir::Code::Argument);
    EXPECT_THAT(error.what(), HasSubstr("nothing"));
  }
  EXPECT_EQ(report.mode, "graph");
  EXPECT_THAT(report.seconds, ElementsAre(testing::Pair("import", testing::Ge(0.0))));
}

// A mistake of a symbolic has the status of its author's fault, and names the operator.
TEST(Convert, AsksTheUsersSymbolicsFirst) {
  lower::Registry registry;
  registry.add("aten::relu", 1, [](lower::Op& op) -> std::optional<lower::Outputs> { op.refuse("not this one"); });
  try {
    convert_with([](Options&) {}, registry);
    ADD_FAILURE() << "the built-in lowering was used";
  } catch (const ir::Error& error) {
    EXPECT_EQ(error.code(), ir::Code::Unsupported);
    ASSERT_EQ(error.reasons().size(), 1U);
    EXPECT_THAT(error.reasons()[0].op, testing::StartsWith("aten::relu"));
    EXPECT_EQ(error.reasons()[0].text, "not this one");
  }
}

}  // namespace
}  // namespace tonnx::exporting
