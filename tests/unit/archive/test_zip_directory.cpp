#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/zip_directory.h"
#include "ir/error.h"
#include "zip.h"

namespace tonnx::archive {
namespace {

using testing::HasSubstr;

const ZipFile kTwo{{{"model/a.txt", "first"}, {"model/b.txt", "the second"}}};

std::vector<ZipEntry> read(const std::vector<std::byte>& bytes) {
  const auto read_at = [&](std::uint64_t offset, void* out, std::size_t size) {
    if (offset > bytes.size() || size > bytes.size() - offset) return false;
    if (size > 0) std::memcpy(out, bytes.data() + offset, size);
    return true;
  };
  return read_zip_directory(read_at, bytes.size(), "'x.pt'");
}

std::string directory_error(const std::vector<std::byte>& bytes) {
  try {
    read(bytes);
  } catch (const ir::Error& error) {
    EXPECT_EQ(error.code(), ir::Code::File) << error.what();
    return error.what();
  }
  return "no error";
}

constexpr const char* kBroken = "'x.pt' is damaged: its zip directory is broken";
constexpr const char* kTruncated = "'x.pt' is truncated: the end of the zip file is missing";

class ZipDirectories : public testing::TestWithParam<bool> {
 protected:
  ZipFile two() const {
    ZipFile file = kTwo;
    file.zip64 = GetParam();
    return file;
  }
};

TEST_P(ZipDirectories, HasTheEntriesAndWhereTheirBytesAre) {
  const std::vector<std::byte> bytes = two().bytes();
  const auto entries = read(bytes);
  ASSERT_EQ(entries.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& [name, content, method, flags] = kTwo.entries[i];
    EXPECT_EQ(entries[i].name, name);
    EXPECT_EQ(entries[i].size, content.size());
    EXPECT_EQ(entries[i].compressed_size, content.size());
    EXPECT_EQ(entries[i].crc, crc32_of(content.data(), content.size()));
    EXPECT_TRUE(entries[i].stored);
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(&bytes[entries[i].offset]), content.size()), content);
  }
}

TEST_P(ZipDirectories, MayBeEmptyAndHaveAComment) {
  ZipFile none{{}, GetParam(), "a comment with PK in it"};
  // A zip file without entries begins with its end record, or with that of zip64.
  EXPECT_TRUE(read(none.bytes()).empty());
  ZipFile file = two();
  file.comment = std::string(0xffff, 'c');
  EXPECT_EQ(read(file.bytes()).size(), 2U);
}

TEST_P(ZipDirectories, IsRefusedWhereverTheFileEnds) {
  const std::vector<std::byte> whole = two().bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string error = directory_error({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
    if (size < 4)
      EXPECT_THAT(error, HasSubstr("archive: not a zip file")) << size;
    else
      EXPECT_EQ(error, kTruncated) << size;
  }
}

INSTANTIATE_TEST_SUITE_P(, ZipDirectories, testing::Bool(),
                         [](const auto& info) { return info.param ? std::string("Zip64") : std::string("Zip"); });

TEST(ZipDirectory, RefusesWrongOffsets) {
  const std::vector<std::byte> whole = kTwo.bytes();
  const std::size_t end = place_of(whole, "PK\5\6"), second = place_of(whole, "PK\1\2", 1);
  struct Field {
    std::size_t at;
    std::uint64_t value;
    int bytes;
  };
  for (const Field& field : {
           Field{end + 16, whole.size(), 4},   // the directory begins at the end
           Field{end + 16, 1, 4},              // in the middle of an entry
           Field{end + 12, whole.size(), 4},   // and is longer than the file
           Field{end + 12, 50, 4},             // shorter than its entries
           Field{end + 10, 3, 2},              // it has more entries
           Field{second + 42, 1, 4},           // an entry begins inside another
           Field{second + 42, 0xfffffff0, 4},  // beyond the end
           Field{second + 20, 1000, 4},        // its bytes end beyond the end
           Field{second + 24, 1000, 4},        // stored with another size
           Field{second + 28, 0xffff, 2},      // its name is longer than the directory
           Field{second + 30, 0xffff, 2},      // its extra fields are
           Field{second, 0, 4},                // it has no signature
       }) {
    std::vector<std::byte> damaged = whole;
    put(damaged, field.at, field.value, field.bytes);
    EXPECT_EQ(directory_error(damaged), kBroken) << field.at << " " << field.value;
  }
}

TEST(ZipDirectory, RefusesWrongOffsetsOfZip64) {
  ZipFile file = kTwo;
  file.zip64 = true;
  const std::vector<std::byte> whole = file.bytes();
  const std::size_t end = place_of(whole, "PK\6\6"), locator = place_of(whole, "PK\6\7");
  const std::size_t extra = place_of(whole, "model/b.txt", 1) + std::strlen("model/b.txt");
  struct Field {
    std::size_t at;
    std::uint64_t value;
    int bytes;
  };
  for (const Field& field : {
           Field{locator + 8, 0, 8},               // the end of zip64 is elsewhere
           Field{locator + 8, UINT64_MAX - 8, 8},  // beyond the file
           Field{end + 48, UINT64_MAX, 8},         // the directory is
           Field{end + 40, UINT64_MAX, 8},         // its size is
           Field{end + 32, UINT64_MAX, 8},         // the number of its entries is
           Field{extra + 4, UINT64_MAX, 8},        // sizes of an entry
           Field{extra + 12, UINT64_MAX, 8},
           Field{extra + 20, UINT64_MAX - 8, 8},  // its offset
           Field{extra + 2, 8, 2},                // the sizes are not all there
           Field{extra, 2, 2},                    // the field is another one
       }) {
    std::vector<std::byte> damaged = whole;
    put(damaged, field.at, field.value, field.bytes);
    EXPECT_EQ(directory_error(damaged), kBroken) << field.at - end << " " << field.value;
  }
}

TEST(ZipDirectory, SaysWhatIsNotStored) {
  const auto entries = read(ZipFile{{{"a", "x", 8}, {"b", "x", 0, 1}, {"c", "x"}}}.bytes());
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_FALSE(entries[0].stored);  // deflated
  EXPECT_FALSE(entries[1].stored);  // encrypted
  EXPECT_TRUE(entries[2].stored);
}

TEST(ZipDirectory, RefusesOtherFiles) {
  const auto bytes_of = [](const std::string& text) {
    const auto* first = reinterpret_cast<const std::byte*>(text.data());
    return std::vector<std::byte>(first, first + text.size());
  };
  EXPECT_THAT(directory_error({}), HasSubstr("archive: not a zip file"));
  EXPECT_THAT(directory_error(bytes_of("no zip at all")), HasSubstr("archive: not a zip file"));
  EXPECT_THAT(directory_error(bytes_of("\x80\x02pickle")),
              HasSubstr("is a pickle of torch.save before PyTorch 1.6, not a zip file"));
  EXPECT_EQ(directory_error(bytes_of("PK\3\4")), kTruncated);
}

TEST(Crc32, IsThatOfZipFilesAndContinues) {
  const std::string text = "123456789";
  EXPECT_EQ(crc32_of(text.data(), text.size()), 0xcbf43926U);
  EXPECT_EQ(crc32_of(text.data() + 4, 5, crc32_of(text.data(), 4)), 0xcbf43926U);
  EXPECT_EQ(crc32_of(nullptr, 0), 0U);
}

}  // namespace
}  // namespace tonnx::archive
