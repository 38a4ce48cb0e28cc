#pragma once

#include <cstdint>
#include <string>

#include "archive/archive_file.h"
#include "exported/unpickler.h"

namespace tonnx::exported {

// Reads the value of a file of torch.save that is stored uncompressed in an archive, at `offset`, with `size` bytes.
// Its tensors stay in the file. `what` names it in errors. Throws Error(Code::File) if it is damaged.
PickledPtr read_saved(const archive::ArchiveFile& file, std::uint64_t offset, std::uint64_t size,
                      const std::string& what);

}  // namespace tonnx::exported
