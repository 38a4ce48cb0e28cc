#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "export/naming.h"
#include "ir/error.h"

using namespace tonnx;
using exporting::Options;
using testing::HasSubstr;

namespace {

struct Model {
  ir::Graph graph;
  Model() {
    ir::Value* x = graph.block().add_input();
    x->set_name("x");
    ir::Value* b = weight("fc.bias", {1});
    ir::Value* w = weight("fc.weight", {0});
    const auto scope = std::make_shared<const ir::Scope>(ir::Scope{nullptr, "Net", ""});
    const auto fc = std::make_shared<const ir::Scope>(ir::Scope{scope, "Linear", "fc"});
    ir::Value* inputs[] = {x, w, b};
    for (int i = 0; i < 2; ++i) {
      ir::Node* gemm = graph.create("onnx::Gemm", inputs, 1);
      gemm->set_location({fc, nullptr});
      graph.block().append(gemm);
      inputs[0] = gemm->output();
    }
    graph.block().add_output(inputs[0]);
  }
  ir::Value* weight(const std::string& name, ir::Origin origin) {
    ir::Value* value = graph.add_weight(name, ir::Tensor::scalar(ir::DType::Float32, 1.0));
    value->set_origin(origin);
    return value;
  }
  std::string failure(const Options& options) {
    try {
      exporting::name_model(graph, options);
    } catch (const ir::Error& e) {
      return e.what();
    }
    return {};
  }
};

}  // namespace

TEST(Names, NodesFollowTheModulePath) {
  Model m;
  exporting::name_model(m.graph, {});
  EXPECT_EQ(m.graph.block().first()->name(), "/fc/Gemm");
  EXPECT_EQ(m.graph.block().last()->name(), "/fc/Gemm_1");
  EXPECT_EQ(m.graph.block().first()->output()->name(), "/fc/Gemm_output_0");
  EXPECT_EQ(m.graph.outputs()[0]->name(), "output");
  EXPECT_EQ(m.graph.inputs()[0]->name(), "x");
}

TEST(Names, AChosenNameMovesAnOwnOneWithAWarning) {
  Model m;
  m.graph.block().add_input()->set_name("y");
  Options options;
  options.input_names = {"y"};
  options.output_names = {"fc.bias"};
  EXPECT_THAT(exporting::name_model(m.graph, options),
              testing::ElementsAre(HasSubstr("input 'y' is called 'y_1'"),
                                   HasSubstr("weight 'fc.bias' is called 'fc.bias_1'")));
  Model plain;
  EXPECT_TRUE(exporting::name_model(plain.graph, {}).empty());
}

TEST(Names, InputNamesReachTheWeightsInStateDictOrder) {
  Model m;
  Options options;
  options.input_names = {"actual_input_1", "learned_0", "learned_1"};
  options.output_names = {"output1"};
  exporting::name_model(m.graph, options);
  const ir::Node* gemm = m.graph.block().first();
  EXPECT_EQ(gemm->input(0)->name(), "actual_input_1");
  EXPECT_EQ(gemm->input(1)->name(), "learned_0");
  EXPECT_EQ(gemm->input(2)->name(), "learned_1");
  EXPECT_EQ(m.graph.outputs()[0]->name(), "output1");
}

TEST(Names, InputNamesReachWhatAWeightWasMadeOf) {
  Model m;
  ir::Value* weight = m.graph.block().first()->input(1);
  weight->set_origin(ir::Origin{0, true});
  weight->set_name("nothing.like.the.key");
  Options options;
  options.input_names = {"x", "w", "b"};
  exporting::name_model(m.graph, options);
  EXPECT_EQ(weight->name(), "w");
  EXPECT_EQ(m.graph.block().first()->input(2)->name(), "b");
}

TEST(Names, AnUnchangedWeightIsTheOnlyOneOfItsOrigin) {
  Model m;
  ir::Value* folded = m.weight("fc.weight.transposed", {0, true});
  ir::Value* constant = m.graph.add_weight("fc.weight.of.no.origin", ir::Tensor::scalar(ir::DType::Float32, 1.0));
  Options options;
  options.input_names = {"x", "w", "b"};
  exporting::name_model(m.graph, options);
  EXPECT_EQ(m.graph.block().first()->input(1)->name(), "w");
  EXPECT_EQ(m.graph.block().first()->input(2)->name(), "b");
  EXPECT_EQ(folded->name(), "fc.weight.transposed");
  EXPECT_EQ(constant->name(), "fc.weight.of.no.origin");
}

TEST(Names, FewerNamesAreFine) {
  Model m;
  Options options;
  options.input_names = {"image"};
  exporting::name_model(m.graph, options);
  EXPECT_EQ(m.graph.block().first()->input(1)->name(), "fc.weight");
}

TEST(Names, FaultsAreNamed) {
  Options options;
  options.input_names = {"a", "b", "c", "d"};
  EXPECT_THAT(Model().failure(options), HasSubstr("4 input names for 1 input and 2 weights: x"));
  options.input_names = {"a"};
  options.output_names = {"a"};
  EXPECT_THAT(Model().failure(options), HasSubstr("'a' is used twice"));
  options.output_names = {"b", "c"};
  EXPECT_THAT(Model().failure(options), HasSubstr("2 output names for 1 output: output"));
}

TEST(Names, AnOutputTakesNoInputsName) {
  Options options;
  options.output_names = {"x"};
  EXPECT_THAT(Model().failure(options), HasSubstr("output name 'x' is the name of an input; rename the input as well"));
  options.input_names = {"image"};
  EXPECT_EQ(Model().failure(options), "");
}

TEST(Names, NamesAreUtf8) {
  Options options;
  for (const char* wrong : {"\xff", "a\x80", "\xc3", "\xc0\xaf", "\xe2\x82", "\xe0\x80\xaf", "\xed\xa0\x80",
                            "\xf0\x80\x80\xaf", "\xf4\x90\x80\x80"}) {
    options.output_names = {wrong};
    EXPECT_THAT(Model().failure(options), HasSubstr("is not valid UTF-8")) << wrong;
    Model model;
    model.graph.weights()[0]->set_name(wrong);
    EXPECT_THAT(model.failure({}), HasSubstr("is not valid UTF-8")) << wrong;
  }
  for (const char* right :
       {"a/b", "\xc3\xa4", "\xe2\x82\xac", "\xed\x9f\xbf", "\xf0\x9f\x99\x82", "\xf4\x8f\xbf\xbf", "\x01"}) {
    options.output_names = {right};
    EXPECT_EQ(Model().failure(options), "") << right;
  }
}

TEST(Names, AWeightNeverTakesAnInputsName) {
  Model m;
  Options options;
  options.input_names = {"fc.weight"};
  exporting::name_model(m.graph, options);
  EXPECT_EQ(m.graph.inputs()[0]->name(), "fc.weight");
  EXPECT_EQ(m.graph.block().first()->input(1)->name(), "fc.weight_1");
}

TEST(Names, AnEmptyNameKeepsTheDefaultAndItsPlace) {
  Model m;
  m.graph.block().add_input()->set_name("y");
  Options options;
  options.input_names = {"", "second", "", "bias"};
  options.output_names = {""};
  exporting::name_model(m.graph, options);
  EXPECT_EQ(m.graph.inputs()[0]->name(), "x");
  EXPECT_EQ(m.graph.inputs()[1]->name(), "second");
  EXPECT_EQ(m.graph.block().first()->input(1)->name(), "fc.weight");
  EXPECT_EQ(m.graph.block().first()->input(2)->name(), "bias");
  EXPECT_EQ(m.graph.outputs()[0]->name(), "output");
}

namespace {

using ir::Part;

// Inputs (a, quantised, and b) and outputs (q, quantised, and y) of a model.
struct Quantised {
  ir::Graph graph;
  exporting::PartsOfModel parts{{Part::Whole, Part::Scale, Part::ZeroPoint, Part::Whole},
                                {Part::Whole, Part::Scale, Part::ZeroPoint}};
  Quantised() {
    for (const char* name : {"a", "a_scale", "a_zero_point", "b"}) graph.block().add_input()->set_name(name);
    for (ir::Value* in : graph.inputs()) {
      ir::Node* node = graph.create("onnx::Relu", std::vector<ir::Value*>{in}, 1);
      graph.block().append(node);
      graph.block().add_output(node->output());
    }
  }
  std::vector<std::string> inputs(const Options& options) { return names(options).first; }
  std::vector<std::string> outputs(const Options& options) { return names(options).second; }
  std::pair<std::vector<std::string>, std::vector<std::string>> names(const Options& options) {
    exporting::name_model(graph, options, parts);
    std::pair<std::vector<std::string>, std::vector<std::string>> all;
    for (const ir::Value* in : graph.inputs()) all.first.push_back(in->name());
    for (const ir::Value* out : graph.outputs()) all.second.push_back(out->name());
    return all;
  }
  static std::string failure(const Options& options) {
    try {
      Quantised().names(options);
    } catch (const ir::Error& e) {
      return e.what();
    }
    return {};
  }
};

}  // namespace

TEST(Names, WeightsAreNumberedInTheOrderOfTheStateDict) {
  Model m;
  Options options;
  options.weight_names = false;
  EXPECT_TRUE(exporting::name_model(m.graph, options).empty());
  EXPECT_EQ(m.graph.weights()[0]->name(), "weight_1");  // fc.bias
  EXPECT_EQ(m.graph.weights()[1]->name(), "weight_0");  // fc.weight
  Model chosen;
  options.input_names = {"weight_1", "w"};
  EXPECT_EQ(exporting::name_model(chosen.graph, options).size(), 1u);
  EXPECT_EQ(chosen.graph.weights()[0]->name(), "weight_1_1");
  EXPECT_EQ(chosen.graph.weights()[1]->name(), "w");
}

TEST(Names, PartsOfAQuantisedValueFollowItsName) {
  using testing::ElementsAre;
  Options options;
  EXPECT_THAT(Quantised().outputs(options),
              ElementsAre("output_0", "output_0_scale", "output_0_zero_point", "output_1"));
  options.input_names = {"foo", "bar"};
  options.output_names = {"q", "y"};
  EXPECT_THAT(Quantised().inputs(options), ElementsAre("foo", "foo_scale", "foo_zero_point", "bar"));
  EXPECT_THAT(Quantised().outputs(options), ElementsAre("q", "q_scale", "q_zero_point", "y"));
  options.input_names = {"", "bar"};
  options.output_names = {"", "y"};
  EXPECT_THAT(Quantised().inputs(options), ElementsAre("a", "a_scale", "a_zero_point", "bar"));
  EXPECT_THAT(Quantised().outputs(options), ElementsAre("output_0", "output_0_scale", "output_0_zero_point", "y"));
}

TEST(Names, PartsOfAMovedValueFollowItsNewName) {
  Options options;
  options.input_names = {"", "a"};
  EXPECT_THAT(Quantised().inputs(options), testing::ElementsAre("a_1", "a_1_scale", "a_1_zero_point", "a"));
}

TEST(Names, FaultsOfQuantisedNamesAreReported) {
  Options options;
  options.output_names = {"q", "q_scale"};
  EXPECT_THAT(Quantised::failure(options),
              HasSubstr("'q_scale' is used twice: the scale of the quantised value 'q' has the same name"));
  options.output_names = {"q", "y", "z"};
  EXPECT_THAT(Quantised::failure(options), HasSubstr("3 output names for 2 outputs: output_0, output_1; scale"));
  options.output_names = {"a", "y"};
  options.input_names = {"", "b"};
  EXPECT_THAT(Quantised::failure(options), HasSubstr("output name 'a' is the name of an input"));
  options.output_names = {};
  options.input_names = {"b_zero_point", "c", "d"};
  EXPECT_THAT(Quantised::failure(options), HasSubstr("3 input names for 2 inputs and 0 weights: a, b; scale"));
}
