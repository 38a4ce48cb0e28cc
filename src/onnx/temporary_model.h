#pragma once

#include <cstdint>
#include <string>

#include "ir/graph.h"
#include "onnx/model_info.h"
#include "onnx/sink.h"

namespace tonnx::onnx {

// A model in a private temporary file, which is removed with this object. It is removed however the process ends if the
// file system supports files without a name and one message can contain the model. Throws like write_file.
class TemporaryModel {
 public:
  TemporaryModel(const ir::Graph& graph, const ModelInfo& info);
  TemporaryModel(const TemporaryModel&) = delete;
  TemporaryModel& operator=(const TemporaryModel&) = delete;
  ~TemporaryModel();
  const std::string& path() const { return path_; }
  std::uint64_t bytes() const { return bytes_; }  // with weights in files of their own

 private:
  TemporaryModel() = default;

  ir::Descriptor unnamed_;
  std::string folder_;  // empty: the file has no name
  std::string path_;
  std::uint64_t bytes_ = 0;
};

}  // namespace tonnx::onnx
