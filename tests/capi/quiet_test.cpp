#include <cstdio>
#include <functional>
#include <iostream>
#include <thread>
#include <unistd.h>

#include <ATen/ATen.h>
#include <c10/util/Exception.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host.h"

// tonnx prints nothing, also where LibTorch would; outside of its calls the host hears LibTorch as before.
using host::tensor;
using testing::HasSubstr;

namespace {

// Everything that is written to stdout and stderr while `body` runs, also by C functions and other libraries.
std::string printed(const std::function<void()>& body) {
  std::fflush(nullptr);
  std::FILE* file = std::tmpfile();
  const int out = ::dup(1), err = ::dup(2);
  ::dup2(::fileno(file), 1);
  ::dup2(::fileno(file), 2);
  body();
  std::fflush(nullptr);
  std::cout.flush();
  ::dup2(out, 1);
  ::dup2(err, 2);
  ::close(out);
  ::close(err);
  std::rewind(file);
  std::string text;
  char piece[4096];
  for (std::size_t n; (n = std::fread(piece, 1, sizeof piece, file)) > 0;) text.append(piece, n);
  std::fclose(file);
  return text;
}

void run_everything(const tonnx::Program& program, const tonnx::Args& args) {
  const auto model = tonnx::export_program(program, args);
  model.verify(program, args);
  model.check();
  model.text();
  model.bytes();
  program.text(args);
}

}  // namespace

TEST(Quiet, WhenLibTorchWarns) {
  torch::jit::Module module("Net");
  module.define(
      "def forward(self, x):\n"
      "    index = torch.zeros([2], dtype=4)\n"
      "    return torch.index_reduce(x, 0, index, torch.ones([2, 3]), 'amax', include_self=True)\n");
  const auto args = host::args({at::ones({2, 3})});
  EXPECT_EQ(printed([&] { run_everything(host::load(module), args); }), "");
  // LibTorch warns of this once a process: that it was silent, and not silenced before, shows here.
  EXPECT_THAT(printed([] { TORCH_WARN("the host is heard"); }), HasSubstr("the host is heard"));
}

TEST(Quiet, WhenTheProgramPrintsOrWarns) {
  torch::jit::Module module("Net");
  module.define(
      "def forward(self, x):\n"
      "    print('from the program')\n"
      "    return torch.relu(x)\n");
  const auto args = host::args({at::ones({2, 3})});
  EXPECT_EQ(printed([&] { run_everything(host::load(module), args); }), "");
  // The host's own run of the same program prints.
  EXPECT_THAT(printed([&] { module.forward({at::ones({1})}); }), HasSubstr("from the program"));
}

TEST(Quiet, WhenTheTracedCodeWarns) {
  tonnx::Args args = host::args({at::ones({2, 3})});
  std::string text = printed([&] {
    const auto program = tonnx::Program::trace(
        [](tonnx::Trace& t) {
          TORCH_WARN("from the traced code");
          const at::Tensor y = tensor(t.input(0)).relu();
          t.output(&y);
        },
        args);
    const auto model = tonnx::export_program(program, args);
    EXPECT_THAT(model.warnings(), testing::Contains(HasSubstr("from the traced code")));
  });
  EXPECT_EQ(text, "");
}

TEST(Quiet, WhenCallsFail) {
  EXPECT_EQ(printed([] {
              const auto net = host::program("torch.mm(x, x)");
              const auto args = host::args({at::ones({2, 3})});
              EXPECT_THROW(tonnx::export_program(net, args).verify(net, args), tonnx::Error);
              EXPECT_THROW(tonnx::Program::load("no archive", 10), tonnx::Error);
              EXPECT_THROW(tonnx::Program::load("/nowhere.pt"), tonnx::Error);
              EXPECT_THROW(tonnx::register_operator("nonsense"), tonnx::Error);
              EXPECT_THROW(tonnx::load_operators("/nowhere.so"), tonnx::Error);
              EXPECT_THROW(tonnx::check_file("/nowhere.onnx"), tonnx::Error);
            }),
            "");
}

TEST(Quiet, OnlyOnTheThreadThatCalls) {
  std::string text = printed([] {
    tonnx::Program::trace(
        [](tonnx::Trace& t) {
          std::thread([] { TORCH_WARN("from another thread"); }).join();
          t.output(t.input(0));
        },
        host::args({at::ones({1})}));
  });
  EXPECT_THAT(text, HasSubstr("from another thread"));
}
