#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "backend/archive.h"

namespace tonnx::torch {

using backend::Archive;

// Loads an archive. Throws Error(Code::File) if the file is missing, empty, truncated, damaged or holds no TorchScript
// program, and Error(Code::Unsupported) if it uses an operator that LibTorch does not know.
std::shared_ptr<Archive> load_archive(const std::string& path);
std::shared_ptr<Archive> load_archive(std::vector<std::byte> bytes);

struct LoadedModule;
// A module as an archive: what a run changes of its tensors is undone afterwards.
std::shared_ptr<Archive> make_archive(LoadedModule module);

}  // namespace tonnx::torch
