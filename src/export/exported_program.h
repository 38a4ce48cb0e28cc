#pragma once

#include <memory>

#include "archive/archive_file.h"
#include "export/loaded_program.h"

namespace tonnx::exporting {

// The program in an archive of torch.export. Its methods are the models of the archive; "forward" is the first of them
// where none has that name. Arguments are not needed. Throws what exported::Archive::open throws.
std::shared_ptr<const LoadedProgram> open_exported(std::shared_ptr<const archive::ArchiveFile> file);

}  // namespace tonnx::exporting
