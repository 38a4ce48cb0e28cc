#include <gmock/gmock.h>

#include "host.h"

// Exports in training mode: batch normalisation, verified in ONNX Runtime, and the warnings about modes.
using host::args;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using tonnx::Options;
using tonnx::Program;

namespace {

constexpr const char* kNorm =
    "def norm(self, x):\n"
    "    return torch.batch_norm(x, self.weight, self.bias, self.mean, self.var, self.training, 0.1, 1e-5, False)\n";

// A new module's values: the weight equals the variance, the bias the mean.
Program network(const std::string& forward, std::int64_t channels) {
  tonnx::Args state;
  for (const auto& [name, value] :
       {std::pair("weight", 1.0), std::pair("bias", 0.0), std::pair("mean", 0.0), std::pair("var", 1.0)}) {
    const at::Tensor tensor = at::full({channels}, value);
    state.key(name).add(tonnx::Tensor::from_torch(&tensor));
  }
  return Program::compile(kNorm + ("def forward(self, x):\n    return " + forward + "\n"), state);
}

std::string verified(const Program& program, std::int64_t channels, std::int32_t training, std::int32_t opset = 17) {
  const auto inputs = args({at::randn({5, channels, 3})});
  const auto model =
      tonnx::export_program(program, inputs, Options().training(training).opset(opset).dynamic_axis("x", 0, "n"));
  for (int i = 0; i < 2; ++i) model.verify(program, inputs);
  return model.text();
}

}  // namespace

TEST(Training, EqualConstantsStayApart) {
  for (const std::int64_t channels : {1, 8, 9})
    for (const std::int32_t opset : {9, 14, 21})
      verified(network("self.norm(torch.relu(self.norm(x)))", channels), channels, TONNX_TRAINING_TRAIN, opset);
}

TEST(Training, F32_TheNodeOfTrainingStaysWhereItRunsRight) {
  EXPECT_THAT(verified(network("self.norm(x)", 9), 9, TONNX_TRAINING_TRAIN), HasSubstr("training_mode=1"));
  EXPECT_THAT(verified(network("self.norm(x)", 8), 8, TONNX_TRAINING_TRAIN), Not(HasSubstr("training_mode=1")));
}

TEST(Training, F237_InferenceAndTheProgramsOwnMode) {
  for (const std::int32_t training : {TONNX_TRAINING_EVAL, TONNX_TRAINING_PRESERVE})
    EXPECT_THAT(verified(network("self.norm(x)", 4), 4, training), Not(HasSubstr("training_mode=1")));
  verified(network("self.norm(x), self.mean, self.var", 4), 4, TONNX_TRAINING_EVAL);
}

TEST(Training, StatisticsThatAreReadAfterTheNormalisation) {
  const std::string own = "torch.batch_norm(x, None, None, self.mean, self.var, False, 0.1, 1e-5, False)";
  const std::string instances = "torch.instance_norm(x, None, None, self.mean, self.var, True, 0.1, 1e-5, False)";
  const std::string native = "torch.native_batch_norm(x, None, None, self.mean, self.var, self.training, 0.1, 1e-5)[0]";
  for (const std::int64_t channels : {4, 16})
    for (const std::string& forward :
         {std::string("self.norm(x), self.mean"), "self.norm(x) + " + own, std::string("self.norm(x) * self.var[0]"),
          instances + ", self.mean", native + ", self.var"}) {
      SCOPED_TRACE(forward);
      verified(network(forward, channels), channels, TONNX_TRAINING_TRAIN);
    }
}

std::vector<std::string> warnings(std::int32_t training, std::int32_t opset) {
  const Program program = Program::compile(
      "def forward(self, x):\n    y = torch.dropout(x, 0.5, True)\n    return torch.dropout(torch.dropout(y, 0.5, "
      "False), 0.5, self.training)\n");
  return tonnx::export_program(program, args({at::randn({2, 3})}), Options().training(training).opset(opset))
      .warnings();
}

TEST(Training, AModeThatTheProgramFixesIsReported) {
  EXPECT_THAT(warnings(TONNX_TRAINING_EVAL, 17), ElementsAre("1 operator keeps training mode, which is fixed in the "
                                                             "program (aten::dropout); record the model after eval()"));
  EXPECT_THAT(warnings(TONNX_TRAINING_TRAIN, 17), Contains("1 operator keeps evaluation mode, which is fixed in the "
                                                           "program (aten::dropout); record the model after train()"));
  EXPECT_THAT(warnings(TONNX_TRAINING_PRESERVE, 17), Not(Contains(HasSubstr("keeps"))));
}

TEST(Training, OnlyFoldingThatWasAskedForIsMissed) {
  const Program program = network("self.norm(x)", 9);
  const auto warnings_of = [&](const Options& options) {
    return tonnx::export_program(program, args({at::randn({5, 9, 3})}), options).warnings();
  };
  for (const std::int32_t training : {TONNX_TRAINING_TRAIN, TONNX_TRAINING_PRESERVE}) {
    EXPECT_THAT(warnings_of(Options().training(training)), Not(Contains(HasSubstr("folding"))));
    EXPECT_THAT(warnings_of(Options().training(training).constant_folding(false)), Not(Contains(HasSubstr("folding"))));
    EXPECT_THAT(warnings_of(Options().training(training).constant_folding(true)),
                Contains(HasSubstr("constant folding in training mode")));
  }
  EXPECT_THAT(warnings_of(Options().constant_folding(true)), Not(Contains(HasSubstr("folding"))));
}

TEST(Training, F270_WarningsAsErrorsHaveAStatusOfTheirOwn) {
  const tonnx::Error error = host::failure([&] {
    tonnx::export_program(network("self.norm(x)", 9), args({at::randn({5, 9, 3})}),
                          Options().training(TONNX_TRAINING_TRAIN).constant_folding(true).warnings_as_errors(true));
  });
  EXPECT_EQ(error.status(), TONNX_STATUS_WARNING);
  EXPECT_EQ(error.class_name(), "WarningError");
  ASSERT_EQ(error.reasons().size(), 2u) << error.what();  // the first one is the write to the statistics
  EXPECT_EQ(error.reasons()[1].op, "");
  EXPECT_THAT(error.reasons()[1].text, HasSubstr("constant folding in training mode"));
}

TEST(Training, ANormalisationIsReportedAsItIsWritten) {
  const Program program = Program::compile(
      "def forward(self, x):\n    return torch.native_batch_norm(x, None, None, None, None, True, 0.1, 0.00001)[0]\n");
  EXPECT_THAT(tonnx::export_program(program, args({at::randn({2, 3, 4})})).warnings(),
              Contains(HasSubstr("(aten::batch_norm)")));
}

TEST(Training, F33_WorkThatOldOpsetsLeaveToATrainerIsReported) {
  EXPECT_THAT(warnings(TONNX_TRAINING_TRAIN, 11), Contains(HasSubstr("only if a trainer runs the model")));
  EXPECT_THAT(warnings(TONNX_TRAINING_TRAIN, 12), Not(Contains(HasSubstr("trainer"))));
  EXPECT_THAT(warnings(TONNX_TRAINING_PRESERVE, 11), Not(Contains(HasSubstr("trainer"))));
}
