#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "ir/location.h"
#include "ir/source_line.h"

namespace tonnx::ir {
namespace {

TEST(SourceLine, IsLookedUpOnceAtTheFirstAccess) {
  int calls = 0;
  const SourceLine line([&calls] {
    ++calls;
    return std::string("model.py:12");
  });
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(line.text(), "model.py:12");
  EXPECT_EQ(line.text(), "model.py:12");
  EXPECT_EQ(calls, 1);
}

TEST(SourceLine, IsLookedUpOnceByManyThreads) {
  int calls = 0;
  const SourceLine line([&calls] {
    ++calls;
    return std::string("model.py:12");
  });
  std::vector<std::string> seen(4);
  std::vector<std::thread> threads;
  for (std::string& text : seen) threads.emplace_back([&line, &text] { text = line.text(); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(seen, std::vector<std::string>(4, "model.py:12"));
}

TEST(SourceLine, OfALocationWithoutOneIsEmpty) {
  EXPECT_EQ(Location{}.source(), "");
  const Location location{nullptr, std::make_shared<const SourceLine>("net.cpp:3")};
  EXPECT_EQ(location.source(), "net.cpp:3");
}

}  // namespace
}  // namespace tonnx::ir
