#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/archive_file.h"
#include "ir/error.h"
#include "zip.h"

namespace tonnx::archive {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

template <class Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const ir::Error& error) {
    EXPECT_EQ(error.code(), ir::Code::File) << error.what();
    return error.what();
  }
  return "no error";
}

std::string error_of(const ZipFile& file) {
  return error_of([&] { ArchiveFile::from_bytes(file.bytes()); });
}

// A file that is removed at the end of the test.
class File {
 public:
  explicit File(const std::vector<std::byte>& bytes) : path_(testing::TempDir() + "tonnx_archive.zip") {
    std::ofstream(path_, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  ~File() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(ArchiveFile, FindsRecordsBelowItsTopFolder) {
  const File file(ZipFile{{{"model/data/0", "zero"}, {"model/code/a/b.py", "pass"}, {"top", "none"}}}.bytes());
  const auto archive = ArchiveFile::open(file.path());
  EXPECT_EQ(archive->what(), "'" + file.path() + "'");
  ASSERT_TRUE(archive->find("data/0"));
  EXPECT_EQ(archive->text(*archive->find("data/0")), "zero");
  EXPECT_EQ(archive->text(*archive->find("code/a/b.py")), "pass");
  EXPECT_EQ(archive->text(*archive->find("top")), "none");
  EXPECT_FALSE(archive->find("data"));
  EXPECT_FALSE(archive->find("model/data/0"));
}

TEST(ArchiveFile, HasTheSameBytesInMemoryAndInAFile) {
  const std::vector<std::byte> bytes = ZipFile{{{"m/data/0", "zero"}}}.bytes();
  const File file(bytes);
  for (const auto& archive : {ArchiveFile::from_bytes(bytes), ArchiveFile::open(file.path())}) {
    const ZipEntry& entry = *archive->find("data/0");
    const auto storage = archive->storage(entry.offset, static_cast<std::size_t>(entry.size));
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(storage->data()), storage->size()), "zero");
    const auto copy = archive->writable_copy();
    copy.get()[entry.offset] = std::byte{'Z'};
    EXPECT_EQ(archive->text(entry), "zero");
    char outside[8];
    EXPECT_FALSE(archive->read(archive->size() - 4, outside, sizeof outside));
    EXPECT_FALSE(archive->read(UINT64_MAX - 2, outside, sizeof outside));
  }
}

TEST(ArchiveFile, RefusesFilesThatAreNotThere) {
  EXPECT_THAT(error_of([] { ArchiveFile::open("/nowhere/x.pt"); }),
              AllOf(StartsWith("'/nowhere/x.pt' cannot be opened: "), HasSubstr("No such file")));
  EXPECT_EQ(error_of([] { ArchiveFile::open("/tmp"); }), "'/tmp' is not a file");
  const File empty({});
  EXPECT_EQ(error_of([&] { ArchiveFile::open(empty.path()); }), "'" + empty.path() + "' is empty");
  EXPECT_EQ(error_of([] { ArchiveFile::from_bytes({}); }), "the archive is empty");
}

// LibTorch and Python's zipfile take different ones.
TEST(ArchiveFile, RefusesTwoEntriesOfOneName) {
  EXPECT_EQ(error_of(ZipFile{{{"m/data/0", "zero"}, {"m/data/1", "one"}, {"m/data/0", "other"}}}),
            "the archive is damaged: it has two entries 'm/data/0'");
  EXPECT_EQ(error_of(ZipFile{{{"m/data/0", "zero"}, {"n/data/0", "zero"}}}), "no error");
}

TEST(ArchiveFile, ComparesChecksums) {
  std::vector<std::byte> bytes = ZipFile{{{"m/version", "3"}, {"m/data/0", std::string(kSkippedSize, 'x')}}}.bytes();
  ArchiveFile::from_bytes(bytes)->check();

  // The checksum of a large tensor is compared only on request.
  std::vector<std::byte> tensor = bytes;
  tensor[place_of(tensor, "xxxx") + 100] = std::byte{'y'};
  const auto archive = ArchiveFile::from_bytes(tensor);
  archive->check();
  EXPECT_THAT(error_of([&] { archive->check(*archive->find("data/0")); }),
              HasSubstr("the checksum of entry 'm/data/0' is wrong"));

  std::vector<std::byte> version = bytes;
  version[place_of(version, "m/version3") + 9] = std::byte{'4'};
  const auto other = ArchiveFile::from_bytes(version);
  EXPECT_THAT(error_of([&] { other->check(); }), HasSubstr("the checksum of entry 'm/version' is wrong"));
  EXPECT_THAT(error_of([&] { other->text(*other->find("version")); }), HasSubstr("is wrong"));
}

TEST(ArchiveFile, ReadsNoCompressedEntry) {
  const auto archive = ArchiveFile::from_bytes(ZipFile{{{"m/a", "x", 8}}}.bytes());
  EXPECT_EQ(error_of([&] { archive->text(*archive->find("a")); }), "the archive: entry 'm/a' is compressed");
}

}  // namespace
}  // namespace tonnx::archive
