// Operators that access anything outside of an archive never run: not while it is loaded, imported, evaluated or
// verified.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <ATen/ATen.h>
#include <caffe2/serialize/inline_container.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/frontend/resolver.h>

#include "ir/error.h"
#include "modules.h"
#include "torch/archive.h"
#include "torch/barred_function.h"
#include "torch/outside.h"
#include "torch/recording.h"

namespace tonnx {
namespace {

using torch::Archive;
namespace jit = ::torch::jit;

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

// An archive whose code makes a file while it is loaded.
std::vector<std::byte> archive_that_saves(const std::string& path) {
  test::Script net("Net");
  net.define("def forward(self, x):\n  return x + 1\n");
  net.define("def __getstate__(self):\n  return 1\n");
  net.define("def __setstate__(self, state: int) -> None:\n  torch.save(state, '" + path + "')\n");
  return net.bytes();
}

// The archive with the text `from` of its code written as `to`.
std::vector<std::byte> with_code(const std::vector<std::byte>& bytes, const std::string& from, const std::string& to) {
  std::istringstream in(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  caffe2::serialize::PyTorchStreamReader reader(&in);
  std::string written;
  int replaced = 0;
  caffe2::serialize::PyTorchStreamWriter writer([&written](const void* data, std::size_t size) {
    written.append(static_cast<const char*>(data), size);
    return size;
  });
  for (const std::string& record : reader.getAllRecords()) {
    if (record == "version" || record.starts_with(".data")) continue;
    const auto [data, size] = reader.getRecord(record);
    std::string text(static_cast<const char*>(data.get()), size);
    const std::size_t at = record.ends_with(".py") ? text.find(from) : std::string::npos;
    if (at != std::string::npos) {
      text.replace(at, from.size(), to);
      ++replaced;
    }
    writer.writeRecord(record, text.data(), text.size());
  }
  writer.writeEndOfFile();
  EXPECT_EQ(replaced, 1);
  std::vector<std::byte> result(written.size());
  std::memcpy(result.data(), written.data(), written.size());
  return result;
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
                   "reads or creates a file");
  EXPECT_FALSE(std::filesystem::exists(path));
  std::ofstream(path, std::ios::binary) << std::string(16, 'a');
  expect_refused("  return x + torch.from_file('" + path + "', False, 4)\n", "aten::from_file",
                 "reads or creates a file");
}

TEST(Outside, AFileIsNotWritten) {
  const std::string path = fresh_path("saved");
  expect_refused("  torch.save(x, '" + path + "')\n  return x + 1\n", "aten::save", "writes a file");
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Outside, ABranchThatInputsDecideCounts) {
  const std::string path = fresh_path("branch");
  expect_refused("  if bool(x.sum() > 100):\n    torch.save(x, '" + path + "')\n  return x + 1\n", "aten::save",
                 "writes");
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Outside, ABranchThatIsNeverTakenDoesNot) {
  const auto program = archive("  if False:\n    torch.save(x, '/nowhere/at/all')\n  return x + 1\n");
  EXPECT_NO_THROW(program->import(kArguments));
  EXPECT_EQ(program->run(kArguments).size(), 1U);
}

// Import, run and recording treat gradients as disabled, whatever the mode of the host.
TEST(Outside, ABranchThatGradientsDecideIsTheSameInARun) {
  const std::string path = fresh_path("gradients"), save = "torch.save(x, '" + path + "')";
  for (const bool host : {true, false}) {
    const c10::AutoGradMode mode(host);
    for (const std::string& body :
         {"  if torch.is_grad_enabled():\n    " + save + "\n  return x + 1\n",
          "  torch.set_grad_enabled(True)\n  y = x + 1\n  torch.set_grad_enabled(False)\n  if "
          "torch.is_grad_enabled():\n    " +
              save + "\n  return y\n",
          "  if not torch.is_grad_enabled():\n    y = x + 1\n  else:\n    y = x + torch.from_file('" + path +
              "', True, 4)\n  return y\n"}) {
      const auto program = archive(body);
      EXPECT_NO_THROW(program->import(kArguments)) << body;
      EXPECT_EQ(program->run(kArguments).at(0).as_double(1), static_cast<double>(0.1F + 1)) << body;
      torch::Recording recording(kArguments);
      EXPECT_NO_THROW(program->record(recording, kArguments, "forward", ir::Training::Eval)) << body;
      EXPECT_FALSE(std::filesystem::exists(path)) << body;
    }
  }
}

TEST(Outside, WhatIsBarredRaises) {
  const std::string path = fresh_path("barred");
  jit::CompilationUnit unit;
  unit.define(std::nullopt,
              "def save(x):\n  torch.save(x, '" + path +
                  "')\n  return x\n"
                  "def read(x):\n  return x + torch.from_file('" +
                  path +
                  "', True, 4)\n"
                  "def called(x, yes: bool):\n  if yes:\n    x = save(x)\n  return x + 1\n"
                  "def looped(x, yes: bool):\n  for i in range(3):\n    if yes and i == 2:\n      x = read(x)\n  "
                  "return x + 1\n",
              jit::nativeResolver(), nullptr);
  const at::Tensor x = at::ones({4});
  torch::CodeFacts code;
  code.names_outside = true;
  for (const char* name : {"called", "looped"}) {
    const auto barred = torch::barred_function(unit.get_function(name), code);
    EXPECT_TRUE((*barred)({x, false}).toTensor().equal(x + 1)) << name;
    try {
      (*barred)({x, true});
      ADD_FAILURE() << name;
    } catch (const std::exception& raised) {
      EXPECT_NE(std::string(raised.what()).find(" is not run: it "), std::string::npos) << raised.what();
    }
    EXPECT_FALSE(std::filesystem::exists(path)) << name;
  }
  EXPECT_TRUE(unit.get_function("called")({x, true}).toTensor().equal(x + 1)) << "the function itself is as it was";
  EXPECT_TRUE(std::filesystem::exists(path));
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
  expect_refused("  torch.manual_seed(3)\n  return x + torch.rand([4])\n", "aten::manual_seed",
                 "seeds the random generator");
}

// The class that implements an interface is known only at the call.
TEST(Outside, AClassUsedThroughAnInterfaceCounts) {
  const std::string path = fresh_path("interface");
  test::Script net("Net");
  net.define("def forward(self, x):\n  return x + 1\n");
  const auto bytes =
      with_code(net.bytes(), "    return torch.add(x, 1)\n",
                "    _0 = __torch__.Saver.__new__(__torch__.Saver)\n"
                "    return (self).helper(_0, x, )\n"
                "  def helper(self: __torch__.Net,\n    f: __torch__.Face,\n    x: Tensor) -> Tensor:\n"
                "    return (f).go(x, )\n"
                "class Saver:\n  def go(self: __torch__.Saver,\n    x: Tensor) -> Tensor:\n    torch.save(x, \"" +
                    path +
                    "\")\n    return torch.add(x, 1)\n"
                    "class Face(Interface):\n  def go(self, x: Tensor) -> Tensor:\n    pass\n");
  const auto program = torch::load_archive(bytes);
  EXPECT_NE(refusal([&] { program->run(kArguments); }).find("aten::save"), std::string::npos);
  torch::Recording recording(kArguments);
  EXPECT_NE(refusal([&] { program->record(recording, kArguments, "forward", ir::Training::Eval); }).find("aten::save"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path));
}

// An object of LibTorch's own that would record what the process runs from now on.
TEST(Outside, AProfilerIsNotSwitchedOn) {
  const std::string code =
      "    p = "
      "__torch__.torch.classes.profiling._ScriptProfile.__new__(__torch__.torch.classes.profiling._ScriptProfile)\n"
      "    _0 = (p).__init__()\n"
      "    _1 = (p).enable()\n";
  test::Script net("Net");
  net.define("def forward(self, x):\n  return x + 1\n");
  const auto program = torch::load_archive(with_code(net.bytes(), "    return ", code + "    return "));
  EXPECT_NE(refusal([&] { program->run(kArguments); }).find("_ScriptProfile"), std::string::npos);
  torch::Recording recording(kArguments);
  EXPECT_NE(
      refusal([&] { program->record(recording, kArguments, "forward", ir::Training::Eval); }).find("_ScriptProfile"),
      std::string::npos);

  net.define("def __getstate__(self):\n  return 1\n");
  net.define("def __setstate__(self, state: int) -> None:\n  pass\n");
  const std::string head = "state: int) -> NoneType:\n";
  const auto bytes = with_code(net.bytes(), head, head + code);
  EXPECT_NE(refusal([&] { torch::load_archive(bytes); }).find("profiling::_ScriptProfile"), std::string::npos);
}

TEST(Outside, CodeThatRunsWhileLoadingIsLookedThrough) {
  const std::string path = fresh_path("state");
  const std::vector<std::byte> bytes = archive_that_saves(path);
  const std::string text = refusal([&] { torch::load_archive(bytes); });
  EXPECT_NE(text.find("aten::save"), std::string::npos) << text;
  EXPECT_NE(text.find("__setstate__"), std::string::npos) << text;
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Outside, CodeThatRunsWhileLoadingDoesNotFork) {
  test::Script net("Net");
  net.define("def work(self, x: int) -> int:\n  if x > 2:\n    return 1\n  return x + 1\n");
  net.define("def forward(self, x):\n  return x + 1\n");
  net.define("def __getstate__(self):\n  return 1\n");
  net.define("def __setstate__(self, state: int) -> None:\n  assert self.work(state) > 0\n");
  const std::string text = refusal([&] {
    torch::load_archive(with_code(net.bytes(), "(self).work(state, )", "torch.wait(fork((self).work, state))"));
  });
  EXPECT_NE(text.find("prim::fork, which runs code in another thread"), std::string::npos) << text;
}

// LibTorch finds records whatever the case of their letters.
TEST(Outside, CodeIsFoundUnderEveryName) {
  const std::string path = fresh_path("case");
  std::vector<std::byte> bytes = archive_that_saves(path);
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

TEST(Outside, CodeIsFoundHoweverItIsWritten) {
  const std::string path = fresh_path("blank");
  for (const std::string blank : {" ", "  ", "\t", " \\\n ", "\t \t"}) {
    const auto bytes = with_code(archive_that_saves(path), "class ", "class" + blank);
    EXPECT_NE(refusal([&] { torch::load_archive(bytes); }).find("aten::save"), std::string::npos) << blank;
    EXPECT_FALSE(std::filesystem::exists(path));
  }
}

TEST(Outside, MemoryBeyondATensorIsNotRead) {
  for (const char* body : {"  return x + torch._reshape_alias(torch.arange(4), [64], [1])[:4]\n",
                           "  return torch._reshape_alias(x, [64], [1])\n"}) {
    const auto program = archive(body);
    int left = 0;
    const ir::RawProgram imported = program->import(kArguments);
    for (const ir::Node* node : imported.graph->block().nodes()) left += node->is("aten::_reshape_alias");
    EXPECT_EQ(left, 1) << body;
    try {
      program->run(kArguments);
      ADD_FAILURE() << "it was run";
    } catch (const ir::Error& e) {
      EXPECT_NE(std::string(e.what()).find("aten::_reshape_alias is not run: it may access memory"), std::string::npos)
          << e.what();
    }
  }
}

TEST(Outside, MemoryThatATensorGainsIsNotConstant) {
  for (const char* call : {"torch.resize(torch.arange(1), [64])", "torch.resize_as(torch.arange(1), torch.arange(64))",
                           "torch._empty_affine_quantized([64], scale=1.0, zero_point=0, dtype=13).int_repr()"}) {
    try {
      const ir::RawProgram program = archive("  return x + " + std::string(call) + "[5]\n")->import(kArguments);
      for (const ir::Node* node : program.graph->block().nodes())
        if (node->is("prim::Constant") && node->output()->type().is(ir::Type::Kind::Tensor)) {
          EXPECT_NE(node->output()->facts().rank(), 0) << call;
        }
    } catch (const ir::Error& refused) {
      EXPECT_NE(std::string(refused.what()).find("undefined"), std::string::npos) << refused.what();
    }
  }
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

TEST(Outside, LoadingDrawsNothingFromTheCallersNumbers) {
  test::Script net("Net");
  net.define("def forward(self, x):\n  return x + 1\n");
  net.define("def __getstate__(self):\n  return 1\n");
  net.define("def __setstate__(self, state: int) -> None:\n  torch.rand([4])\n");
  const std::vector<std::byte> bytes = net.bytes();
  at::manual_seed(7);
  const at::Tensor expected = at::rand({4});
  at::manual_seed(7);
  torch::load_archive(bytes);
  EXPECT_TRUE(at::rand({4}).equal(expected));
}

TEST(Outside, OperatorsThatAreNotKnownAreNotRun) {
  EXPECT_NE(torch::reason_not_to_run("aten::of_tomorrow", "").find("another LibTorch"), std::string::npos);
  EXPECT_EQ(torch::reason_not_to_run("c10d::broadcast_", ""), "exchanges data with other processes");
  for (const char* known : {"aten::add", "prim::NumToTensor", "torchvision::nms", "mine::of_tomorrow"})
    EXPECT_EQ(torch::reason_not_to_run(known, "Tensor"), "") << known;
}

}  // namespace
}  // namespace tonnx
