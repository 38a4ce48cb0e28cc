#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/error.h"
#include "onnx/external_region.h"

namespace tonnx::onnx {
namespace {

using testing::HasSubstr;
using Entries = std::vector<std::pair<std::string, std::string>>;

ExternalRegion region_of(const Entries& entries) {
  pb::TensorProto tensor;
  tensor.set_name("w");
  for (const auto& [key, value] : entries) {
    pb::StringStringEntryProto& entry = *tensor.add_external_data();
    entry.set_key(key);
    entry.set_value(value);
  }
  return external_region_of(tensor, "m.onnx");
}

std::string fault_of(const Entries& entries) {
  try {
    region_of(entries);
  } catch (const ir::Error& error) {
    EXPECT_EQ(error.code(), ir::Code::File);
    return error.what();
  }
  return {};
}

}  // namespace

TEST(ExternalRegion, DescribesTheBytes) {
  const ExternalRegion whole =
      region_of({{"location", "w.bin"}, {"offset", "4096"}, {"length", "24"}, {"checksum", "x"}});
  EXPECT_EQ(whole.location, "w.bin");
  EXPECT_EQ(whole.offset, 4096U);
  EXPECT_EQ(whole.length, 24U);
  const ExternalRegion least = region_of({{"location", "w.bin"}});
  EXPECT_EQ(least.offset, 0U);
  EXPECT_EQ(least.length, std::nullopt);
}

TEST(ExternalRegion, ErrorsNameModelTensorAndEntry) {
  for (const char* wrong : {"", "12x", "-4", " 8", "0x10", "1e3", "99999999999999999999999"})
    for (const char* key : {"offset", "length"})
      EXPECT_THAT(fault_of({{"location", "w.bin"}, {key, wrong}}),
                  HasSubstr("m.onnx: tensor w: the " + std::string(key) + " '" + wrong +
                            "' of its external data is not a number of bytes"));
  EXPECT_THAT(fault_of({{"offset", "4"}}), HasSubstr("m.onnx: tensor w: its external data has no location"));
  EXPECT_THAT(fault_of({{"location", "w"}, {"offset", "4"}, {"offset", "8"}}),
              HasSubstr("the offset of its external data is specified twice"));
}

}  // namespace tonnx::onnx
