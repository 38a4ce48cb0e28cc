#include "exported/saved_file.h"

#include "ir/error.h"

namespace tonnx::exported {

using archive::ZipEntry;
using ir::Code;
using ir::Error;

PickledPtr read_saved(const archive::ArchiveFile& file, std::uint64_t offset, std::uint64_t size,
                      const std::string& what) {
  const auto read = [&](std::uint64_t at, void* out, std::size_t count) {
    return at <= size && count <= size - at && file.read(offset + at, out, count);
  };
  const std::vector<ZipEntry> entries = archive::read_zip_directory(read, size, what);
  const auto find = [&](const std::string& record) -> const ZipEntry* {
    for (const ZipEntry& entry : entries)
      if (archive::ArchiveFile::record_name(entry.name) == record) return &entry;
    return nullptr;
  };
  const ZipEntry* pickle = find("data.pkl");
  if (!pickle || !pickle->stored) throw Error(Code::File, what + " is damaged: it has no 'data.pkl'");
  const auto check = [&](ZipEntry entry) {
    entry.offset += offset;
    file.check(entry);
  };
  check(*pickle);
  std::string bytes(static_cast<std::size_t>(pickle->size), '\0');
  if (!read(pickle->offset, bytes.data(), bytes.size())) throw Error(Code::File, what + " is damaged: it is truncated");
  std::unordered_map<std::string, std::shared_ptr<const ir::Storage>> storages;
  for (const ZipEntry& entry : entries) {
    const std::string record = archive::ArchiveFile::record_name(entry.name);
    if (!record.starts_with("data/") || !entry.stored) continue;
    if (entry.size < archive::kSkippedSize) check(entry);
    storages[record.substr(5)] = file.storage(offset + entry.offset, static_cast<std::size_t>(entry.size));
  }
  try {
    return unpickle(bytes, [&](const std::string& key) {
      const auto found = storages.find(key);
      return found == storages.end() ? nullptr : found->second;
    });
  } catch (const Error& error) {
    throw Error(error.code(), what + " is damaged: " + error.what());
  }
}

}  // namespace tonnx::exported
