#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "onnx/layout.h"

namespace tonnx::onnx {

// A folder next to a model, with a file for each weight: NAME_initializers for NAME.onnx, FILE.initializers for any
// other FILE, so that no two models share one. Errors are those of onnx/writer.h.
class WeightFiles {
 public:
  // `model` is the path of the model.
  explicit WeightFiles(const std::string& model);
  WeightFiles(const WeightFiles&) = delete;
  WeightFiles& operator=(const WeightFiles&) = delete;
  // Without commit(), removes what was written.
  ~WeightFiles();

  // Assigns each weight a file of its name, with _ for characters that file names cannot contain; returns the number of
  // files. Weights without elements, and integers below 1 KiB, which shape inference reads, stay in the model.
  std::size_t place(std::vector<Layout::Initializer>& initializers) const;
  // Writes the files into a temporary folder next to the model.
  void write(const std::vector<Layout::Initializer>& initializers, bool sync);
  // Renames the files: all at once or, on an error, none. If the file system cannot exchange two folders, a process
  // that is killed may leave the folder under a temporary name. Files of another export with other names are kept.
  void commit();
  // Restores the state before commit(), as far as the file system allows.
  void undo();

  const std::string& folder() const { return folder_; }

 private:
  void swap();

  std::string folder_;
  std::string target_;     // the target of a link of that name, or the folder itself
  std::string temporary_;  // after commit(): the old folder
  std::vector<std::string> names_;
  bool made_ = false;
  bool swapped_ = false;
};

}  // namespace tonnx::onnx
