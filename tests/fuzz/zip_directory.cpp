// The directory of a zip file, and the content of its entries.
#include "archive/archive_file.h"
#include "ir/error.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using tonnx::archive::ArchiveFile;
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  try {
    const auto file = ArchiveFile::from_bytes(std::vector<std::byte>(bytes, bytes + size));
    for (const auto& entry : file->entries()) {
      file->find(ArchiveFile::record_name(entry.name));
      try {
        file->text(entry);
      } catch (const tonnx::ir::Error&) {
      }
    }
    file->check();
  } catch (const tonnx::ir::Error&) {
  }
  return 0;
}
