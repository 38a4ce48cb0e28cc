#include <functional>

#include <gtest/gtest.h>

#include "ir/error.h"
#include "modules.h"
#include "torch/archive.h"

namespace tonnx {
namespace {

using torch::Archive;

std::string failure(const std::function<void()>& action, ir::Code code) {
  try {
    action();
  } catch (const ir::Error& e) {
    EXPECT_EQ(e.code(), code) << e.what();
    return e.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

TEST(Refusal, NoneIsNoTensor) {
  test::Script net("Net");
  net.define("def forward(self, x):\n  return x + 1\n");
  const auto archive = torch::load_archive(net.bytes());
  const ir::Arguments none{{ir::Constant{ir::Constant::None{}}}, {}};
  const std::string text = failure([&] { archive->import(none); }, ir::Code::Argument);
  EXPECT_NE(text.find("argument 'x' is a Tensor and cannot be None"), std::string::npos) << text;
}

TEST(Refusal, APickleBeforeZipFilesHasAWayOut) {
  const std::vector<std::byte> bytes(100, std::byte{0x80});
  const std::string text = failure([&] { torch::load_archive(bytes); }, ir::Code::File);
  EXPECT_NE(text.find("torch.jit.save"), std::string::npos) << text;
}

TEST(Refusal, ANameOutsideAsciiIsToldWithAWayOut) {
  test::Script net("Net\u00e4");
  net.define("def forward(self, x):\n  return x + 1\n");
  const std::string text = failure([&] { torch::load_archive(net.bytes()); }, ir::Code::File);
  EXPECT_NE(text.find("rename the modules"), std::string::npos) << text;
}

}  // namespace
}  // namespace tonnx
