#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "ir/error.h"
#include "onnx/opset.h"

namespace tonnx::onnx {
namespace {

using ir::DType;

TEST(Opset, FindsTheDefinitionInForce) {
  EXPECT_EQ(opset(8)->find("BatchNormalization")->since_version, 7);
  EXPECT_EQ(opset(13)->find("BatchNormalization")->since_version, 9);
  EXPECT_EQ(opset(14)->find("BatchNormalization")->since_version, 14);
  EXPECT_EQ(opset(12)->find("Squeeze")->inputs.size(), 1U);
  EXPECT_EQ(opset(13)->find("Squeeze")->inputs.size(), 2U);
}

TEST(Opset, HasNoOperatorBeforeItsFirstAndAfterItsLast) {
  EXPECT_EQ(opset(19)->find("Gelu"), nullptr);
  EXPECT_NE(opset(20)->find("Gelu"), nullptr);
  EXPECT_NE(opset(9)->find("Upsample"), nullptr);
  EXPECT_EQ(opset(10)->find("Upsample"), nullptr);
  EXPECT_EQ(opset(18)->find("NoSuchOperator"), nullptr);
}

TEST(Opset, ReturnsTheFirstThatHasAnOperator) {
  EXPECT_EQ(opset(7)->introduced("Gelu"), 20);
  EXPECT_EQ(opset(7)->introduced("Add"), 1);
  EXPECT_EQ(opset(18)->introduced("Where"), 9);
  EXPECT_EQ(opset(18)->introduced("NoSuchOperator"), 0);
}

TEST(Opset, SlotsHaveDtypesAndKinds) {
  const ir::OpSlot& a = opset(12)->find("Add")->inputs[0];
  EXPECT_EQ(a.type_variable, "T");
  EXPECT_TRUE(a.allows(DType::Int64));
  EXPECT_FALSE(a.allows(DType::Int8));
  EXPECT_FALSE(a.allows(DType::Bool));
  EXPECT_TRUE(opset(14)->find("Add")->inputs[0].allows(DType::Int8));
  EXPECT_FALSE(opset(12)->find("Add")->inputs[0].allows(DType::BFloat16));
  EXPECT_TRUE(opset(13)->find("Add")->inputs[0].allows(DType::BFloat16));
  EXPECT_TRUE(opset(18)->find("Concat")->inputs[0].variadic);
  EXPECT_TRUE(opset(18)->find("Clip")->inputs[1].optional);
  EXPECT_TRUE(opset(18)->find("SequenceAt")->inputs[0].sequence);
  EXPECT_EQ(opset(18)->find("Shape")->outputs[0].dtypes, std::vector<DType>{DType::Int64});
}

TEST(Opset, RefusesVersionsItDoesNotKnow) {
  EXPECT_GE(newest_opset(), 23);
  for (const int version : {kOldestOpset - 1, newest_opset() + 1}) {
    try {
      opset(version);
      ADD_FAILURE() << version;
    } catch (const ir::Error& error) {
      EXPECT_EQ(error.code(), ir::Code::Argument);
    }
  }
}

TEST(Opset, IsMadeOnceAndSharedBetweenThreads) {
  std::vector<std::thread> threads;
  std::vector<const ir::OpDef*> found(8);
  for (std::size_t i = 0; i < found.size(); ++i) {
    threads.emplace_back([&found, i] {
      for (const char* op : {"Conv", "Relu", "Gemm", "NoSuchOperator", "LSTM"}) opset(17)->find(op);
      found[i] = opset(17)->find("Conv");
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const ir::OpDef* def : found) EXPECT_EQ(def, found[0]);
}

TEST(Opset, NeedsTheIrVersionOfItsRelease) {
  const std::vector<std::pair<int, int>> expected{{7, 3},   {8, 3},   {9, 4},   {10, 5},  {11, 6},  {12, 7},
                                                  {14, 7},  {15, 8},  {18, 8},  {19, 9},  {20, 9},  {21, 10},
                                                  {22, 10}, {23, 11}, {24, 12}, {25, 13}, {27, 13}, {28, 14}};
  for (const auto& [version, ir] : expected) EXPECT_EQ(ir_version(version), ir) << version;
}

}  // namespace
}  // namespace tonnx::onnx
