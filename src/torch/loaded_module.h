#pragma once

#include <memory>
#include <string>
#include <vector>

#include <torch/csrc/jit/api/module.h>

#include "torch/convert.h"
#include "torch/skipping_reader.h"

// Loading a module without reading its weights. Internal: includes LibTorch.
namespace tonnx::torch {

// A module to be imported and run: one that lives in memory, or an archive's, whose larger tensors hold memory that was
// never filled.
struct LoadedModule {
  struct Region {
    c10::Storage storage;
    const ZipEntry* entry;
    bool skipped;
  };

  std::shared_ptr<const ArchiveFile> file;  // null for a module in memory
  ::torch::jit::Module module;
  std::string name;   // of the archive or the source, for messages
  std::string entry;  // the method that "forward" stands for where there is none
  std::vector<Region> regions;
  std::vector<at::Tensor> tensors;  // of attributes and code, in these

  // Makes `storages` give regions of the file for the module's tensors.
  void add_regions(StorageMap& storages) const;
  // Points the tensors that were skipped to a private mapping of the file.
  void fill() const;
  // Gives the tensor's memory the bytes of the file again; one that is not a region's stays.
  void read_again(const at::Tensor& tensor) const;
};

// Throws Error(Code::File) and Error(Code::Unsupported) as Archive::load does.
LoadedModule load_module(std::shared_ptr<const ArchiveFile> file);

// Calls `visit` for every tensor in attributes of the module and in constants of its methods' graphs.
void for_each_tensor(const ::torch::jit::Module& module, const std::function<void(const at::Tensor&)>& visit);

}  // namespace tonnx::torch
