#include <chrono>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <torch/library.h>

#include "ir/error.h"
#include "operator_calls.h"
#include "torch/evaluator.h"

// An operator of a user's own with a kernel for the CPU alone.
static at::Tensor twice(const at::Tensor& x) { return at::cat({x, x}, 0); }

// One whose only kernel, of all devices, reads what its argument holds.
static at::Tensor pairs(const at::Tensor& x) { return x.const_data_ptr<float>()[0] < 1 ? at::cat({x, x}, 0) : x; }

TORCH_LIBRARY(tonnx_evaluator_test, m) {
  m.def("pairs(Tensor x) -> Tensor", &pairs);
  m.def("twice(Tensor x) -> Tensor");
  m.impl("twice", c10::DispatchKey::CPU, TORCH_FN(twice));
}

namespace tonnx::torch::testing {
namespace {

using ir::DatumPtr;
using Outcome = ir::Evaluator::Outcome;
using ::testing::HasSubstr;
using ::testing::Not;

class EvaluatorTest : public ::testing::Test {
 protected:
  DatumPtr meta(const std::vector<std::int64_t>& dims, ir::DType dtype = ir::DType::Float32) {
    return evaluator_->meta(dtype, dims);
  }
  template <class T>
  DatumPtr constant(T value) {
    return evaluator_->constant(ir::Constant{std::move(value)});
  }
  DatumPtr int_constant(std::int64_t value) { return constant(value); }
  DatumPtr ints(const std::vector<std::int64_t>& values) {
    ir::Constant::List list;
    for (const std::int64_t value : values) list.items.push_back({value});
    return constant(list);
  }
  DatumPtr tensor(const std::vector<std::int64_t>& values) { return constant(ir::Tensor::of_int64(values)); }
  DatumPtr op(const std::string& name, const std::vector<DatumPtr>& inputs) {
    std::vector<DatumPtr> outputs;
    outcome_ = evaluator_->evaluate(*make_node(name)->node, inputs, outputs);
    return outputs.empty() ? nullptr : outputs[0];
  }
  DatumPtr list(const std::vector<DatumPtr>& items) {
    const ir::Type type = ir::Type::list(ir::Type::of(ir::Type::Kind::Tensor));
    return evaluate_form(*evaluator_, "prim::ListConstruct", items, 1, type)[0];
  }
  std::string text(const DatumPtr& datum) { return layout(*evaluator_, datum); }
  std::string constant_text(const DatumPtr& datum) {
    const ir::Facts facts = evaluator_->describe(*datum);
    if (!facts.constant) return "unknown";
    const auto* tensor = facts.constant->get<ir::Tensor>();
    return tensor ? ::testing::PrintToString(tensor->to_doubles()) : ir::to_string(*facts.constant);
  }

  std::unique_ptr<ir::Evaluator> evaluator_ = make_evaluator();
  Outcome outcome_ = Outcome::Done;
};

TEST_F(EvaluatorTest, MakesNoContentWhereSizesAreWanted) {
  const auto none = evaluator_->constant(ir::Constant{});
  const auto zeros = [&](std::int64_t size, ir::Evaluator::Wanted wanted) {
    std::vector<DatumPtr> outputs;
    EXPECT_EQ(evaluator_->evaluate(*make_node("aten::zeros")->node,
                                   std::vector{ints({size, 3}), none, none, none, none}, outputs, wanted),
              Outcome::Done);
    return outputs.at(0);
  };
  EXPECT_EQ(constant_text(zeros(1, ir::Evaluator::Wanted::Content)), "{ 0, 0, 0 }");
  const ir::Facts facts = evaluator_->describe(*zeros(std::int64_t{1} << 48, ir::Evaluator::Wanted::Sizes));
  EXPECT_EQ(facts.fixed_dims(), (std::vector<std::int64_t>{std::int64_t{1} << 48, 3}));
  EXPECT_FALSE(facts.constant);
  EXPECT_EQ(constant_text(zeros(1, ir::Evaluator::Wanted::Sizes)), "unknown");
  EXPECT_EQ(
      constant_text(op("aten::add.Tensor", {zeros(1, ir::Evaluator::Wanted::Sizes), tensor({1}), int_constant(1)})),
      "unknown");
}

TEST_F(EvaluatorTest, ComputesTrulyWhatDependsOnConstantsAlone) {
  EXPECT_EQ(constant_text(op("aten::mul.Tensor", {tensor({2, 3}), tensor({4, 5})})), "{ 8, 15 }");
  EXPECT_EQ(constant_text(op("aten::add.int", {int_constant(2), int_constant(3)})), "5");
  const DatumPtr size = op("aten::size.int", {meta({2, 7}), int_constant(1)});
  EXPECT_EQ(constant_text(size), "7");
  const DatumPtr number = evaluate_form(*evaluator_, "prim::NumToTensor", {size})[0];
  EXPECT_EQ(constant_text(number), "{ 7 }");
  EXPECT_EQ(constant_text(op("aten::Int.Tensor", {number})), "7");
  EXPECT_EQ(outcome_, Outcome::Done);
}

TEST_F(EvaluatorTest, AConstantThatMeetsAMetaTensorIsMeta) {
  const DatumPtr sum = op("aten::add.Tensor", {meta({3, 2}), tensor({1, 2}), int_constant(1)});
  EXPECT_EQ(text(sum), "float32 (3, 2) strides (2, 1)");
  EXPECT_EQ(constant_text(sum), "unknown");
}

TEST_F(EvaluatorTest, DescribesConstantsUpToTheLimit) {
  const DatumPtr three = tensor({1, 2, 3});
  EXPECT_NE(evaluator_->describe(*three, 3).constant, nullptr);
  EXPECT_EQ(evaluator_->describe(*three, 2).constant, nullptr);
  EXPECT_EQ(evaluator_->describe(*three, 2).dtype, ir::DType::Int64);
  EXPECT_EQ(constant_text(constant(std::string("x"))), ir::to_string(ir::Constant{std::string("x")}));
  EXPECT_EQ(constant_text(ints({1, 2})), "[1, 2]");
  EXPECT_EQ(evaluator_->describe(*constant(true)).dtype, ir::DType::Bool);
}

TEST_F(EvaluatorTest, KeepsTheStridesOfWeights) {
  ir::Tensor weight = ir::Tensor::from_bytes(ir::DType::Float32, {2, 3}, std::vector<float>(6).data(), 24);
  weight.dims = {3, 2};
  weight.strides = {1, 3};
  EXPECT_EQ(text(evaluator_->meta(weight)), "float32 (3, 2) strides (1, 3)");
  EXPECT_TRUE(evaluator_->share_memory(*evaluator_->meta(weight), *evaluator_->meta(weight)));
}

TEST_F(EvaluatorTest, ErrorsOfTheProgramSayWhy) {
  try {
    op("aten::matmul", {meta({2, 3}), meta({4, 5})});
    FAIL();
  } catch (const ir::Error& error) {
    EXPECT_EQ(error.code(), ir::Code::Program);
    EXPECT_THAT(error.what(), HasSubstr("shapes cannot be multiplied"));
    EXPECT_THAT(error.what(), Not(HasSubstr("\n")));
  }
}

struct BadCall {
  const char* op;
  const char* arguments;
};
class EvaluatorError : public ::testing::TestWithParam<BadCall> {};

TEST_P(EvaluatorError, IsTheProgramsAndLibTorchRefusesItToo) {
  const auto evaluator = make_evaluator();
  Stack arguments = parse_arguments(GetParam().arguments);
  try {
    evaluate(*evaluator, GetParam().op, arguments);
    ADD_FAILURE() << "not refused";
  } catch (const ir::Error& error) {
    EXPECT_EQ(error.code(), ir::Code::Program);
  }
  EXPECT_ANY_THROW(call_really(GetParam().op, arguments));
}

INSTANTIATE_TEST_SUITE_P(
    All, EvaluatorError,
    ::testing::Values(BadCall{"aten::conv2d", "f(1,3,8,8); f(4,2,3,3); None; [1,1]; [0,0]; [1,1]; 1"},
                      BadCall{"aten::conv2d", "f(1,3,2,2); f(4,3,3,3); None; [1,1]; [0,0]; [1,1]; 1"},
                      BadCall{"aten::conv2d", "f(1,3,8,8); d(4,3,3,3); None; [1,1]; [0,0]; [1,1]; 1"},
                      BadCall{"aten::conv2d", "f(1,3,8,8); f(4,3,3,3); f(5); [1,1]; [0,0]; [1,1]; 1"},
                      BadCall{"aten::conv2d", "f(3,8); f(4,3,3,3); None; [1,1]; [0,0]; [1,1]; 1"},
                      BadCall{"aten::batch_norm", "f(2,3,4); f(4); f(3); f(3); f(3); false; 0.1; 0.00001; true"},
                      BadCall{"aten::add.Tensor", "f(2,3); f(4)"}, BadCall{"aten::where.self", "b(2); f(3); f(3)"},
                      BadCall{"aten::cat", "{f(2,3), f(2,4)}; 0"}, BadCall{"aten::view", "f(2,3); [4]"},
                      BadCall{"aten::index_select", "f(2,3); 5; i(2)"}, BadCall{"aten::embedding", "f(3,4); f(2)"},
                      BadCall{"aten::adaptive_avg_pool2d", "f(3,4); [2,2]"},
                      BadCall{"aten::max_pool2d", "f(1,1,2,2); [3,3]"},
                      BadCall{"aten::scaled_dot_product_attention", "f(1,2,3,4); f(1,2,3,5); f(1,2,3,5)"},
                      BadCall{"aten::linear", "f(2,3); f(4,5)"}, BadCall{"aten::layer_norm", "f(2,3); [4]"},
                      BadCall{"aten::prelu", "f(2,3); f(4)"}));

TEST_F(EvaluatorTest, InPlaceOperatorsReturnTheirArgumentAndViewsShareMemory) {
  const DatumPtr x = meta({2, 3});
  const DatumPtr y = op("aten::relu_", {x});
  EXPECT_TRUE(evaluator_->share_memory(*x, *y));
  EXPECT_FALSE(evaluator_->share_memory(*x, *op("aten::relu", {x})));
  const DatumPtr view = op("aten::transpose.int", {x, int_constant(0), int_constant(1)});
  EXPECT_TRUE(evaluator_->share_memory(*x, *view));
  EXPECT_TRUE(evaluator_->share_memory(*x, *op("aten::contiguous", {x})));
  EXPECT_FALSE(evaluator_->share_memory(*x, *op("aten::contiguous", {view})));
}

TEST_F(EvaluatorTest, AConstantWrittenWithUnknownDataIsNotConstantAfterwards) {
  const DatumPtr none = constant(ir::Constant::None{});
  const DatumPtr zeros = op("aten::zeros", {ints({2, 3}), none, none, none, none});
  const DatumPtr row = op("aten::select.int", {zeros, int_constant(0), int_constant(0)});
  const DatumPtr other = op("aten::select.int", {zeros, int_constant(0), int_constant(1)});
  EXPECT_EQ(constant_text(row), "{ 0, 0, 0 }");
  op("aten::fill_.Scalar", {row, int_constant(2)});
  EXPECT_EQ(constant_text(zeros), "{ 2, 2, 2, 0, 0, 0 }");
  op("aten::copy_", {row, meta({3}), constant(false)});
  EXPECT_EQ(constant_text(zeros), "unknown");
  EXPECT_EQ(constant_text(other), "unknown");
  EXPECT_TRUE(evaluator_->share_memory(*zeros, *other));
  const DatumPtr later = op("aten::view", {zeros, ints({6})});
  EXPECT_EQ(constant_text(later), "unknown");
  EXPECT_TRUE(evaluator_->share_memory(*later, *zeros));
  EXPECT_EQ(text(later), "float32 (6) strides (1)");
}

TEST_F(EvaluatorTest, ConstantsAreCopiesOfTheirOwn) {
  const ir::Tensor original = ir::Tensor::of_int64(std::vector<std::int64_t>{1, 2});
  const DatumPtr first = constant(original);
  op("aten::add_.Scalar", {first, int_constant(5), int_constant(1)});
  EXPECT_EQ(constant_text(first), "{ 6, 7 }");
  EXPECT_EQ(constant_text(constant(original)), "{ 1, 2 }");
}

TEST_F(EvaluatorTest, ListsKeepTheirIdentity) {
  const DatumPtr items = list({meta({1})});
  op("aten::append.t", {items, meta({2})});
  EXPECT_EQ(evaluator_->items(*items).size(), 2U);
  EXPECT_EQ(constant_text(op("aten::len.t", {items})), "2");
  const DatumPtr last = op("aten::__getitem__.t", {items, int_constant(-1)});
  EXPECT_EQ(text(last), "float32 (2) strides (1)");
  EXPECT_TRUE(evaluator_->share_memory(*last, *evaluator_->items(*items)[1]));
  op("aten::append.t", {items, tensor({7})});
  EXPECT_EQ(constant_text(op("aten::__getitem__.t", {items, int_constant(2)})), "{ 7 }");
  EXPECT_EQ(text(op("aten::cat", {items, int_constant(0)})), "float32 (4) strides (1)");
  EXPECT_EQ(evaluator_->items(*items).size(), 3U);
}

TEST_F(EvaluatorTest, TuplesAndListsComeApart) {
  const DatumPtr tuple = evaluate_form(*evaluator_, "prim::TupleConstruct", {meta({1}), int_constant(4)})[0];
  const auto parts = evaluate_form(*evaluator_, "prim::TupleUnpack", {tuple}, 2);
  EXPECT_EQ(text(parts.at(0)), "float32 (1) strides (1)");
  EXPECT_EQ(constant_text(parts.at(1)), "4");
  EXPECT_EQ(constant_text(evaluate_form(*evaluator_, "prim::TupleIndex", {tuple, int_constant(-1)})[0]), "4");
  const DatumPtr chunks = op("aten::chunk", {meta({4, 2}), int_constant(2), int_constant(0)});
  const auto halves = evaluate_form(*evaluator_, "prim::ListUnpack", {chunks}, 2);
  EXPECT_EQ(text(halves.at(1)), "float32 (2, 2) strides (2, 1)");
  EXPECT_THROW(evaluate_form(*evaluator_, "prim::ListUnpack", {chunks}, 3), ir::Error);
}

TEST_F(EvaluatorTest, WhatDependsOnDataIsAProbe) {
  const DatumPtr x = meta({}, ir::DType::Float32);
  const DatumPtr item = op("aten::item", {x});
  EXPECT_EQ(outcome_, Outcome::DataDependent);
  EXPECT_EQ(constant_text(item), ir::to_string(ir::Constant{1.0}));
  const DatumPtr size = op("aten::Int.Tensor", {x});
  EXPECT_EQ(outcome_, Outcome::DataDependent);
  const DatumPtr none = constant(ir::Constant::None{});
  const ir::Type sizes = ir::Type::list(ir::Type::of(ir::Type::Kind::Int));
  const DatumPtr sized = op("aten::full", {evaluate_form(*evaluator_, "prim::ListConstruct", {size}, 1, sizes)[0], item,
                                           none, none, none, none});
  EXPECT_EQ(outcome_, Outcome::Done);
  EXPECT_EQ(constant_text(sized), "unknown");
  op("aten::nonzero", {sized});
  EXPECT_EQ(outcome_, Outcome::DataDependent);
  op("aten::Bool.Tensor", {x});
  EXPECT_EQ(outcome_, Outcome::DataDependent);
  const DatumPtr nonzero = op("aten::nonzero", {meta({4, 5})});
  EXPECT_EQ(outcome_, Outcome::DataDependent);
  EXPECT_EQ(evaluator_->describe(*nonzero).rank(), 2);
  const DatumPtr mask = meta({4}, ir::DType::Bool);
  const DatumPtr picked = op("aten::index.Tensor", {meta({4, 5}), list({mask})});
  EXPECT_EQ(outcome_, Outcome::DataDependent);
  EXPECT_EQ(evaluator_->describe(*picked).dims->at(1).size(), 5);
  op("aten::masked_select", {meta({4}), mask});
  EXPECT_EQ(outcome_, Outcome::DataDependent);
  op("aten::_unique2", {meta({4}), constant(true), constant(true), constant(true)});
  EXPECT_EQ(outcome_, Outcome::DataDependent);
  EXPECT_EQ(evaluator_->items(*op("aten::where", {mask})).size(), 1U);
  EXPECT_EQ(outcome_, Outcome::DataDependent);
}

TEST_F(EvaluatorTest, AMaskOfKnownContentHasAKnownCount) {
  const ir::Tensor bits = ir::Tensor::from_bytes(ir::DType::Bool, {4}, "\1\0\1\1", 4);
  EXPECT_EQ(text(op("aten::index.Tensor", {meta({4, 5}), list({constant(bits)})})), "float32 (3, 5) strides (5, 1)");
  EXPECT_EQ(outcome_, Outcome::Done);
  EXPECT_EQ(text(op("aten::masked_select", {meta({4}), constant(bits)})), "float32 (3) strides (1)");
  EXPECT_EQ(outcome_, Outcome::Done);
}

TEST_F(EvaluatorTest, NothingComputedFromAProbeIsAConstant) {
  const DatumPtr item = op("aten::Int.Tensor", {meta({}, ir::DType::Int64)});
  const DatumPtr sum = op("aten::add.int", {item, int_constant(3)});
  EXPECT_EQ(outcome_, Outcome::Done);
  EXPECT_EQ(constant_text(sum), "unknown");
  const DatumPtr known = tensor({1, 2});
  op("aten::fill_.Scalar", {known, sum});
  EXPECT_EQ(constant_text(known), "unknown");
  const DatumPtr numbers = ints({1});
  op("aten::append.t", {numbers, sum});
  EXPECT_EQ(constant_text(numbers), "unknown");
}

TEST_F(EvaluatorTest, ANestedTensorIsReported) {
  try {
    op("aten::_nested_tensor_from_mask", {meta({2, 3, 4}), meta({2, 3}, ir::DType::Bool), constant(false)});
    FAIL() << "no error";
  } catch (const ir::Error& error) {
    EXPECT_NE(std::string(error.what()).find("a nested tensor has no ONNX form"), std::string::npos) << error.what();
  }
}

TEST_F(EvaluatorTest, UnknownInputsMakeUnknownResults) {
  EXPECT_EQ(op("aten::relu", {nullptr}), nullptr);
  EXPECT_EQ(outcome_, Outcome::NoRule);
  const DatumPtr known = tensor({1, 2});
  op("aten::copy_", {known, nullptr, constant(false)});
  EXPECT_EQ(constant_text(known), "unknown");
  const DatumPtr items = list({meta({1})});
  op("aten::append.t", {items, nullptr});
  EXPECT_EQ(op("aten::len.t", {items}), nullptr);
}

TEST_F(EvaluatorTest, WhatComparesTensorsInListsIsUnknown) {
  const DatumPtr items = list({meta({}), meta({})});
  for (const DatumPtr& result : {op("aten::sorted.Tensor", {items}), op("aten::count.Tensor", {items, meta({})}),
                                 op("aten::eq.Tensor_list", {items, list({meta({}), meta({})})})}) {
    EXPECT_EQ(result, nullptr);
    EXPECT_EQ(outcome_, Outcome::NoRule);
  }
  EXPECT_EQ(constant_text(op("aten::len.t", {items})), "2");
  op("aten::remove.Tensor", {items, meta({})});
  EXPECT_EQ(op("aten::len.t", {items}), nullptr);
}

TEST_F(EvaluatorTest, RandomAndUninitialisedResultsAreNotConstantAndTheRandomStateStays) {
  at::manual_seed(7);
  const at::Tensor expected = at::rand({3});
  at::manual_seed(7);
  const DatumPtr none = constant(ir::Constant::None{});
  EXPECT_EQ(constant_text(op("aten::rand", {ints({3}), none, none, none, none})), "unknown");
  EXPECT_EQ(constant_text(op("aten::empty.memory_format", {ints({3}), none, none, none, none, none})), "unknown");
  EXPECT_EQ(constant_text(op("aten::multinomial", {meta({3}), int_constant(1), constant(false), none})), "unknown");
  const DatumPtr number = constant(ir::Tensor::scalar(ir::DType::Float32, 1.0));
  EXPECT_EQ(constant_text(op("aten::dropout", {number, constant(0.5), constant(true)})), "unknown");
  EXPECT_TRUE(at::rand({3}).equal(expected));
}

TEST_F(EvaluatorTest, AnswersQuestionsAboutDevicesAndGradientsLikeAPlainCall) {
  EXPECT_EQ(constant_text(evaluate_form(*evaluator_, "prim::device", {meta({1})})[0]),
            ir::to_string(ir::Constant{ir::Constant::Device{"cpu"}}));
  EXPECT_EQ(constant_text(evaluate_form(*evaluator_, "prim::is_cuda", {meta({1})})[0]),
            ir::to_string(ir::Constant{false}));
  EXPECT_EQ(constant_text(evaluate_form(*evaluator_, "prim::requires_grad", {meta({1})})[0]),
            ir::to_string(ir::Constant{true}));
  const DatumPtr cpu = constant(ir::Constant::Device{"cpu"});
  const DatumPtr x = meta({2});
  const DatumPtr moved = op(
      "aten::to.device", {x, cpu, int_constant(6), constant(false), constant(false), constant(ir::Constant::None{})});
  EXPECT_TRUE(evaluator_->share_memory(*x, *moved));
}

TEST_F(EvaluatorTest, TextOfNumbersIsPythonsAndTextOfTensorsIsUnknown) {
  const auto formatted = [&](const DatumPtr& value) {
    return evaluate_form(*evaluator_, "aten::format", {constant(std::string("<{}>")), value})[0];
  };
  EXPECT_EQ(constant_text(formatted(constant(1.5))), ir::to_string(ir::Constant{std::string("<1.5>")}));
  EXPECT_EQ(constant_text(formatted(constant(ir::Constant::None{}))),
            ir::to_string(ir::Constant{std::string("<None>")}));
  EXPECT_EQ(formatted(meta({2})), nullptr);
  EXPECT_EQ(formatted(evaluate_form(*evaluator_, "prim::TupleConstruct", {meta({2})})[0]), nullptr);
}

TEST_F(EvaluatorTest, PackedSequencesOfKnownLengthsHaveKnownSizes) {
  const DatumPtr padded = meta({3, 5, 2});
  std::vector<DatumPtr> packed = evaluate(*evaluator_, "aten::_pack_padded_sequence",
                                          std::vector<DatumPtr>{padded, tensor({5, 3, 1}), constant(true)});
  EXPECT_EQ(text(packed.at(0)), "float32 (9, 2) strides (2, 1)");
  EXPECT_EQ(constant_text(packed.at(1)), "{ 3, 2, 2, 1, 1 }");
  const DatumPtr back =
      op("aten::_pad_packed_sequence", {packed[0], packed[1], constant(true), constant(0.0), int_constant(0)});
  EXPECT_EQ(outcome_, Outcome::Done);
  EXPECT_EQ(text(back), "float32 (3, 5, 2) strides (2, 6, 1)");
  op("aten::_pack_padded_sequence", {padded, meta({3}, ir::DType::Int64), constant(true)});
  EXPECT_EQ(outcome_, Outcome::DataDependent);
}

TEST_F(EvaluatorTest, OperatorsThatLibTorchDoesNotKnowHaveARuleOrNone) {
  ir::Schema schema;
  schema.name = "torchvision::roi_align";
  ir::Graph graph;
  ir::Node* node = graph.create(schema.name, {}, 1);
  node->set_schema(std::make_shared<const ir::Schema>(schema));
  const std::vector<DatumPtr> inputs{meta({1, 4, 9, 9}), meta({6, 5}),    constant(1.0),  int_constant(7),
                                     int_constant(7),    int_constant(2), constant(false)};
  std::vector<DatumPtr> outputs;
  EXPECT_EQ(evaluator_->evaluate(*node, inputs, outputs), Outcome::Done);
  EXPECT_EQ(text(outputs.at(0)), "float32 (6, 4, 7, 7) strides (196, 49, 7, 1)");
  schema.name = "unknown::operator";
  ir::Node* other = graph.create(schema.name, {}, 1);
  other->set_schema(std::make_shared<const ir::Schema>(schema));
  EXPECT_EQ(evaluator_->evaluate(*other, inputs, outputs), Outcome::NoRule);
  EXPECT_EQ(outputs.at(0), nullptr);
}

TEST_F(EvaluatorTest, OperatorsWithACpuKernelAloneAreRunOnZeros) {
  EXPECT_EQ(text(op("tonnx_evaluator_test::twice", {meta({2, 3})})), "float32 (4, 3) strides (3, 1)");
  EXPECT_EQ(text(op("tonnx_evaluator_test::pairs", {meta({2, 3})})), "float32 (4, 3) strides (3, 1)");
  EXPECT_EQ(outcome_, Outcome::Done);
}

TEST_F(EvaluatorTest, DevicesOfTheProgramDoNotMatter) {
  const DatumPtr none = constant(ir::Constant::None{});
  const DatumPtr ones = op("aten::ones", {ints({2}), none, none, constant(ir::Constant::Device{"cuda:0"}), none});
  EXPECT_EQ(constant_text(ones), "{ 1, 1 }");
}

TEST_F(EvaluatorTest, HugeTensorsCostNeitherTimeNorMemory) {
  const DatumPtr x = meta({64, 512, 1024, 1024});
  const DatumPtr weight = meta({512, 512, 3, 3});
  const DatumPtr one = ints({1, 1});
  EXPECT_EQ(text(op("aten::conv2d", {x, weight, constant(ir::Constant::None{}), one, one, one, int_constant(1)})),
            "float32 (64, 512, 1024, 1024) strides (536870912, 1048576, 1024, 1)");
}

TEST_F(EvaluatorTest, SharesTheResultsOfEqualCallsWhereItMay) {
  EXPECT_NE(meta({2, 3}), meta({2, 3}));
  evaluator_->share_results(true);
  const DatumPtr x = meta({2, 3}), one = int_constant(1);
  EXPECT_EQ(x, meta({2, 3}));
  EXPECT_NE(x, meta({3, 2}));
  EXPECT_NE(x, meta({2, 3}, ir::DType::Float64));
  EXPECT_EQ(ints({1, 2}), ints({1, 2}));
  EXPECT_NE(ints({1, 2}), ints({1, 3}));
  EXPECT_NE(ints({}), ints({}));
  EXPECT_EQ(one, int_constant(1));
  EXPECT_NE(one, constant(1.0));
  EXPECT_NE(one, constant(true));
  const ir::Tensor weight = ir::Tensor::of_int64(std::vector<std::int64_t>{1, 2, 3, 4});
  ir::Tensor half = weight;
  half.dims = {2};
  EXPECT_EQ(evaluator_->meta(weight), evaluator_->meta(weight));
  EXPECT_NE(evaluator_->meta(weight), evaluator_->meta(half));
  EXPECT_NE(evaluator_->meta(weight), constant(weight));

  const DatumPtr y = op("aten::transpose.int", {x, int_constant(0), one});
  EXPECT_EQ(text(y), text(op("aten::t", {x})));
  EXPECT_EQ(y, op("aten::transpose.int", {x, int_constant(0), one}));
  EXPECT_NE(y, op("aten::transpose.int", {x, one, one}));
  EXPECT_EQ(text(op("aten::transpose.int", {x, one, one})), text(x));
  EXPECT_NE(y, op("aten::t", {x}));
  EXPECT_EQ(list({x, y}), list({x, y}));
  EXPECT_NE(list({x, y}), list({y, x}));
  EXPECT_EQ(evaluator_->items(*list({x, y})), evaluator_->items(*list({x, y})));
  const ir::Type optional{ir::Type::Kind::Optional, {ir::Type::of(ir::Type::Kind::Tensor)}, {}};
  EXPECT_NE(list({x, y}), evaluate_form(*evaluator_, "prim::ListConstruct", {x, y}, 1, ir::Type::list(optional))[0]);
  for (int i = 0; i < 2; ++i) EXPECT_THROW(op("aten::mm", {x, x}), ir::Error);

  evaluator_->share_results(false);
  EXPECT_NE(x, meta({2, 3}));
  EXPECT_NE(y, op("aten::transpose.int", {x, int_constant(0), one}));
  EXPECT_NE(ints({1, 2}), ints({1, 2}));
}

TEST_F(EvaluatorTest, AHundredLayersTakeMilliseconds) {
  const DatumPtr weight = meta({64, 64, 3, 3});
  const DatumPtr scale = meta({64});
  const DatumPtr one = ints({1, 1});
  const DatumPtr none = constant(ir::Constant::None{});
  const auto conv = make_node("aten::conv2d");
  const auto norm = make_node("aten::batch_norm");
  const auto relu = make_node("aten::relu_");
  const auto add = make_node("aten::add.Tensor");
  DatumPtr x = meta({1, 64, 56, 56});
  std::vector<DatumPtr> outputs;
  const auto run = [&](const OperatorNode& node, const std::vector<DatumPtr>& inputs) {
    evaluator_->evaluate(*node.node, inputs, outputs);
    return outputs[0];
  };
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 130; ++i) {
    DatumPtr y = run(*conv, {x, weight, none, one, one, one, int_constant(1)});
    y = run(*norm, {y, scale, scale, scale, scale, constant(false), constant(0.1), constant(1e-5), constant(true)});
    y = run(*relu, {y});
    x = run(*add, {x, y, int_constant(1)});
  }
  const auto elapsed = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  RecordProperty("milliseconds", std::to_string(elapsed));
  EXPECT_LT(elapsed, 200);
}

}  // namespace
}  // namespace tonnx::torch::testing
