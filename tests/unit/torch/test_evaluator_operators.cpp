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

// LibTorch's kernel of each divides by the size of an axis, and would end the process.
TEST(EvaluatorTraps, SizesOf0ThatAKernelDividesByAreErrors) {
  const auto evaluator = make_evaluator();
  for (const Call& call :
       {Call{"aten::_weight_norm_interface", "f(0,5); f(0,1); 0"},
        Call{"aten::_weight_norm_interface", "f(5,0); f(1,0); 1"}, Call{"aten::_weight_norm", "f(0,5); f(0,1); 0"}}) {
    EXPECT_THROW(evaluate(*evaluator, call.op, parse_arguments(call.arguments)), ir::Error) << call.op;
    EXPECT_EQ(evaluate(*evaluator, call.op, parse_arguments("f(3,5); f(3,1); 0")).outcome,
              ir::Evaluator::Outcome::Done);
  }
}

std::string name_of(const ::testing::TestParamInfo<Call>& info) {
  std::string name = std::to_string(info.index) + "_" + info.param.op;
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(
    Convolution, EvaluatorOperator,
    ::testing::ValuesIn(std::vector<Call>{
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
        Call{"aten::conv_tbc", "f(10,2,3); f(3,3,5); f(5); 1"}}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Normalization, EvaluatorOperator,
    ::testing::ValuesIn(std::vector<Call>{
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
        Call{"aten::group_norm", "f(2,6,4,5); 3; f(6); f(6)"}, Call{"aten::group_norm", "f(2,6,4,5)cl; 3; f(6); f(6)"},
        Call{"aten::layer_norm", "f(2,3,8); [8]; f(8); f(8)"},
        Call{"aten::native_layer_norm", "f(2,3,8); [8]; f(8); f(8); 0.00001"},
        Call{"aten::native_group_norm", "f(2,6,20); f(6); f(6); 2; 6; 20; 3; 0.00001"}}),
    name_of);

INSTANTIATE_TEST_SUITE_P(Activation, EvaluatorOperator,
                         ::testing::ValuesIn(std::vector<Call>{
                             Call{"aten::relu", "f(2,3,4)"},
                             Call{"aten::relu", "f(2,3,4)t"},
                             Call{"aten::relu", "f(2,3,4)x"},
                             Call{"aten::relu_", "f(2,3)"},
                             Call{"aten::relu6", "f(2,3,4)t"},
                             Call{"aten::relu6_", "f(2,3,4)t"},
                             Call{"aten::hardtanh", "f(2,3); -2; 2"},
                             Call{"aten::hardtanh_", "f(2,3); 0.0; 6.0"},
                             Call{"aten::hardswish", "f(2,3,4,5)cl"},
                             Call{"aten::hardswish_", "f(2,3)"},
                             Call{"aten::hardsigmoid", "f(2,3)"},
                             Call{"aten::silu", "f(2,3)t"},
                             Call{"aten::silu_", "f(2,3)"},
                             Call{"aten::gelu", "f(2,3)"},
                             Call{"aten::mish", "f(2,3)"},
                             Call{"aten::elu", "f(2,3)"},
                             Call{"aten::selu", "f(2,3)"},
                             Call{"aten::celu", "f(2,3); 1.5"},
                             Call{"aten::rrelu", "f(2,3)"},
                             Call{"aten::rrelu_with_noise_functional", "f(2,3)t; f(2,3)"},
                             Call{"aten::_add_relu.Tensor", "f(2,3)t; f(3)"},
                             Call{"aten::_add_relu.Tensor", "f(2,1); d(3)"},
                             Call{"aten::_add_relu.Scalar", "f(2,3); 2; 3"},
                             Call{"aten::leaky_relu", "f(2,3)"},
                             Call{"aten::softplus", "f(2,3)"},
                             Call{"aten::log_sigmoid", "f(2,3)t"},
                             Call{"aten::prelu", "f(2,3,4); f(3)"},
                             Call{"aten::prelu", "f(2,3,4)t; f(1)"},
                             Call{"aten::sigmoid", "i(2,3)"},
                             Call{"aten::glu", "f(2,4); 1"},
                             Call{"aten::threshold", "f(2,3); 0.1; 20.0"},
                             Call{"aten::logit", "f(2,3)"},
                             Call{"aten::isnan", "f(2,3)t"},
                             Call{"aten::isinf", "f(2,3)"},
                             Call{"aten::where.self", "b(2,1); f(2,3); f(3)"},
                             Call{"aten::where.self", "b(2,3)t; i(2,3); f()"},
                             Call{"aten::where.ScalarOther", "b(2,3); f(2,3); 2.5"},
                             Call{"aten::where.Scalar", "b(2,3); 1; 2"},
                             Call{"aten::floor_divide.Scalar", "i(2,3); 2"},
                             Call{"aten::ldexp.Tensor", "f(2,3); i(3)"},
                             Call{"aten::ldexp.Tensor", "i(2,1); i(3)"},
                             Call{"aten::rsub.Scalar", "f(2,3); 1.0; 1"},
                             Call{"aten::native_dropout", "f(2,3); 0.5; true"},
                             Call{"aten::dropout", "f(2,3); 0.5; true"},
                             Call{"aten::dropout", "f(2,3); 0.5; false"},
                             Call{"aten::feature_dropout", "f(2,3,4,4); 0.5; true"},
                             Call{"aten::softmax.int", "h(2,3); -1; dtype:double"},
                             Call{"aten::log_softmax.int", "f(2,3)t; 1; None"}}),
                         name_of);

INSTANTIATE_TEST_SUITE_P(Pooling, EvaluatorOperator,
                         ::testing::ValuesIn(std::vector<Call>{
                             Call{"aten::adaptive_avg_pool1d", "f(2,3,10); [4]"},
                             Call{"aten::adaptive_avg_pool1d", "f(2,3,0); [1]"},
                             Call{"aten::adaptive_avg_pool2d", "f(2,3,10,12); [1,1]"},
                             Call{"aten::adaptive_avg_pool2d", "f(2,3,10,12)cl; [4,5]"},
                             Call{"aten::adaptive_avg_pool2d", "f(3,10,12); [4,5]"},
                             Call{"aten::adaptive_avg_pool2d", "f(2,3,10,12)cl; [1,1]"},
                             Call{"aten::adaptive_avg_pool3d", "f(2,3,6,6,6); [2,3,1]"},
                             Call{"aten::adaptive_avg_pool3d", "f(2,3,6,0,6); [1,1,1]"},
                             Call{"aten::adaptive_max_pool1d", "f(2,3,10); [4]"},
                             Call{"aten::adaptive_max_pool2d", "f(2,3,10,12); [4,5]"},
                             Call{"aten::adaptive_max_pool3d", "f(2,3,6,6,6); [2,3,1]"},
                             Call{"aten::max_pool1d", "f(2,3,10); [3]; [2]; [1]; [1]; true"},
                             Call{"aten::max_pool2d", "f(2,3,10,12); [3,3]; [2,2]; [1,1]; [1,1]; false"},
                             Call{"aten::max_pool2d", "f(2,3,10,12)cl; [3,3]; []; [1,1]; [1,1]; true"},
                             Call{"aten::max_pool2d_with_indices", "f(2,3,10,12); [3,3]; [2,2]; [1,1]; [1,1]; false"},
                             Call{"aten::max_pool3d", "f(2,3,6,6,6); [2,2,2]"},
                             Call{"aten::max_pool3d_with_indices", "f(2,3,6,6,6); [2,2,2]"},
                             Call{"aten::avg_pool1d", "f(2,3,10); [3]; [2]; [1]; true; true"},
                             Call{"aten::avg_pool2d", "f(2,3,10,12); [3,3]; [2,2]; [1,1]; true; false; None"},
                             Call{"aten::avg_pool3d", "f(2,3,6,6,6); [2,2,2]"},
                             Call{"aten::max_unpool2d", "f(1,2,4,4); i(1,2,4,4); [8,8]"},
                             Call{"aten::fractional_max_pool2d", "f(1,2,8,8); [2,2]; [4,4]; f(1,2,2)"}}),
                         name_of);

INSTANTIATE_TEST_SUITE_P(Reduction, EvaluatorOperator,
                         ::testing::ValuesIn(std::vector<Call>{
                             Call{"aten::max", "f(2,3)"},
                             Call{"aten::min", "f(2,3)"},
                             Call{"aten::prod", "f(2,3)"},
                             Call{"aten::prod", "i(2,3)"},
                             Call{"aten::prod.dim_int", "f(2,3); 1; true; None"},
                             Call{"aten::max.dim", "f(2,3)t; 1; false"},
                             Call{"aten::min.dim", "f(2,3); 0; true"},
                             Call{"aten::max.other", "f(2,3); f(3)"},
                             Call{"aten::sum", "b(2,3)"},
                             Call{"aten::sum.dim_IntList", "f(2,3,4); [1,2]; true; dtype:double"},
                             Call{"aten::mean.dim", "f(2,3,4); [1]; false; None"},
                             Call{"aten::std", "f(2,3); true"},
                             Call{"aten::std.dim", "f(2,3,4); [1]; true; true"},
                             Call{"aten::var.correction", "f(2,3,4); [0,2]"},
                             Call{"aten::std.correction", "f(2,3)"},
                             Call{"aten::var_mean.correction", "f(2,3,4); [1]"},
                             Call{"aten::std_mean.dim", "f(2,3); [1]"},
                             Call{"aten::median", "f(2,3)"},
                             Call{"aten::median.dim", "f(2,3); 1"},
                             Call{"aten::nanmedian.dim", "f(2,3); 1; true"},
                             Call{"aten::mode", "f(2,3); 0"},
                             Call{"aten::kthvalue", "f(2,5); 2; 1"},
                             Call{"aten::argmax", "f(2,3); 1; true"},
                             Call{"aten::argmin", "f(2,3)"},
                             Call{"aten::amax", "f(2,3,4); [0,1]"},
                             Call{"aten::aminmax", "f(2,3)"},
                             Call{"aten::any", "b(2,3)"},
                             Call{"aten::any.dim", "b(2,3); 1"},
                             Call{"aten::all", "f(2,3)"},
                             Call{"aten::logsumexp", "f(2,3); [1]"},
                             Call{"aten::norm.ScalarOpt_dim", "f(2,3); 2; [1]"},
                             Call{"aten::norm.Scalar", "f(2,3); 2"},
                             Call{"aten::linalg_vector_norm", "f(2,3); 2; [1]; true; None"},
                             Call{"aten::linalg_vector_norm", "f(2,1); 2; [-1]; false; None"},
                             Call{"aten::norm.ScalarOpt_dim", "f(2,1,1); 2; [-1,1]; false"},
                             Call{"aten::frobenius_norm.dim", "f(1,1); [-2,-1]; true"},
                             Call{"aten::linalg_norm", "f(1); None; [-1]"},
                             Call{"aten::cumsum", "i(2,3); 1"},
                             Call{"aten::cumprod", "f(2,3); 0"},
                             Call{"aten::cummax", "f(2,3)t; 1"},
                             Call{"aten::cummin", "f(2,3); 1"},
                             Call{"aten::logcumsumexp", "f(2,3); 1"},
                             Call{"aten::nansum", "f(2,3); [1]"},
                             Call{"aten::nansum", "f(2,3); []; true"},
                             Call{"aten::nanmean", "f(2,3); []"},
                             Call{"aten::__lshift__.Tensor", "b(2,3); i(3)"},
                             Call{"aten::__rshift__.Scalar", "b(2,3); 1"},
                             Call{"aten::count_nonzero", "f(2,3); None"},
                             Call{"aten::count_nonzero.dim_IntList", "f(2,3); [1]"},
                             Call{"aten::sort", "f(2,3)t; 1; true"},
                             Call{"aten::argsort", "f(2,3); 0"},
                             Call{"aten::topk", "f(2,9); 4; 1"},
                             Call{"aten::msort", "f(3,2)"},
                             Call{"aten::trace", "f(3,3)"},
                             Call{"aten::dot", "f(3); f(3)"},
                             Call{"aten::cdist", "f(2,3,4); f(2,5,4)"},
                             Call{"aten::histc", "f(10); 5"}}),
                         name_of);

INSTANTIATE_TEST_SUITE_P(Indexing, EvaluatorOperator,
                         ::testing::ValuesIn(std::vector<Call>{
                             Call{"aten::embedding", "f(10,4); i(2,3)"},
                             Call{"aten::embedding", "f(10,4); j(2,3)t"},
                             Call{"aten::embedding_bag", "f(10,4); i(6); i(2)"},
                             Call{"aten::index_select", "f(2,3,4)t; 1; i(5)"},
                             Call{"aten::index.Tensor", "f(2,3,4); {i(2,2)}"},
                             Call{"aten::index.Tensor", "f(2,3,4); {None,i(2),i(1)}"},
                             Call{"aten::index.Tensor", "f(2,3,4)t; {i(2),None,i(2)}"},
                             Call{"aten::index_put", "f(2,3,4)t; {i(2)}; f(3,4)"},
                             Call{"aten::index_put_", "f(2,3,4); {i(2)}; f(3,4)"},
                             Call{"aten::index_put", "f(2,3); {b(2,3)}; f()"},
                             Call{"aten::index_add", "f(2,3); 0; i(4); f(4,3)"},
                             Call{"aten::index_copy", "f(2,3); 0; i(1); f(1,3)"},
                             Call{"aten::index_fill.int_Scalar", "f(2,3); 0; i(2); 1.5"},
                             Call{"aten::gather", "f(2,3); 1; i(2,5)"},
                             Call{"aten::scatter.src", "f(2,3)t; 1; i(2,2); f(2,2)"},
                             Call{"aten::scatter_add", "f(2,3); 1; i(2,2); f(2,2)"},
                             Call{"aten::scatter_.value", "f(2,3); 1; i(2,2); 1.5"},
                             Call{"aten::scatter_reduce.two", "f(2,3); 1; i(2,2); f(2,2); \"sum\""},
                             Call{"aten::take", "f(2,3); i(4,2)"},
                             Call{"aten::take_along_dim", "f(2,3); i(2,1); 1"},
                             Call{"aten::flip", "f(2,3)t; [0,1]"},
                             Call{"aten::roll", "f(2,3)t; [1]; [0]"},
                             Call{"aten::rot90", "f(2,3); 1; [0,1]"},
                             Call{"aten::bucketize.Tensor", "f(2,3)t; f(5)"},
                             Call{"aten::searchsorted.Tensor", "f(5); f(2,3); true"},
                             Call{"aten::masked_fill.Scalar", "f(2,3)t; b(3); 0.0"},
                             Call{"aten::masked_fill_.Scalar", "f(2,3); b(2,1); 0.0"},
                             Call{"aten::masked_scatter", "f(2,3); b(2,3); f(6)"},
                             Call{"aten::tril", "f(3,3)t"},
                             Call{"aten::triu", "f(3,3); 1"},
                             Call{"aten::one_hot", "i(2,3); 5"},
                             Call{"aten::repeat_interleave.self_int", "f(2,3); 2; 1"},
                             Call{"aten::nonzero_static", "f(2,3); 4"},
                             Call{"aten::diagonal_scatter", "f(3,3); f(3)"},
                             Call{"aten::slice_scatter", "f(4,3); f(2,3); 0; 0; 2"},
                             Call{"aten::select_scatter", "f(4,3); f(3); 0; 1"}}),
                         name_of);

INSTANTIATE_TEST_SUITE_P(Shape, EvaluatorOperator,
                         ::testing::ValuesIn(std::vector<Call>{
                             Call{"aten::cat", "{f(2,3),f(2,4)}; 1"},
                             Call{"aten::cat", "{f(2,3,4,5)cl,f(2,3,4,5)cl}; 1"},
                             Call{"aten::stack", "{f(2,3),f(2,3)}; 1"},
                             Call{"aten::hstack", "{f(2,3),f(2,3)}"},
                             Call{"aten::split.Tensor", "f(5,3); 2; 0"},
                             Call{"aten::split_with_sizes", "f(5,3); [2,3]; 0"},
                             Call{"aten::chunk", "f(5,3); 2; 0"},
                             Call{"aten::unbind.int", "f(2,3); 0"},
                             Call{"aten::tensor_split.sections", "f(5,3); 2; 0"},
                             Call{"aten::permute", "f(2,3,4); [2,0,1]"},
                             Call{"aten::reshape", "f(2,3)t; [6]"},
                             Call{"aten::reshape", "f(2,3); [3,-1]"},
                             Call{"aten::view", "f(2,3); [3,2]"},
                             Call{"aten::flatten.using_ints", "f(2,3,4); 1; -1"},
                             Call{"aten::unflatten.int", "f(6,4); 0; [2,3]"},
                             Call{"aten::expand", "f(1,3); [4,3]; false"},
                             Call{"aten::repeat", "f(2,3); [2,2]"},
                             Call{"aten::tile", "f(2,3); [2]"},
                             Call{"aten::squeeze.dim", "f(1,3); 0"},
                             Call{"aten::unsqueeze", "f(2,3); 1"},
                             Call{"aten::narrow", "f(4,3); 0; 1; 2"},
                             Call{"aten::unfold", "f(10,3); 0; 3; 2"},
                             Call{"aten::movedim.intlist", "f(2,3,4); [0]; [2]"},
                             Call{"aten::constant_pad_nd", "f(2,3)t; [1,2]; 0"},
                             Call{"aten::pad", "f(1,2,3,4); [1,1,1,1]; \"reflect\"; None"},
                             Call{"aten::reflection_pad1d", "f(2,5); [1,2]"},
                             Call{"aten::reflection_pad2d", "f(1,2,5,5)cl; [1,2,1,1]"},
                             Call{"aten::reflection_pad3d", "f(1,1,4,4,4); [1,1,1,1,1,1]"},
                             Call{"aten::replication_pad1d", "f(1,2,5); [1,2]"},
                             Call{"aten::replication_pad2d", "f(1,2,5,5); [1,2,1,1]"},
                             Call{"aten::replication_pad3d", "f(1,2,4,4,4); [1,2,1,1,1,1]"},
                             Call{"aten::_pad_circular", "f(1,2,5); [1,2]"},
                             Call{"aten::pixel_shuffle", "f(1,8,3,3); 2"},
                             Call{"aten::pixel_unshuffle", "f(1,2,4,4); 2"},
                             Call{"aten::channel_shuffle", "f(1,4,3,3); 2"},
                             Call{"aten::im2col", "f(1,2,6,6); [3,3]; [1,1]; [0,0]; [1,1]"},
                             Call{"aten::col2im", "f(1,18,16); [6,6]; [3,3]; [1,1]; [0,0]; [1,1]"},
                             Call{"aten::broadcast_tensors", "{f(2,1),f(3)}"},
                             Call{"aten::meshgrid.indexing", "{f(2),f(3)}; \"ij\""},
                             Call{"aten::to.dtype", "f(2,3)t; dtype:half; false; false; None"},
                             Call{"aten::type_as", "f(2,3); h(1)"},
                             Call{"aten::clone", "f(2,3)t; None"},
                             Call{"aten::zeros_like", "f(2,3)t"},
                             Call{"aten::new_zeros", "f(2,3); [4]"},
                             Call{"aten::rand_like", "f(2,3)"},
                             Call{"aten::randn_like", "f(2,3)t"},
                             Call{"aten::bernoulli", "f(2,3)"},
                             Call{"aten::bernoulli_.float", "f(2,3); 0.5"},
                             Call{"aten::normal_", "f(2,3)"},
                             Call{"aten::multinomial", "f(2,3); 2; true; None"},
                             Call{"aten::affine_grid_generator", "f(2,2,3); [2,3,4,5]; false"},
                             Call{"aten::cross", "f(2,3); f(2,3)"},
                             Call{"aten::view_as_real", "c(2,3)"},
                             Call{"aten::fft_rfft", "f(2,8)"},
                             Call{"aten::stft", "f(32); 8; None; None; None; false; None; true"}}),
                         name_of);

INSTANTIATE_TEST_SUITE_P(Linear, EvaluatorOperator,
                         ::testing::ValuesIn(std::vector<Call>{
                             Call{"aten::linear", "f(2,5,3); f(4,3); f(4)"},
                             Call{"aten::linear", "f(3); f(4,3)"},
                             Call{"aten::matmul", "f(2,1,3,4); f(5,4,6)"},
                             Call{"aten::bmm", "f(2,3,4); f(2,4,5)"},
                             Call{"aten::addmm", "f(5); f(2,3); f(3,5)"},
                             Call{"aten::baddbmm", "f(1,5); f(2,3,4); f(2,4,5)"},
                             Call{"aten::addbmm", "f(3,5); f(2,3,4); f(2,4,5)"},
                             Call{"aten::mv", "f(2,3); f(3)"},
                             Call{"aten::einsum", "\"bij,bjk->bik\"; {f(2,3,4),f(2,4,5)}"},
                             Call{"aten::bilinear", "f(2,3); f(2,4); f(5,3,4); f(5)"},
                             Call{"aten::outer", "f(2); f(3)"},
                             Call{"aten::tensordot", "f(2,3); f(3,4); [1]; [0]"},
                             Call{"aten::linalg_inv", "f(3,3)"},
                             Call{"aten::det", "f(3,3)"},
                             Call{"aten::linalg_cholesky", "f(1,1)"},
                             Call{"aten::cosine_similarity", "f(2,3); f(2,3); 1"},
                             Call{"aten::pairwise_distance", "f(2,3); f(2,3)"},
                             Call{"aten::pdist", "f(4,3)"},
                             Call{"aten::chain_matmul", "{f(2,3),f(3,4)}"},
                             Call{"aten::kron", "f(2,2); f(2,2)"}}),
                         name_of);

INSTANTIATE_TEST_SUITE_P(
    Attention, EvaluatorOperator,
    ::testing::ValuesIn(std::vector<Call>{
        Call{"aten::scaled_dot_product_attention", "f(2,3,4,8); f(2,3,5,8); f(2,3,5,8)"},
        Call{"aten::scaled_dot_product_attention", "f(2,3,4,8); f(2,3,5,8); f(2,3,5,6); f(4,5); 0.0; false"},
        Call{"aten::scaled_dot_product_attention", "f(2,4,8); f(2,5,8); f(2,5,8)"},
        Call{"aten::scaled_dot_product_attention", "f(2,4,6,8)s; f(2,4,5,8)s; f(2,4,5,8)s; None; 0.0; true"},
        Call{"aten::scaled_dot_product_attention", "f(2,4,6,8)s; f(2,4,5,8); f(2,4,5,8)s; f(2,1,6,5)"},
        Call{"aten::scaled_dot_product_attention", "f(2,4,6,8); f(2,4,5,8)t; f(2,4,5,8)"},
        Call{"aten::scaled_dot_product_attention", "f(2,4,6,8)s; f(2,4,5,8); f(2,4,5,8); b(6,5); 0.1"},
        Call{"aten::scaled_dot_product_attention", "f(2,4,6,8); f(2,2,5,8); f(2,2,5,8); None; 0.0; false; None; true"},
        Call{"aten::_scaled_dot_product_flash_attention_for_cpu", "f(2,3,4,8); f(2,3,5,8); f(2,3,5,8)"},
        Call{"aten::_scaled_dot_product_attention_math", "f(2,3,4,8); f(2,3,5,8); f(2,3,5,8)"},
        Call{"aten::_native_multi_head_attention", "f(2,4,8); f(2,4,8); f(2,4,8); 8; 2; f(24,8); f(24); f(8,8); f(8)"},
        Call{"aten::_transformer_encoder_layer_fwd",
             "f(2,4,8); 8; 2; f(24,8); f(24); f(8,8); f(8); false; false; 0.00001; f(8); f(8); f(8); f(8); "
             "f(16,8); f(16); f(8,16); f(8)"},
        Call{"aten::_transform_bias_rescale_qkv", "f(2,4,24); f(24); 2"}, Call{"aten::_safe_softmax", "f(2,3); 1"},
        Call{"aten::_masked_softmax", "f(2,2,3,3); b(3,3); 3; 0"}}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Recurrent, EvaluatorOperator,
    ::testing::ValuesIn(std::vector<Call>{
        Call{"aten::lstm.input",
             "f(5,2,3); {f(1,2,4),f(1,2,4)}; {f(16,3),f(16,4),f(16),f(16)}; true; 1; 0.0; false; false; false"},
        Call{"aten::lstm.input",
             "f(2,5,3); {f(4,2,4),f(4,2,4)}; {f(16,3),f(16,4),f(16),f(16),f(16,3),f(16,4),f(16),f(16),"
             "f(16,8),f(16,4),f(16),f(16),f(16,8),f(16,4),f(16),f(16)}; true; 2; 0.0; false; true; true"},
        Call{"aten::gru.input", "f(5,2,3); f(1,2,4); {f(12,3),f(12,4),f(12),f(12)}; true; 1; 0.0; false; false; false"},
        Call{"aten::gru.input",
             "f(2,5,3); f(2,2,4); {f(12,3),f(12,4),f(12,3),f(12,4)}; false; 1; 0.0; false; true; true"},
        Call{"aten::rnn_tanh.input",
             "f(5,2,3); f(1,2,4); {f(4,3),f(4,4),f(4),f(4)}; true; 1; 0.0; false; false; false"},
        Call{"aten::rnn_relu.input", "f(2,5,3); f(1,2,4); {f(4,3),f(4,4),f(4),f(4)}; true; 1; 0.0; false; false; true"},
        Call{"aten::lstm_cell", "f(2,3); {f(2,4),f(2,4)}; f(16,3); f(16,4); f(16); f(16)"},
        Call{"aten::gru_cell", "f(2,3); f(2,4); f(12,3); f(12,4); f(12); f(12)"},
        Call{"aten::rnn_tanh_cell", "f(2,3); f(2,4); f(4,3); f(4,4)"}}),
    name_of);

INSTANTIATE_TEST_SUITE_P(Vision, EvaluatorOperator,
                         ::testing::ValuesIn(std::vector<Call>{
                             Call{"aten::upsample_nearest2d", "f(1,2,4,4); [8,8]"},
                             Call{"aten::upsample_nearest2d.vec", "f(1,2,4,4)cl; None; [2.0,2.0]"},
                             Call{"aten::upsample_bilinear2d", "f(1,2,4,4); [8,7]; false"},
                             Call{"aten::upsample_bilinear2d.vec", "f(1,2,4,4); None; true; [2.0,2.0]"},
                             Call{"aten::upsample_bicubic2d", "f(1,2,4,4); [8,7]; true"},
                             Call{"aten::upsample_nearest1d", "f(1,2,4); [8]"},
                             Call{"aten::upsample_linear1d", "f(1,2,4); [8]; false"},
                             Call{"aten::upsample_nearest3d", "f(1,2,4,4,4); [8,8,8]"},
                             Call{"aten::upsample_trilinear3d", "f(1,2,4,4,4); [8,8,8]; false"},
                             Call{"aten::_upsample_nearest_exact2d", "f(1,2,4,4); [8,8]"},
                             Call{"aten::_upsample_bilinear2d_aa", "f(1,2,8,8); [4,4]; false"},
                             Call{"aten::grid_sampler", "f(1,2,4,4); f(1,5,6,2); 0; 0; false"},
                             Call{"aten::grid_sampler", "f(1,2,4,4)cl; f(1,5,6,2); 0; 0; false"},
                             Call{"aten::grid_sampler_2d", "f(1,2,4,4); f(1,5,6,2); 0; 0; false"},
                             Call{"aten::grid_sampler", "f(1,2,4,4,4); f(1,5,6,7,3); 0; 0; false"},
                             Call{"aten::unfold_copy", "f(10,3); 0; 3; 2"}}),
                         name_of);

INSTANTIATE_TEST_SUITE_P(
    Loss, EvaluatorOperator,
    ::testing::ValuesIn(std::vector<Call>{
        Call{"aten::nll_loss", "f(3,5); i(3)"}, Call{"aten::nll_loss_nd", "f(3,5,2); i(3,2)"},
        Call{"aten::cross_entropy_loss", "f(3,5); i(3)"}, Call{"aten::binary_cross_entropy", "f(3); f(3)"},
        Call{"aten::binary_cross_entropy_with_logits", "f(3); f(3)"}, Call{"aten::mse_loss", "f(3); f(3); 0"},
        Call{"aten::l1_loss", "f(3); f(3)"}, Call{"aten::smooth_l1_loss", "f(3); f(3)"},
        Call{"aten::huber_loss", "f(3); f(3)"}, Call{"aten::kl_div", "f(3); f(3)"}}),
    name_of);

INSTANTIATE_TEST_SUITE_P(Arithmetic, EvaluatorOperator,
                         ::testing::ValuesIn(std::vector<Call>{Call{"aten::add.Tensor", "f(2,3); i(3)"},
                                                               Call{"aten::add.Tensor", "h(2,3); f()"},
                                                               Call{"aten::logical_not", "f(2,3)t"},
                                                               Call{"aten::logical_or", "b(2,3); f(3)"},
                                                               Call{"aten::mul.Tensor", "i(2,3)t; i(2,1)t"},
                                                               Call{"aten::div.Tensor", "i(2,3); i(3)"},
                                                               Call{"aten::pow.Tensor_Scalar", "f(2,3); 2"},
                                                               Call{"aten::pow.Scalar", "2; i(3)"},
                                                               Call{"aten::remainder.Scalar", "i(3); 2"},
                                                               Call{"aten::fmod.Scalar", "f(3); 2"},
                                                               Call{"aten::eq.Tensor", "f(2,3); f(3)"},
                                                               Call{"aten::lt.Scalar", "f(2,3); 1"},
                                                               Call{"aten::logical_and", "f(2); b(2)"},
                                                               Call{"aten::bitwise_and.Tensor", "i(2); j(2)"},
                                                               Call{"aten::clamp", "f(2,3)t; 0; 1"},
                                                               Call{"aten::clamp.Tensor", "f(2,3); f(3); None"},
                                                               Call{"aten::abs", "c(2,3)"},
                                                               Call{"aten::angle", "f(2,3)"},
                                                               Call{"aten::exp", "i(2)"},
                                                               Call{"aten::erf", "f(2)"},
                                                               Call{"aten::atan2", "f(2); f(2)"},
                                                               Call{"aten::round", "f(2)"},
                                                               Call{"aten::sign", "f(2)"},
                                                               Call{"aten::maximum", "f(2); i(2)"},
                                                               Call{"aten::addcmul", "f(2); f(2); f(2)"},
                                                               Call{"aten::lerp.Scalar", "f(2); f(2); 0.5"},
                                                               Call{"aten::nan_to_num", "f(2)"},
                                                               Call{"aten::complex", "f(2); f(2)"},
                                                               Call{"aten::real", "c(2)"},
                                                               Call{"aten::polar", "f(2); f(2)"},
                                                               Call{"aten::frac", "f(2)"},
                                                               Call{"aten::cumulative_trapezoid.dx", "f(5)"},
                                                               Call{"aten::hypot", "f(2); f(2)"}}),
                         name_of);

}  // namespace
}  // namespace tonnx::torch::testing
