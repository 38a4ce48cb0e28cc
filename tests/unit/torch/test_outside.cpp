// What an archive names outside of itself is never run: not while it is loaded, imported, evaluated or verified.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "ir/error.h"
#include "modules.h"
#include "torch/archive.h"
#include "torch/outside.h"

namespace tonnx {
namespace {

using torch::Archive;

std::string fresh_path(const std::string& name) {
  std::string path = ::testing::TempDir() + "tonnx_outside_" + name;
  std::filesystem::remove(path);
  return path;
}

// The message of the refusal.
template <class Action>
std::string refusal(const Action& action) {
  try {
    action();
  } catch (const ir::Error& e) {
    EXPECT_EQ(e.code(), ir::Code::Unsupported) << e.what();
    EXPECT_FALSE(e.reasons().empty());
    return e.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

std::shared_ptr<Archive> archive(const std::string& body) {
  test::Script net("Net");
  net.define("def forward(self, x):\n" + body);
  return torch::load_archive(net.bytes());
}

const ir::Arguments kArguments{{ir::Constant{test::ramp({4})}}, {}};

void expect_refused(const std::string& body, const std::string& op, const std::string& why) {
  const auto program = archive(body);
  for (const std::string& text :
       {refusal([&] { program->import(kArguments); }), refusal([&] { program->run(kArguments); })}) {
    EXPECT_NE(text.find(op), std::string::npos) << text;
    EXPECT_NE(text.find(why), std::string::npos) << text;
  }
}

TEST(Outside, AFileIsNeitherReadNorMade) {
  const std::string path = fresh_path("file");
  for (const char* shared : {"False", "True"})
    expect_refused("  return x + torch.from_file('" + path + "', " + shared + ", 4)\n", "aten::from_file",
                   "reads or makes a file");
  EXPECT_FALSE(std::filesystem::exists(path));
  std::ofstream(path, std::ios::binary) << std::string(16, 'a');
  expect_refused("  return x + torch.from_file('" + path + "', False, 4)\n", "aten::from_file", "reads or makes a file");
}

TEST(Outside, AFileIsNotWritten) {
  const std::string path = fresh_path("saved");
  expect_refused("  torch.save(x, '" + path + "')\n  return x + 1\n", "aten::save", "writes a file");
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Outside, ABranchThatInputsDecideCounts) {
  const std::string path = fresh_path("branch");
  expect_refused("  if bool(x.sum() > 100):\n    torch.save(x, '" + path + "')\n  return x + 1\n", "aten::save", "writes");
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Outside, ABranchThatIsNeverTakenDoesNot) {
  const auto program = archive("  if False:\n    torch.save(x, '/nowhere/at/all')\n  return x + 1\n");
  EXPECT_NO_THROW(program->import(kArguments));
  EXPECT_EQ(program->run(kArguments).size(), 1U);
}

TEST(Outside, AMethodOfASubmoduleCounts) {
  const std::string path = fresh_path("child");
  test::Script child("Child");
  child.define("def forward(self, x):\n  return x + torch.from_file('" + path + "', True, 4)\n");
  test::Script net("Net");
  net.child("inner", child);
  net.define("def forward(self, x):\n  return self.inner.forward(x)\n");
  const auto program = torch::load_archive(net.bytes());
  EXPECT_NE(refusal([&] { program->run(kArguments); }).find("aten::from_file"), std::string::npos);
  EXPECT_NE(refusal([&] { program->import(kArguments); }).find("aten::from_file"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Outside, TheGlobalGeneratorIsNotSeeded) {
  expect_refused("  torch.manual_seed(3)\n  return x + torch.rand([4])\n", "aten::manual_seed", "seeds the random generator");
}

TEST(Outside, CodeThatRunsWhileLoadingIsLookedThrough) {
  const std::string path = fresh_path("state");
  test::Script net("Net");
  net.define("def forward(self, x):\n  return x + 1\n");
  net.define("def __getstate__(self):\n  return 1\n");
  net.define("def __setstate__(self, state: int) -> None:\n  torch.save(state, '" + path + "')\n");
  const std::vector<std::byte> bytes = net.bytes();
  const std::string text = refusal([&] { torch::load_archive(bytes); });
  EXPECT_NE(text.find("aten::save"), std::string::npos) << text;
  EXPECT_NE(text.find("__setstate__"), std::string::npos) << text;
  EXPECT_FALSE(std::filesystem::exists(path));
}

// LibTorch finds records whatever the case of their letters.
TEST(Outside, CodeIsFoundUnderEveryName) {
  const std::string path = fresh_path("case");
  test::Script net("Net");
  net.define("def forward(self, x):\n  return x + 1\n");
  net.define("def __getstate__(self):\n  return 1\n");
  net.define("def __setstate__(self, state: int) -> None:\n  torch.save(state, '" + path + "')\n");
  std::vector<std::byte> bytes = net.bytes();
  std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  int renamed = 0;
  for (std::size_t at = text.find("code/__torch__"); at != std::string::npos; at = text.find("code/__torch__", at)) {
    text.replace(at + 5, 9, "__TORCH__");
    ++renamed;
  }
  ASSERT_GE(renamed, 2);
  std::transform(text.begin(), text.end(), bytes.begin(), [](char c) { return static_cast<std::byte>(c); });
  EXPECT_NE(refusal([&] { torch::load_archive(bytes); }).find("aten::save"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Outside, CodeThatRunsWhileLoadingMayDoOtherThings) {
  test::Script net("Net");
  net.integer("count", 2);
  net.define("def forward(self, x):\n  return x + self.count\n");
  net.define("def __getstate__(self):\n  return self.count\n");
  net.define("def __setstate__(self, state: int) -> None:\n  self.count = state + 40\n");
  const auto program = torch::load_archive(net.bytes());
  const auto results = program->run(kArguments);
  EXPECT_EQ(results.at(0).as_double(1), static_cast<double>(0.1F + 42));
}

TEST(Outside, RunsDrawNothingFromTheCallersNumbers) {
  const auto program = archive("  return x + torch.rand([4])\n");
  const auto first = program->run(kArguments);
  const auto second = program->run(kArguments);
  EXPECT_TRUE(first.at(0).equals(second.at(0)));
}

TEST(Outside, OperatorsThatAreNotKnownAreNotRun) {
  EXPECT_NE(torch::reason_not_to_run("aten::of_tomorrow", "").find("another LibTorch"), std::string::npos);
  EXPECT_EQ(torch::reason_not_to_run("c10d::broadcast_", ""), "exchanges data with other processes");
  for (const char* known : {"aten::add", "prim::NumToTensor", "torchvision::nms", "mine::of_tomorrow"})
    EXPECT_EQ(torch::reason_not_to_run(known, "Tensor"), "") << known;
}

}  // namespace
}  // namespace tonnx
