#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "backend/archive.h"

namespace tonnx::torch {

using backend::Archive;

// Loads an archive. Throws Error(Code::File) if the file is missing, empty, truncated, damaged or has no TorchScript
// program, Error(Code::Unsupported) if it uses an operator that LibTorch does not know.
std::shared_ptr<Archive> load_archive(const std::string& path);
std::shared_ptr<Archive> load_archive(std::vector<std::byte> bytes);

struct LoadedModule;
// Wraps a module as an archive; changes of its tensors by a run are undone afterwards.
std::shared_ptr<Archive> make_archive(LoadedModule module);

}  // namespace tonnx::torch
