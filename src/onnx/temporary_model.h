#pragma once

#include <string>

#include "ir/graph.h"
#include "onnx/model_info.h"
#include "onnx/sink.h"

namespace tonnx::onnx {

// A model in a file of the temporary folder that nobody else has, gone with this object; however the process ends,
// where the file system can hold a file without a name and one message holds the model. Throws as write_file does.
class TemporaryModel {
 public:
  TemporaryModel(const ir::Graph& graph, const ModelInfo& info);
  TemporaryModel(const TemporaryModel&) = delete;
  TemporaryModel& operator=(const TemporaryModel&) = delete;
  ~TemporaryModel();
  const std::string& path() const { return path_; }

 private:
  TemporaryModel() = default;

  ir::Descriptor unnamed_;
  std::string folder_;  // empty: the file has no name
  std::string path_;
};

}  // namespace tonnx::onnx
