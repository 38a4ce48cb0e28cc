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
              testing::ElementsAre(HasSubstr("input 'y' is called 'y_1'"), HasSubstr("weight 'fc.bias' is called 'fc.bias_1'")));
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

TEST(Names, AWeightThatStandsAsItWasIsTheOnlyOneOfItsOrigin) {
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
  EXPECT_THAT(Model().failure(options), HasSubstr("4 input names are given for 1 inputs and 2 weights"));
  options.input_names = {"a"};
  options.output_names = {"a"};
  EXPECT_THAT(Model().failure(options), HasSubstr("'a' is used twice"));
  options.output_names = {""};
  EXPECT_THAT(Model().failure(options), HasSubstr("empty"));
}

TEST(Names, AnOutputTakesNoInputsName) {
  Options options;
  options.output_names = {"x"};
  EXPECT_THAT(Model().failure(options), HasSubstr("output name 'x' is that of an input; name the input as well"));
  options.input_names = {"image"};
  EXPECT_EQ(Model().failure(options), "");
}

TEST(Names, NamesAreUtf8) {
  Options options;
  for (const char* wrong : {"\xff", "a\x80", "\xc3", "\xc0\xaf", "\xe2\x82", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf0\x80\x80\xaf", "\xf4\x90\x80\x80"}) {
    options.output_names = {wrong};
    EXPECT_THAT(Model().failure(options), HasSubstr("is no text in UTF-8")) << wrong;
    Model model;
    model.graph.weights()[0]->set_name(wrong);
    EXPECT_THAT(model.failure({}), HasSubstr("is no text in UTF-8")) << wrong;
  }
  for (const char* right : {"a/b", "\xc3\xa4", "\xe2\x82\xac", "\xed\x9f\xbf", "\xf0\x9f\x99\x82", "\xf4\x8f\xbf\xbf", "\x01"}) {
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
