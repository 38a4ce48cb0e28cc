#pragma once

#include <memory>

#include "archive/archive_file.h"
#include "export/loaded_program.h"

namespace tonnx::exporting {

// Loads the programs of an archive of torch.export. Its methods are the models of the archive; "forward" is the first
// one if none has that name. Arguments are not needed. Throws the errors of exported::Archive::open.
std::shared_ptr<const LoadedProgram> open_exported(std::shared_ptr<const archive::ArchiveFile> file);

}  // namespace tonnx::exporting
