// Allocations that fail: each call returns an error, and the handles stay usable. Without LibTorch.
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tonnx.hpp"

// tests/bindings/failing_new/failing_new.cpp: after `succeed` further allocations of this thread, `fail` ones fail.
// Returns how many have failed since the last call.
extern "C" std::int64_t failing_new(std::int64_t succeed, std::int64_t fail);

namespace {

constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();

// Repeats a call while so many of its allocations fail, at later and later ones. Returns how often memory ran out.
template <class Call>
int repeat(const Call& call, const std::vector<std::int64_t>& failures) {
  int count = 0;
  call();
  for (const std::int64_t fail : failures) {
    for (std::int64_t succeed = 0;; succeed += 1 + succeed / 16) {
      failing_new(succeed, fail);
      bool is_out = false;
      try {
        call();
      } catch (const tonnx::Error& error) {
        failing_new(0, 0);
        is_out = true;
        EXPECT_EQ(error.status(), TONNX_STATUS_MEMORY) << error.what() << ", after " << succeed;
      } catch (const std::bad_alloc&) {  // of the C++ headers
        is_out = true;
      }
      const bool has_failed = failing_new(0, 0) > 0;
      count += is_out;
      if (!is_out && !has_failed) break;
    }
  }
  return count;
}

std::string archive() { return std::string(std::getenv("TONNX_SOURCE_ROOT")) + "/tests/exported/torch-2.9.1.pt2"; }

}  // namespace

TEST(Allocation, ReadersAreRightOrAnError) {
  const auto run = [] {
    const auto program = tonnx::Program::load(archive());
    const auto contents = program.contents(tonnx::Args());
    for (const tonnx::Node& node : contents.graph().nodes()) {
      for (const tonnx::Value& value : node.inputs()) value.type();
      for (const tonnx::Value& value : node.attributes()) value.kind();
      if (node.get()) node.tensors_first();  // a getter that runs out of memory returns NULL
    }
  };
  EXPECT_GT(repeat(run, {1}), 0);
}

TEST(Allocation, ArgumentsAreRightOrAnError) {
  const auto run = [] {
    tonnx::Attributes attributes;
    attributes.set_ints("ints", {1, 2, 3}).set_strings("strings", {"a", "b"}).set_float("float", 1);
    const float numbers[] = {1, 2, 3};
    const tonnx::Tensor tensor(TONNX_DTYPE_FLOAT32, {3}, numbers, sizeof numbers);
    tonnx::Args args;
    args.begin_list().add(tensor).add_string("text").end();
    EXPECT_EQ(tensor.dims(), std::vector<std::int64_t>{3});
  };
  EXPECT_GT(repeat(run, {1, 2, 3, kAll}), 0);
}

TEST(Allocation, ReportsOfFailuresAreRightOrAnError) {
  const auto program = tonnx::Program::load(archive());
  tonnx::Args args;
  args.add_string("text");
  std::string report;
  const auto fail = [&] {
    try {
      tonnx::export_program(program, args);
    } catch (const tonnx::Error& error) {
      if (error.status() == TONNX_STATUS_MEMORY) throw;
      EXPECT_EQ(error.status(), TONNX_STATUS_ARGUMENT) << error.what();
      report = error.report();  // "" if it could not be written
    }
  };
  EXPECT_GT(repeat(fail, {1, 2, kAll}), 0);
  ASSERT_THAT(report, testing::HasSubstr("\"reasons\""));
  const std::string path = testing::TempDir() + "report.sarif";
  EXPECT_GT(repeat([&] { tonnx::save_report(path, report); }, {1, 2, kAll}), 0);
}
