#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "huge_weight.h"

namespace tonnx::onnx {
namespace {

using testing::ElementsAre;

// Copies 2.25 GiB if the file system does not support sparse files.
TEST_F(HugeWeight, IsStoredInAnExternalFileAutomatically) {
  WriteOptions options;
  options.sync = false;
  const Written written = write_file(*graph_, info_of(18), folder_ / "m.onnx", options);
  EXPECT_EQ(written.external_tensors, 2U);
  EXPECT_THAT(folder_.names(), ElementsAre("m.onnx", "m.onnx.data", "sparse"));
  EXPECT_EQ(std::filesystem::file_size(folder_ / "m.onnx.data"), written.data_bytes);
  std::ifstream in(folder_ / "m.onnx.data", std::ios::binary);
  std::string first(5, '\0');
  in.read(first.data(), 5);
  EXPECT_EQ(first, "first");
}

}  // namespace
}  // namespace tonnx::onnx
