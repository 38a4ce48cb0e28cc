#include <gtest/gtest.h>

#include "ir/error.h"
#include "program/settle.h"

namespace tonnx::program {
namespace {

TEST(Settle, InfersAfterEachChangeAndEndsWithoutOne) {
  int left = 3, inferred = 0;
  settle([&] { return left-- > 0; }, [&] { ++inferred; }, 3);
  EXPECT_EQ(inferred, 3);
}

TEST(Settle, PassesThatUndoEachOtherAreAnError) {
  int runs = 0;
  try {
    settle([&] { return ++runs > 0; }, [] {}, 10);
    FAIL();
  } catch (const ir::Error& error) {
    EXPECT_EQ(error.code(), ir::Code::Internal);
  }
  EXPECT_EQ(runs, 11);
}

}  // namespace
}  // namespace tonnx::program
