#include "onnx/temporary_model.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "ir/error.h"
#include "onnx/writer.h"

namespace tonnx::onnx {

TemporaryModel::TemporaryModel(const ir::Graph& graph, const ModelInfo& info) : TemporaryModel() {
  // above this size, weights may need an external file
  constexpr std::uint64_t kLargestUnnamed = std::uint64_t{1} << 30;
  const std::filesystem::path temporary = std::filesystem::temp_directory_path();
  bytes_ = message_size(graph, info);
  if (bytes_ < kLargestUnnamed) {
    unnamed_ = open_unnamed(temporary.string(), 0600);
    if (unnamed_.get() >= 0) {
      path_ = path_of(unnamed_.get());
      write_descriptor(graph, info, unnamed_.get());
      return;
    }
  }
  std::string pattern = (temporary / "tonnx-XXXXXX").string();
  if (!::mkdtemp(pattern.data())) throw ir::Error(ir::Code::File, "cannot create a temporary folder " + pattern);
  folder_ = pattern;
  path_ = folder_ + "/model.onnx";
  write_file(graph, info, path_, {.external_data = ExternalData::Auto, .sync = false});
}

TemporaryModel::~TemporaryModel() {
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

}  // namespace tonnx::onnx
