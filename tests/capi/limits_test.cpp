#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "error_matchers.h"
#include "symbolic_host.h"

// Limits of an export that a host sets for programs of strangers. Each program is one that would take too much.
using host::failure;
using host::is_error;
using testing::AllOf;
using testing::HasSubstr;

namespace {

tonnx::Program source(const std::string& text) { return tonnx::Program::compile(text); }

tonnx::Error refusal(const tonnx::Program& program, const tonnx::Options& options) {
  return failure([&] { tonnx::export_program(program, host::example(), options); });
}

tonnx::Program endless() {
  return source("def forward(self, x):\n    for i in range(1000000000):\n        x = x + 1\n    return x\n");
}

}  // namespace

TEST(Limits, OfTime) {
  tonnx::Options options;
  options.mode(TONNX_MODE_TRACE).max_seconds(1);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THAT(refusal(endless(), options),
              is_error(TONNX_STATUS_CANCELLED, AllOf(HasSubstr("more than 1 s"), HasSubstr("max_seconds"))));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  // The next export of this thread has no limit.
  tonnx::export_program(host::compiled("torch.relu(x)"), host::example());
}

TEST(Limits, OfStepsInARecordedLoop) {
  tonnx::Options options;
  options.mode(TONNX_MODE_TRACE).max_steps(5000);
  EXPECT_THAT(refusal(endless(), options), is_error(TONNX_STATUS_CANCELLED, HasSubstr("5000 operators")));
  EXPECT_THAT(refusal(endless(), options), is_error(TONNX_STATUS_CANCELLED, HasSubstr("max_steps")));
  tonnx::export_program(host::compiled("torch.relu(x)"), host::example(), options);
}

TEST(Limits, OfLoopsOfNumbers) {
  const tonnx::Program program = source(
      "def forward(self, x):\n    n = 0\n    m = int(x[0, 0].abs()) + 4000000000\n    while n < m:\n        n += 1\n"
      "    return x + n\n");
  tonnx::Options seconds, steps;
  seconds.mode(TONNX_MODE_TRACE).max_seconds(1);
  EXPECT_THAT(refusal(program, seconds), is_error(TONNX_STATUS_CANCELLED, HasSubstr("max_seconds")));
  steps.mode(TONNX_MODE_TRACE).max_steps(5000);
  EXPECT_THAT(refusal(program, steps), is_error(TONNX_STATUS_CANCELLED, HasSubstr("max_steps")));
}

TEST(Limits, OfStepsInUnrolledLoops) {
  const std::string text =
      "def forward(self, x):\n    xs = [x]\n    for i in range(60):\n        for j in range(60):\n"
      "            xs.append(x + i + j)\n    return torch.stack(xs)\n";
  tonnx::Options options;
  options.max_steps(100);
  EXPECT_THAT(refusal(source(text), options), is_error(TONNX_STATUS_CANCELLED, HasSubstr("max_steps")));
}

TEST(Limits, OfTheMemoryOfAConstant) {
  const tonnx::Program program = host::compiled("x + torch.ones([2000, 2000]).mul(2.0)[0, 0]");
  tonnx::Options options;
  options.max_constant_mib(8);
  EXPECT_THAT(refusal(program, options),
              is_error(TONNX_STATUS_CANCELLED, AllOf(HasSubstr("16000000 bytes"), HasSubstr("max_constant_mib"))));
  options.max_constant_mib(32);
  tonnx::export_program(program, host::example(), options).check();
  // No memory is taken before it is refused, and a view takes none.
  EXPECT_THAT(refusal(host::compiled("x + torch.zeros([300000, 300000]).sum()"), options),
              is_error(TONNX_STATUS_CANCELLED, HasSubstr("360000000000 bytes")));
  tonnx::export_program(host::compiled("x + torch.ones([1]).expand([3000, 3000])[0, 0]"), host::example(), options);
}

TEST(Limits, OfNestedCalls) {
  std::string text = "def f0(self, x):\n    return x + 1\n";
  for (int i = 1; i <= 30; ++i)
    text += "def f" + std::to_string(i) + "(self, x):\n    return torch.relu(self.f" + std::to_string(i - 1) + "(x))\n";
  const tonnx::Program program = source(text + "def forward(self, x):\n    return self.f30(x)\n");
  tonnx::Options options;
  options.max_call_depth(20);
  EXPECT_THAT(refusal(program, options), is_error(TONNX_STATUS_CANCELLED, HasSubstr("max_call_depth")));
  options.max_call_depth(40);
  tonnx::export_program(program, host::example(), options).check();
}

TEST(Limits, OutOfRangeAreRefused) {
  tonnx::Options options;
  const auto refuses = [](const char* name) {
    return is_error(TONNX_STATUS_ARGUMENT, AllOf(HasSubstr(name), HasSubstr("must be from")));
  };
  EXPECT_THAT(failure([&] { options.max_seconds(-1); }), refuses("max_seconds"));
  EXPECT_THAT(failure([&] { options.max_steps(-1); }), refuses("max_steps"));
  EXPECT_THAT(failure([&] { options.max_constant_mib(-1); }), refuses("max_constant_mib"));
  EXPECT_THAT(failure([&] { options.max_call_depth(0); }), refuses("max_call_depth"));
  EXPECT_THAT(failure([&] { options.max_call_depth(401); }), refuses("max_call_depth"));
}
