#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "onnx/layout.h"

namespace tonnx::onnx {

// A folder beside a model, with a file for each weight: NAME_initializers for NAME.onnx, FILE.initializers for a FILE
// of any other name, so that no two models share one. Errors are those of onnx/writer.h.
class WeightFiles {
 public:
  // `model` is the path of the model.
  explicit WeightFiles(const std::string& model);
  WeightFiles(const WeightFiles&) = delete;
  WeightFiles& operator=(const WeightFiles&) = delete;
  // Without commit() nothing is left of what was written.
  ~WeightFiles();

  // Gives each weight a file of its name, with _ for what file names may not hold; returns how many. Weights without
  // elements, and integers below 1 KiB, which shape inference reads, stay in the model.
  std::size_t place(std::vector<Layout::Initializer>& initializers) const;
  // Writes them into a temporary folder beside the model.
  void write(const std::vector<Layout::Initializer>& initializers, bool sync);
  // The files take their names: all of them at once, or on an error none; where the file system cannot exchange two
  // folders, a process that is killed may leave the folder under a temporary name. Files of another export that have
  // none of these names stay.
  void commit();
  // What stood there before commit() stands there again, as far as the file system lets it.
  void undo();

  const std::string& folder() const { return folder_; }

 private:
  void swap();

  std::string folder_;
  std::string target_;     // what a link of that name leads to, or the folder itself
  std::string temporary_;  // after commit() what stood there before
  std::vector<std::string> names_;
  bool made_ = false;
  bool swapped_ = false;
};

}  // namespace tonnx::onnx
