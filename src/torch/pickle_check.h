#pragma once

#include <memory>

#include "archive/archive_file.h"

// Checks pickles before LibTorch's unpickler reads them. A pickle fails the check if LibTorch would allocate memory for
// sizes that it only claims, read outside of its data, nest values without bound, or build a tensor that is larger than
// its record. Pickles that LibTorch itself refuses may pass. Time and memory are proportional to the size of the
// pickle.
namespace tonnx::torch {

// Checks the pickles of a TorchScript archive: state, constants and source locations. Throws Error(Code::File).
void check_program_pickles(const std::shared_ptr<const archive::ArchiveFile>& file);

// Same, for the pickle of torch.save, in which LibTorch knows no classes.
void check_saved_pickle(const std::shared_ptr<const archive::ArchiveFile>& file);

}  // namespace tonnx::torch
