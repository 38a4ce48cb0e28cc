#include <gtest/gtest.h>

#include "operator_calls.h"
#include "torch/evaluator.h"

namespace tonnx::torch::testing {
namespace {

struct Call {
  const char* op;
  const char* arguments;
};

class EvaluatorOperator : public ::testing::TestWithParam<Call> {};

// The evaluator's dtype, sizes, strides and aliasing are those of the operator on real tensors.
TEST_P(EvaluatorOperator, MatchesRealRun) {
  const auto evaluator = make_evaluator();
  Stack arguments = parse_arguments(GetParam().arguments);
  const Stack meta_arguments = arguments;
  const Evaluated evaluated = evaluate(*evaluator, GetParam().op, meta_arguments);
  EXPECT_EQ(evaluated.outcome, ir::Evaluator::Outcome::Done);
  const Stack real = call_really(GetParam().op, arguments);
  ASSERT_EQ(evaluated.outputs.size(), real.size());
  for (std::size_t i = 0; i < real.size(); ++i) {
    EXPECT_EQ(layout(*evaluator, evaluated.outputs[i]), layout(real[i])) << "result " << i;
    if (!real[i].isTensor() || !evaluated.outputs[i]) continue;
    for (std::size_t j = 0; j < meta_arguments.size(); ++j) {
      if (!arguments[j].isTensor() || !arguments[j].toTensor().defined()) continue;
      EXPECT_EQ(evaluator->share_memory(*evaluated.outputs[i], *evaluated.inputs[j]),
                real[i].toTensor().is_alias_of(arguments[j].toTensor()))
          << "result " << i << ", argument " << j;
    }
  }
}

std::string name_of(const ::testing::TestParamInfo<Call>& info) {
  std::string name = std::to_string(info.index) + "_" + info.param.op;
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Convolution, EvaluatorOperator, ::testing::Values(
    Call{"aten::conv1d", "f(2,3,20); f(6,3,5); f(6); [2]; [1]; [1]; 1"},
    Call{"aten::conv1d", "f(3,20); f(6,3,5); None; [2]; [1]; [1]; 1"},
    Call{"aten::conv2d", "f(1,3,18,16); f(8,3,3,3); f(8); [1,1]; [1,1]; [1,1]; 1"},
    Call{"aten::conv2d", "f(1,4,18,16); f(8,2,3,3); f(8); [2,1]; [1,0]; [2,1]; 2"},
    Call{"aten::conv2d", "f(2,8,18,16)cl; f(8,8,3,3); None; [1,1]; [1,1]; [1,1]; 1"},
    Call{"aten::conv2d", "f(2,8,18,16); f(8,8,3,3)cl; None; [1,1]; [1,1]; [1,1]; 1"},
    Call{"aten::conv2d", "f(2,8,18,16)t; f(8,8,3,3); None; [1,1]; [1,1]; [1,1]; 1"},
    Call{"aten::conv2d", "d(2,8,18,16); d(8,8,1,1); d(8); [1,1]; [0,0]; [1,1]; 1"},
    Call{"aten::conv2d", "f(8,18,16); f(8,1,3,3); None; [1,1]; [1,1]; [1,1]; 8"},
    Call{"aten::conv3d", "f(1,3,8,8,8); f(4,3,3,3,3); f(4); [1,1,1]; [1,1,1]; [1,1,1]; 1"},
    Call{"aten::conv2d.padding", "f(1,3,18,16); f(8,3,4,3); f(8); [1,1]; \"same\"; [1,1]; 1"},
    Call{"aten::conv2d.padding", "f(1,3,18,16); f(8,3,3,3); f(8); [2,2]; \"valid\"; [1,1]; 1"},
    Call{"aten::conv_transpose1d", "f(1,4,10); f(4,3,3); f(3); [2]; [1]; [1]; 1; [1]"},
    Call{"aten::conv_transpose2d.input", "f(1,4,10,9); f(4,3,3,3); f(6); [2,2]; [1,1]; [1,1]; 2; [1,1]"},
    Call{"aten::conv_transpose2d.input", "f(1,4,10,9)cl; f(4,3,3,3); f(3); [2,2]; [1,1]; [0,0]; 1; [2,2]"},
    Call{"aten::conv_transpose3d.input", "f(1,4,5,5,5); f(4,3,3,3,3); None; [2,2,2]; [1,1,1]; [1,1,1]; 1; [1,1,1]"},
    Call{"aten::convolution", "f(1,3,18,16); f(8,3,3,3); f(8); [1,1]; [1,1]; [1,1]; false; [0,0]; 1"},
    Call{"aten::_convolution",
         "f(1,3,9,9); f(8,3,3,3); f(8); [1,1]; [1,1]; [1,1]; false; [0,0]; 1; false; false; true; true"},
    Call{"aten::conv_tbc", "f(10,2,3); f(3,3,5); f(5); 1"}), name_of);

INSTANTIATE_TEST_SUITE_P(Normalization, EvaluatorOperator, ::testing::Values(
    Call{"aten::batch_norm", "f(2,3,4,5); f(3); f(3); f(3); f(3); false; 0.1; 0.00001; true"},
    Call{"aten::batch_norm", "f(2,3,4,5)cl; f(3); f(3); f(3); f(3); false; 0.1; 0.00001; true"},
    Call{"aten::batch_norm", "f(2,3,4,5)t; f(3); f(3); f(3); f(3); false; 0.1; 0.00001; true"},
    Call{"aten::batch_norm", "f(4,3); f(3); f(3); f(3); f(3); true; 0.1; 0.00001; true"},
    Call{"aten::native_batch_norm", "f(2,3,4,5); f(3); f(3); f(3); f(3); false; 0.1; 0.00001"},
    Call{"aten::native_batch_norm", "f(2,3,4,5); f(3); f(3); f(3); f(3); true; 0.1; 0.00001"},
    Call{"aten::_native_batch_norm_legit", "f(2,3,4,5); f(3); f(3); f(3); f(3); true; 0.1; 0.00001"},
    Call{"aten::_native_batch_norm_legit.no_stats", "f(2,3,4,5); f(3); f(3); true; 0.1; 0.00001"},
    Call{"aten::_native_batch_norm_legit_no_training", "f(2,3,4,5); f(3); f(3); f(3); f(3); 0.1; 0.00001"},
    Call{"aten::instance_norm", "f(2,3,4,5); f(3); f(3); None; None; true; 0.1; 0.00001; true"},
    Call{"aten::instance_norm", "f(2,3,4,5)cl; None; None; None; None; true; 0.1; 0.00001; true"},
    Call{"aten::group_norm", "f(2,6,4,5); 3; f(6); f(6)"},
    Call{"aten::group_norm", "f(2,6,4,5)cl; 3; f(6); f(6)"},
    Call{"aten::layer_norm", "f(2,3,8); [8]; f(8); f(8)"},
    Call{"aten::native_layer_norm", "f(2,3,8); [8]; f(8); f(8); 0.00001"},
    Call{"aten::native_group_norm", "f(2,6,20); f(6); f(6); 2; 6; 20; 3; 0.00001"}), name_of);

INSTANTIATE_TEST_SUITE_P(Activation, EvaluatorOperator, ::testing::Values(
    Call{"aten::relu", "f(2,3,4)"}, Call{"aten::relu", "f(2,3,4)t"}, Call{"aten::relu", "f(2,3,4)x"},
    Call{"aten::relu_", "f(2,3)"}, Call{"aten::relu6", "f(2,3,4)t"}, Call{"aten::relu6_", "f(2,3,4)t"},
    Call{"aten::hardtanh", "f(2,3); -2; 2"}, Call{"aten::hardtanh_", "f(2,3); 0.0; 6.0"},
    Call{"aten::hardswish", "f(2,3,4,5)cl"}, Call{"aten::hardswish_", "f(2,3)"},
    Call{"aten::hardsigmoid", "f(2,3)"}, Call{"aten::silu", "f(2,3)t"}, Call{"aten::silu_", "f(2,3)"},
    Call{"aten::gelu", "f(2,3)"}, Call{"aten::mish", "f(2,3)"}, Call{"aten::elu", "f(2,3)"},
    Call{"aten::selu", "f(2,3)"}, Call{"aten::celu", "f(2,3); 1.5"}, Call{"aten::rrelu", "f(2,3)"},
    Call{"aten::leaky_relu", "f(2,3)"}, Call{"aten::softplus", "f(2,3)"}, Call{"aten::log_sigmoid", "f(2,3)t"},
    Call{"aten::prelu", "f(2,3,4); f(3)"}, Call{"aten::prelu", "f(2,3,4)t; f(1)"}, Call{"aten::sigmoid", "i(2,3)"},
    Call{"aten::glu", "f(2,4); 1"}, Call{"aten::threshold", "f(2,3); 0.1; 20.0"}, Call{"aten::logit", "f(2,3)"},
    Call{"aten::isnan", "f(2,3)t"}, Call{"aten::isinf", "f(2,3)"}, Call{"aten::where.self", "b(2,1); f(2,3); f(3)"},
    Call{"aten::where.self", "b(2,3)t; i(2,3); f()"}, Call{"aten::where.ScalarOther", "b(2,3); f(2,3); 2.5"},
    Call{"aten::where.Scalar", "b(2,3); 1; 2"}, Call{"aten::floor_divide.Scalar", "i(2,3); 2"},
    Call{"aten::rsub.Scalar", "f(2,3); 1.0; 1"}, Call{"aten::native_dropout", "f(2,3); 0.5; true"},
    Call{"aten::dropout", "f(2,3); 0.5; true"}, Call{"aten::dropout", "f(2,3); 0.5; false"},
    Call{"aten::feature_dropout", "f(2,3,4,4); 0.5; true"}, Call{"aten::softmax.int", "h(2,3); -1; dtype:double"},
    Call{"aten::log_softmax.int", "f(2,3)t; 1; None"}), name_of);

INSTANTIATE_TEST_SUITE_P(Pooling, EvaluatorOperator, ::testing::Values(
    Call{"aten::adaptive_avg_pool1d", "f(2,3,10); [4]"}, Call{"aten::adaptive_avg_pool2d", "f(2,3,10,12); [1,1]"},
    Call{"aten::adaptive_avg_pool2d", "f(2,3,10,12)cl; [4,5]"}, Call{"aten::adaptive_avg_pool2d", "f(3,10,12); [4,5]"},
    Call{"aten::adaptive_avg_pool2d", "f(2,3,10,12)cl; [1,1]"},
    Call{"aten::adaptive_avg_pool3d", "f(2,3,6,6,6); [2,3,1]"},
    Call{"aten::adaptive_max_pool1d", "f(2,3,10); [4]"}, Call{"aten::adaptive_max_pool2d", "f(2,3,10,12); [4,5]"},
    Call{"aten::adaptive_max_pool3d", "f(2,3,6,6,6); [2,3,1]"},
    Call{"aten::max_pool1d", "f(2,3,10); [3]; [2]; [1]; [1]; true"},
    Call{"aten::max_pool2d", "f(2,3,10,12); [3,3]; [2,2]; [1,1]; [1,1]; false"},
    Call{"aten::max_pool2d", "f(2,3,10,12)cl; [3,3]; []; [1,1]; [1,1]; true"},
    Call{"aten::max_pool2d_with_indices", "f(2,3,10,12); [3,3]; [2,2]; [1,1]; [1,1]; false"},
    Call{"aten::max_pool3d", "f(2,3,6,6,6); [2,2,2]"}, Call{"aten::max_pool3d_with_indices", "f(2,3,6,6,6); [2,2,2]"},
    Call{"aten::avg_pool1d", "f(2,3,10); [3]; [2]; [1]; true; true"},
    Call{"aten::avg_pool2d", "f(2,3,10,12); [3,3]; [2,2]; [1,1]; true; false; None"},
    Call{"aten::avg_pool3d", "f(2,3,6,6,6); [2,2,2]"},
    Call{"aten::max_unpool2d", "f(1,2,4,4); i(1,2,4,4); [8,8]"},
    Call{"aten::fractional_max_pool2d", "f(1,2,8,8); [2,2]; [4,4]; f(1,2,2)"}), name_of);

}  // namespace
}  // namespace tonnx::torch::testing
