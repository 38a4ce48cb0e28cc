#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "models.h"

namespace tonnx::onnx {

// A weight of 2.25 GiB in a sparse file that uses no disk space.
class HugeWeight : public testing::Test {
 protected:
  HugeWeight() {
    const int fd = ::open((folder_ / "sparse").c_str(), O_RDWR | O_CREAT, 0600);
    EXPECT_EQ(::ftruncate(fd, kRows * kColumns * 4), 0);
    EXPECT_EQ(::pwrite(fd, "first", 5, 0), 5);
    ::close(fd);
    graph_ = linear(file_tensor({kRows, kColumns}, folder_ / "sparse", 0));
  }
  static constexpr std::int64_t kRows = 9 << 16, kColumns = 1 << 10;
  const Folder folder_;
  std::unique_ptr<ir::Graph> graph_;
};

}  // namespace tonnx::onnx
