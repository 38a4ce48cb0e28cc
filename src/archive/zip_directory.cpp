#include "archive/zip_directory.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "ir/error.h"

namespace tonnx::archive {

namespace {

using ir::Code;
using ir::Error;

constexpr std::uint32_t kEndSignature = 0x06054b50;
constexpr std::uint32_t kEnd64Signature = 0x06064b50;
constexpr std::uint32_t kLocator64Signature = 0x07064b50;
constexpr std::uint32_t kEntrySignature = 0x02014b50;
constexpr std::uint32_t kLocalSignature = 0x04034b50;
constexpr std::size_t kEndSize = 22;
constexpr std::size_t kLocatorSize = 20;
constexpr std::size_t kEnd64Size = 56;
constexpr std::size_t kEntrySize = 46;
constexpr std::size_t kLocalSize = 30;
constexpr std::size_t kLongestComment = 0xffff;

template <class T>
T little(const std::byte* p) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) value |= static_cast<T>(static_cast<T>(p[i]) << (8 * i));
  return value;
}

class Reader {
 public:
  Reader(const ReadAt& read, std::uint64_t size, const std::string& what) : read_(read), size_(size), what_(what) {}

  std::vector<ZipEntry> entries() {
    find_directory();
    std::vector<std::byte> directory(static_cast<std::size_t>(directory_size_));
    fetch(directory_offset_, directory.data(), directory.size());
    std::vector<ZipEntry> result;
    std::size_t at = 0;
    for (std::uint64_t i = 0; i < count_; ++i) {
      if (directory.size() - at < kEntrySize || little<std::uint32_t>(&directory[at]) != kEntrySignature) damaged();
      result.push_back(entry(directory, at));
    }
    return result;
  }

 private:
  [[noreturn]] void damaged() const { throw Error(Code::File, what_ + " is damaged: its zip directory is broken"); }

  void fetch(std::uint64_t offset, std::byte* out, std::size_t size) const {
    if (offset > size_ || size > size_ - offset || !read_(offset, out, size)) damaged();
  }

  void find_directory() {
    std::array<std::byte, 4> head{};
    if (size_ >= head.size() && read_(0, head.data(), head.size()) && head[0] == std::byte{0x80})
      throw Error(Code::File, what_ +
                                  " is a pickle of torch.save before PyTorch 1.6, not a zip file; save models with "
                                  "torch.jit.save and arguments with a newer torch.save");
    if (size_ < head.size() || !read_(0, head.data(), head.size()) || head[0] != std::byte{'P'} ||
        head[1] != std::byte{'K'})
      throw Error(Code::File, what_ + " is not a TorchScript or torch.export archive: not a zip file");
    const std::size_t tail_size = static_cast<std::size_t>(std::min<std::uint64_t>(size_, kEndSize + kLongestComment));
    std::vector<std::byte> tail(tail_size);
    fetch(size_ - tail_size, tail.data(), tail_size);
    std::size_t end = tail_size < kEndSize ? 0 : tail_size - kEndSize + 1;
    while (end > 0 && little<std::uint32_t>(&tail[end - 1]) != kEndSignature) --end;
    if (end == 0) throw Error(Code::File, what_ + " is truncated: the end of the zip file is missing");
    const std::byte* record = &tail[end - 1];
    count_ = little<std::uint16_t>(record + 10);
    directory_size_ = little<std::uint32_t>(record + 12);
    directory_offset_ = little<std::uint32_t>(record + 16);
    const std::uint64_t end_offset = size_ - tail_size + (end - 1);
    if (end_offset >= kLocatorSize) find_directory64(end_offset - kLocatorSize);
    if (directory_offset_ > size_ || directory_size_ > size_ - directory_offset_ || count_ > directory_size_) damaged();
  }

  void find_directory64(std::uint64_t locator_offset) {
    std::array<std::byte, kLocatorSize> locator{};
    fetch(locator_offset, locator.data(), locator.size());
    if (little<std::uint32_t>(locator.data()) != kLocator64Signature) return;
    std::array<std::byte, kEnd64Size> record{};
    fetch(little<std::uint64_t>(&locator[8]), record.data(), record.size());
    if (little<std::uint32_t>(record.data()) != kEnd64Signature) damaged();
    count_ = little<std::uint64_t>(&record[32]);
    directory_size_ = little<std::uint64_t>(&record[40]);
    directory_offset_ = little<std::uint64_t>(&record[48]);
  }

  // Reads the entry at `at` and advances `at` past it.
  ZipEntry entry(const std::vector<std::byte>& directory, std::size_t& at) const {
    const std::byte* p = &directory[at];
    const std::size_t name_size = little<std::uint16_t>(p + 28);
    const std::size_t extra_size = little<std::uint16_t>(p + 30);
    const std::size_t comment_size = little<std::uint16_t>(p + 32);
    if (directory.size() - at - kEntrySize < name_size + extra_size + comment_size) damaged();
    ZipEntry result;
    result.name.assign(reinterpret_cast<const char*>(p + kEntrySize), name_size);
    result.crc = little<std::uint32_t>(p + 16);
    result.compressed_size = little<std::uint32_t>(p + 20);
    result.size = little<std::uint32_t>(p + 24);
    const bool encrypted = little<std::uint16_t>(p + 8) & 1;
    result.stored = little<std::uint16_t>(p + 10) == 0 && !encrypted;
    std::uint64_t local = little<std::uint32_t>(p + 42);
    read_extra(p + kEntrySize + name_size, extra_size, result, local);
    std::array<std::byte, kLocalSize> header{};
    fetch(local, header.data(), header.size());
    if (little<std::uint32_t>(header.data()) != kLocalSignature) damaged();
    result.offset = local + kLocalSize + little<std::uint16_t>(&header[26]) + little<std::uint16_t>(&header[28]);
    if (result.offset > size_ || result.compressed_size > size_ - result.offset) damaged();
    if (result.stored && result.size != result.compressed_size) damaged();
    at += kEntrySize + name_size + extra_size + comment_size;
    return result;
  }

  // The zip64 field contains size, compressed size and offset, in this order, if they do not fit in 32 bits.
  void read_extra(const std::byte* p, std::size_t size, ZipEntry& entry, std::uint64_t& local) const {
    while (size >= 4) {
      const std::uint16_t id = little<std::uint16_t>(p);
      const std::size_t length = little<std::uint16_t>(p + 2);
      if (length > size - 4) return;
      if (id == 1) {
        std::size_t at = 4;
        for (std::uint64_t* field : {&entry.size, &entry.compressed_size, &local}) {
          if (*field != 0xffffffffU) continue;
          if (at + 8 > length + 4) damaged();
          *field = little<std::uint64_t>(p + at);
          at += 8;
        }
      }
      p += 4 + length;
      size -= 4 + length;
    }
  }

  const ReadAt& read_;
  std::uint64_t size_;
  const std::string& what_;
  std::uint64_t count_ = 0;
  std::uint64_t directory_size_ = 0;
  std::uint64_t directory_offset_ = 0;
};

}  // namespace

std::vector<ZipEntry> read_zip_directory(const ReadAt& read, std::uint64_t file_size, const std::string& what) {
  return Reader(read, file_size, what).entries();
}

namespace {

// CRC of each byte, alone and followed by up to seven zero bytes.
constexpr auto kCrcTables = [] {
  std::array<std::array<std::uint32_t, 256>, 8> tables{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t c = i;
    for (int k = 0; k < 8; ++k) c = (c & 1) ? 0xedb88320U ^ (c >> 1) : c >> 1;
    tables[0][i] = c;
  }
  for (std::size_t zeros = 1; zeros < tables.size(); ++zeros)
    for (std::size_t i = 0; i < 256; ++i) {
      const std::uint32_t c = tables[zeros - 1][i];
      tables[zeros][i] = tables[0][c & 0xff] ^ (c >> 8);
    }
  return tables;
}();

}  // namespace

std::uint32_t crc32_of(const void* bytes, std::size_t size, std::uint32_t crc) {
  crc = ~crc;
  const auto* p = static_cast<const std::byte*>(bytes);
  for (; size >= 8; p += 8, size -= 8) {
    const std::uint32_t low = crc ^ little<std::uint32_t>(p), high = little<std::uint32_t>(p + 4);
    crc = 0;
    for (unsigned i = 0; i < 4; ++i)
      crc ^= kCrcTables[7 - i][(low >> (8 * i)) & 0xff] ^ kCrcTables[3 - i][(high >> (8 * i)) & 0xff];
  }
  for (std::size_t i = 0; i < size; ++i)
    crc = kCrcTables[0][(crc ^ static_cast<std::uint32_t>(p[i])) & 0xff] ^ (crc >> 8);
  return ~crc;
}

}  // namespace tonnx::archive
