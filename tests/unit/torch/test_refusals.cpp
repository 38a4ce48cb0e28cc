#include <functional>

#include <gtest/gtest.h>
#include <torch/csrc/jit/frontend/function_schema_parser.h>

#include "asked.h"
#include "ir/error.h"
#include "modules.h"
#include "torch/archive.h"
#include "torch/unknown_argument.h"

namespace tonnx {
namespace {

using test::failure;
using torch::Archive;

TEST(Refusal, NoneIsNotATensor) {
  test::Script net("Net");
  net.define("def forward(self, x):\n  return x + 1\n");
  const auto archive = torch::load_archive(net.bytes());
  const ir::Arguments none{{ir::Constant{ir::Constant::None{}}}, {}};
  const std::string text = failure([&] { archive->import(none); }, ir::Code::Argument);
  EXPECT_NE(text.find("argument 'x' is a Tensor and cannot be None"), std::string::npos) << text;
}

// A schema as another version of LibTorch declares it.
TEST(Refusal, AnArgumentThatTheTableLacksIsNamed) {
  const auto unknown = [](const std::string& schema, const std::vector<std::optional<c10::IValue>>& values) {
    return torch::unknown_argument(::torch::jit::parseSchema(schema), values);
  };
  const std::optional<c10::IValue> dynamic;
  EXPECT_EQ(unknown("aten::relu(Tensor self) -> Tensor", {dynamic}), "");
  EXPECT_EQ(unknown("aten::relu(Tensor self, int mode=0) -> Tensor", {dynamic, c10::IValue(0)}), "");
  EXPECT_EQ(unknown("aten::relu(Tensor self, int mode=0) -> Tensor", {dynamic, c10::IValue(1)}), "mode");
  EXPECT_EQ(unknown("aten::relu(Tensor self, int mode=0) -> Tensor", {dynamic, dynamic}), "mode");
  EXPECT_EQ(unknown("aten::relu(Tensor self, Tensor? mask=None) -> Tensor", {dynamic, c10::IValue()}), "");
  EXPECT_EQ(unknown("aten::relu(Tensor input) -> Tensor", {dynamic}), "input");
  EXPECT_EQ(unknown("mine::relu(Tensor input) -> Tensor", {dynamic}), "");
}

TEST(Refusal, APickleBeforeZipFilesHasAWayOut) {
  const std::vector<std::byte> bytes(100, std::byte{0x80});
  const std::string text = failure([&] { torch::load_archive(bytes); }, ir::Code::File);
  EXPECT_NE(text.find("torch.jit.save"), std::string::npos) << text;
}

TEST(Refusal, ANonAsciiNameIsReportedWithAWayOut) {
  test::Script net("Net\u00e4");
  net.define("def forward(self, x):\n  return x + 1\n");
  const std::string text = failure([&] { torch::load_archive(net.bytes()); }, ir::Code::File);
  EXPECT_NE(text.find("rename the modules"), std::string::npos) << text;
}

}  // namespace
}  // namespace tonnx
