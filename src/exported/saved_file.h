#pragma once

#include <cstdint>
#include <string>

#include "archive/archive_file.h"
#include "exported/unpickler.h"

namespace tonnx::exported {

// The value in a file of torch.save that lies as it is in an archive, at `offset` and `size` bytes long. Its tensors
// stay where they lie. `what` names it in errors. Throws Error(Code::File) where it is damaged.
PickledPtr read_saved(const archive::ArchiveFile& file, std::uint64_t offset, std::uint64_t size,
                      const std::string& what);

}  // namespace tonnx::exported
