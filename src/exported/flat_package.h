#pragma once

#include <memory>
#include <string_view>

#include "exported/package.h"

namespace tonnx::exported {

constexpr std::string_view kFlatProgram = "serialized_exported_program.json";

// Opens the layout of PyTorch up to 2.7: one program, with its tensors in files of torch.save beside it.
std::shared_ptr<const Package> open_flat_package(std::shared_ptr<const archive::ArchiveFile> file);

}  // namespace tonnx::exported
