#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "onnx/layout.h"

namespace tonnx::onnx {

// A folder MODEL_initializers beside a model, with a file for each weight. Errors are those of onnx/writer.h.
class WeightFiles {
 public:
  // `model` is the path of the model, whose last ending the folder's name leaves out.
  explicit WeightFiles(const std::string& model);
  WeightFiles(const WeightFiles&) = delete;
  WeightFiles& operator=(const WeightFiles&) = delete;
  // Without commit() nothing is left of what was written.
  ~WeightFiles();

  // Gives each weight a file of its name, with _ for what file names may not hold; returns how many. Weights without elements, and
  // integers below 1 KiB, which shape inference reads, stay in the model.
  std::size_t place(std::vector<Layout::Initializer>& initializers) const;
  // Writes them into a temporary folder beside the model.
  void write(const std::vector<Layout::Initializer>& initializers, bool sync);
  // The files take their names. Those of another export that have none of these names stay.
  void commit();
  // Takes a folder back that commit() made.
  void undo();

  const std::string& folder() const { return folder_; }

 private:
  std::string folder_, temporary_;
  bool made_ = false;
};

}  // namespace tonnx::onnx
