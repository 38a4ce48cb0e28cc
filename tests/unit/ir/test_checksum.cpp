#include <cstddef>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "ir/checksum.h"

namespace tonnx {
namespace {

TEST(Checksum, DependsOnEveryByteAndTheLength) {
  std::set<std::uint64_t> seen;
  std::size_t count = 0;
  for (const std::size_t size : {0, 1, 7, 8, 63, 64, 65, 128, 200}) {
    std::vector<std::byte> bytes(size);
    seen.insert(ir::checksum(bytes));
    ++count;
    for (std::byte& byte : bytes) {
      byte = std::byte{1};
      seen.insert(ir::checksum(bytes));
      byte = std::byte{0};
      ++count;
    }
  }
  EXPECT_EQ(seen.size(), count);
}

TEST(Checksum, DoesNotDependOnTheAddress) {
  const std::vector<std::byte> bytes(41, std::byte{5});
  EXPECT_EQ(ir::checksum({bytes.data() + 1, 37}), ir::checksum({bytes.data() + 4, 37}));
}

}  // namespace
}  // namespace tonnx
