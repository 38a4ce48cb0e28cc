#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "export/opset_range.h"
#include "export/policy.h"
#include "ir/error.h"

namespace tonnx::exporting {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string refusal_of(const Options& options) {
  try {
    check_options(options);
  } catch (const ir::Error& error) {
    EXPECT_EQ(error.code(), ir::Code::Argument) << error.what();
    return error.what();
  }
  return "";
}

TEST(CheckOptions, AcceptsTheDefaultsAtEveryOpset) {
  for (std::int32_t opset = oldest_opset(); opset <= newest_opset(); ++opset) {
    Options options;
    options.opset = opset;
    EXPECT_EQ(refusal_of(options), "") << opset;
  }
}

TEST(CheckOptions, RefusesOpsetsOutsideTheRange) {
  for (const std::int32_t opset : {oldest_opset() - 1, newest_opset() + 1, 0, -1}) {
    Options options;
    options.opset = opset;
    EXPECT_THAT(refusal_of(options), HasSubstr(std::to_string(opset))) << opset;
  }
}

TEST(CheckOptions, RefusesCustomOpsetsThatAreNone) {
  for (const auto& [domain, version, text] : {
           std::tuple("", 1, "the default domain's version is the opset"),
           std::tuple("ai.onnx", 1, "the default domain's version is the opset"),
           std::tuple("onnx", 1, "the default domain's version is the opset"),
           std::tuple("my", 0, "version 0 is less than 1"),
           std::tuple("\xff", 1, "UTF-8"),
       }) {
    Options options;
    options.custom_opsets = {{domain, version}};
    EXPECT_THAT(refusal_of(options), HasSubstr(text)) << domain;
  }
}

TEST(CheckOptions, RefusesFunctionsBelowOpset15AndWithoutAClass) {
  Options options;
  options.module_functions = {"Linear"};
  options.opset = 15;
  EXPECT_EQ(refusal_of(options), "");
  options.opset = 14;
  EXPECT_THAT(refusal_of(options), HasSubstr("need opset 15 or newer (IR version 8); the target is 14"));
  options.opset = 17;
  options.module_functions = {"*", ""};
  EXPECT_THAT(refusal_of(options), HasSubstr("is empty"));
}

struct Made {
  Policy policy;
  std::vector<std::string> warnings;
};

template <class Set>
Made made(const Set& set) {
  Options options;
  set(options);
  std::vector<std::string> warnings;
  const Policy policy = make_policy(options, warnings);
  return {policy, warnings};
}

TEST(MakePolicy, FoldsWeightsThatTheModelStores) {
  const auto [policy, warnings] = made([](Options&) {});
  EXPECT_TRUE(policy.store_weights);
  EXPECT_TRUE(policy.fold_weights);
  EXPECT_TRUE(policy.integer_constants);
  EXPECT_FALSE(policy.initializers_as_inputs);
  EXPECT_TRUE(policy.target.is_onnxruntime());
  EXPECT_THAT(warnings, IsEmpty());
  EXPECT_FALSE(made([](Options& o) { o.target = Target::Onnx; }).policy.target.is_onnxruntime());
}

// A user who changes a weight must change what is computed from it.
TEST(MakePolicy, KeepsWeightsThatACallerMayReplace) {
  for (const bool is_old : {false, true}) {
    Options options;
    options.opset = is_old ? 8 : 17;
    if (!is_old) options.initializers_as_inputs = InitializersAsInputs::Always;
    const auto [policy, warnings] = made([&](Options& o) { o = options; });
    EXPECT_TRUE(policy.initializers_as_inputs);
    EXPECT_FALSE(policy.fold_weights);
    EXPECT_EQ(policy.integer_constants, !is_old);
    EXPECT_THAT(warnings, IsEmpty());
  }
}

TEST(MakePolicy, WarnsOfOptionsThatCannotBeObeyed) {
  EXPECT_THAT(made([](Options& o) {
                o.opset = 8;
                o.initializers_as_inputs = InitializersAsInputs::Never;
              }).warnings,
              ElementsAre("initializers are listed as inputs, since opset 8 requires it"));
  const auto folded = made([](Options& o) {
    o.training = Training::Train;
    o.constant_folding = true;
  });
  EXPECT_TRUE(folded.policy.fold_weights);
  EXPECT_FALSE(folded.policy.fold_normalisations);
  EXPECT_THAT(folded.warnings, ElementsAre(HasSubstr("constant folding in training mode")));
  EXPECT_FALSE(made([](Options& o) { o.training = Training::Preserve; }).policy.fold_weights);
  EXPECT_THAT(made([](Options& o) { o.training = Training::Preserve; }).warnings, IsEmpty());
  EXPECT_THAT(made([](Options& o) {
                o.opset = 11;
                o.training = Training::Train;
              }).warnings,
              ElementsAre(HasSubstr("in training mode at opset 11")));
  EXPECT_THAT(made([](Options& o) {
                o.opset = 12;
                o.training = Training::Train;
              }).warnings,
              IsEmpty());
}

TEST(MakePolicy, MergesEqualWeightsIfNothingChangesThem) {
  const auto merges = [](Training training, InitializersAsInputs inputs, bool stored) {
    return made([&](Options& o) {
             o.merge_equal_weights = true;
             o.training = training;
             o.initializers_as_inputs = inputs;
             o.export_params = stored;
           })
        .policy.merge_equal_weights;
  };
  EXPECT_TRUE(merges(Training::Eval, InitializersAsInputs::Auto, true));
  EXPECT_FALSE(merges(Training::Train, InitializersAsInputs::Auto, true));
  EXPECT_FALSE(merges(Training::Eval, InitializersAsInputs::Always, true));
  EXPECT_FALSE(merges(Training::Eval, InitializersAsInputs::Auto, false));
  EXPECT_FALSE(made([](Options&) {}).policy.merge_equal_weights);
}

TEST(UsedDomains, AreThoseOfNodes) {
  ir::Graph graph;
  ir::Value* x = graph.block().add_input();
  ir::Value* const inputs[] = {x};
  graph.block().append(graph.create("my::Op", inputs, 1));
  Options options;
  options.custom_opsets = {{"other", 2}, {"my", 3}};
  std::vector<std::string> warnings;
  EXPECT_THAT(used_domains(graph, options, {}, warnings), ElementsAre(std::pair<std::string, std::int64_t>("my", 3)));
  EXPECT_THAT(warnings, ElementsAre("custom opset domain 'other' is not used in the model"));
}

TEST(UnusedClasses, AreNamed) {
  ir::Graph graph;
  ir::Value* const inputs[] = {graph.block().add_input()};
  ir::Node* node = graph.create("onnx::Relu", inputs, 1);
  const auto net = std::make_shared<const ir::Scope>(ir::Scope{nullptr, "Net", ""});
  node->set_location({std::make_shared<const ir::Scope>(ir::Scope{net, "ReLU", "act"}), nullptr});
  graph.block().append(node);
  Options options;
  options.module_functions = {"*", "ReLU", "Linear"};
  std::vector<std::string> warnings;
  warn_unused_classes(graph, options, warnings);
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("no module of class 'Linear'")));
}

}  // namespace
}  // namespace tonnx::exporting
