#pragma once

#include <memory>
#include <string>
#include <vector>

#include <torch/csrc/jit/api/module.h>

#include "torch/convert.h"
#include "torch/skipping_reader.h"

// Loads a module without reading its weights. Internal: includes LibTorch.
namespace tonnx::torch {

// A module to import and run: a module in memory, or one of an archive, whose larger tensors have uninitialised memory.
struct LoadedModule {
  struct Region {
    c10::Storage storage;
    const ZipEntry* entry;
    bool skipped;
  };

  std::shared_ptr<const ArchiveFile> file;  // null for a module in memory
  ::torch::jit::Module module;
  std::string name;   // of the archive or the source, for messages
  std::string entry;  // the method used for "forward" if there is none
  std::vector<Region> regions;
  std::vector<at::Tensor> tensors;  // tensors of attributes and of code

  // Makes `storages` return regions of the file for the module's tensors.
  void add_regions(StorageMap& storages) const;
  // Points the skipped tensors to a private mapping of the file.
  void fill() const;
  // Reads the tensor's bytes from the file again; does nothing for a tensor without a region.
  void read_again(const at::Tensor& tensor) const;
};

// Throws the errors of load_archive().
LoadedModule load_module(const std::shared_ptr<const ArchiveFile>& file);

// Calls `visit` for each tensor in attributes of the module and in constants of its methods' graphs.
void for_each_tensor(const ::torch::jit::Module& module, const std::function<void(const at::Tensor&)>& visit);

}  // namespace tonnx::torch
