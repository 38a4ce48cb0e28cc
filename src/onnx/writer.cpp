#include "onnx/writer.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <sys/stat.h>
#include <system_error>

#include "ir/error.h"
#include "ir/observer.h"
#include "onnx/layout.h"
#include "onnx/stored_order.h"
#include "onnx/weight_files.h"
#include "onnx/wire.h"

namespace tonnx::onnx {
namespace {

namespace fs = std::filesystem;

// Readers add a little to a model; without a margin they could not write it again.
constexpr std::uint64_t kMaxModel = wire::kMaxMessage - (std::uint64_t{1} << 20);
// Smaller weights stay in the model, for shape inference.
constexpr std::uint64_t kMinExternal = 1024;
// Weights to be mapped start on a page; for small ones the padding would waste space.
constexpr const char* kStage = "writing";
constexpr std::uint64_t kPage = 4096, kMinPaged = 64 * 1024, kAlignment = 64;

[[noreturn]] void fail_errno(const std::string& path) {
  throw ir::Error(ir::Code::File, path + ": " + std::generic_category().message(errno));
}

[[noreturn]] void refuse(const std::string& reason) { throw ir::Error(ir::Code::Argument, reason); }

std::uint64_t align(std::uint64_t offset, std::uint64_t size) {
  const std::uint64_t alignment = size >= kMinPaged ? kPage : kAlignment;
  return (offset + alignment - 1) / alignment * alignment;
}

// Assigns every large weight an offset in one file; returns the file's size.
std::uint64_t place_beside(Layout& layout, const std::string& location, Written& written) {
  std::uint64_t end = 0;
  for (Layout::Initializer& initializer : layout.initializers()) {
    if (initializer.bytes < kMinExternal) continue;
    const std::uint64_t offset = align(end, initializer.bytes);
    initializer.external = Layout::External{location, offset};
    end = offset + initializer.bytes;
    ++written.external_tensors;
  }
  return end;
}

void write_data(const std::vector<Layout::Initializer>& initializers, Sink& sink) {
  static constexpr char kZeros[kPage] = {};
  WeightWriter weights = weights_of(initializers, true);
  std::uint64_t at = 0;
  for (const Layout::Initializer& initializer : initializers) {
    if (!initializer.external) continue;
    sink.write(kZeros, static_cast<std::size_t>(initializer.external->offset - at));
    weights.write_next(sink);
    at = initializer.external->offset + initializer.bytes;
  }
}

// The path of a weight's file, relative to `folder`, the model's. ONNX allows a regular file in that folder or below
// it, not reached through a link.
std::string archive_location(const Region& region, const fs::path& folder, const std::string& weight) {
  const std::string& file = region.path;
  const auto fail = [&](const std::string& reason) {
    refuse("weight " + weight + " cannot stay in " + file + ": " + reason);
  };
  std::error_code error;
  const fs::path real = fs::canonical(file, error);
  if (error) throw ir::Error(ir::Code::File, file + ": " + error.message());
  const fs::path relative = real.lexically_relative(folder);
  if (relative.empty() || *relative.begin() == "..") fail("the file is not in the model's folder or below it");
  struct stat status{}, read{};
  if (::stat(real.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) fail("it is not a regular file");
  if (::fstat(region.descriptor, &read) != 0 || read.st_dev != status.st_dev || read.st_ino != status.st_ino) {
    fail("another file has replaced it since it was read");
  }
  if (status.st_nlink > 1) fail("the file has several hard links, which ONNX refuses");
  return relative.generic_string();
}

void place_in_archive(Layout& layout, const std::string& path, Written& written) {
  std::error_code error;
  const fs::path parent = fs::path(path).parent_path();
  const fs::path folder = fs::canonical(parent.empty() ? fs::path(".") : parent, error);
  if (error) throw ir::Error(ir::Code::File, path + ": " + error.message());
  for (Layout::Initializer& initializer : layout.initializers()) {
    const ir::Tensor& tensor = *initializer.weight->weight();
    // Computed weights are not in an archive.
    if (initializer.bytes < kMinExternal || tensor.storage->path().empty() || !tensor.is_contiguous()) continue;
    const std::string& file = tensor.storage->path();
    if (fs::equivalent(file, path, error)) refuse("the model would replace " + file + ", which it points to");
    const Region region = region_of(tensor);
    initializer.external =
        Layout::External{archive_location(region, folder, initializer.weight->name()), region.offset};
    ++written.external_tensors;
  }
}

// For sinks that are a single stream.
Written write_stream(const ir::Graph& graph, const ModelInfo& info, Sink& sink, const WriteOptions& options) {
  if (options.external_data != ExternalData::Auto && options.external_data != ExternalData::No) {
    refuse("external data needs a path to write the model to");
  }
  const Layout layout(graph, info);
  Written written;
  written.model_bytes = layout.size();
  if (written.model_bytes > kMaxModel) {
    refuse("the model takes " + std::to_string(written.model_bytes) +
           " bytes, more than the 2 GiB of an ONNX message: use external data and write to a path");
  }
  ir::Stage stage(kStage, static_cast<std::int64_t>(written.model_bytes), ir::Stage::Unit::Bytes);
  sink.reserve(written.model_bytes);
  layout.write(sink);
  sink.flush();
  stage.finish();
  return written;
}

// A pipe or a device: there is no folder for external files, and nothing to replace.
bool is_special(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

void write_special(const std::string& path, const std::function<void(Sink&)>& fill) {
  ir::Descriptor descriptor(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (descriptor.get() < 0) fail_errno(path);
  DescriptorSink sink(descriptor.get(), path);
  fill(sink);
  if (descriptor.close() != 0) fail_errno(path);
}

}  // namespace

Written write_file(const ir::Graph& graph, const ModelInfo& info, const std::string& path,
                   const WriteOptions& options) {
  Written written;
  if (is_special(path)) {
    write_special(path, [&](Sink& sink) { written = write_stream(graph, info, sink, options); });
    return written;
  }
  // Inputs of the model keep the shapes that its users know.
  const bool reorder = options.external_data == ExternalData::Archive && !info.initializers_as_inputs;
  const std::unique_ptr<ir::Graph> stored = reorder ? as_stored(graph, kMinExternal) : nullptr;
  Layout layout(stored ? *stored : graph, info);
  const std::uint64_t whole = layout.size();
  const bool fits = whole <= kMaxModel;
  std::optional<WeightFiles> files;
  if (options.external_data == ExternalData::Archive) {
    place_in_archive(layout, path, written);
  } else if (options.external_data == ExternalData::Each) {
    files.emplace(path);
    written.external_tensors = files->place(layout.initializers());
    if (written.external_tensors == 0) files.reset();
  } else if (options.external_data == ExternalData::Yes || (options.external_data == ExternalData::Auto && !fits)) {
    const std::string location = fs::path(path).filename().string() + ".data";
    written.data_bytes = place_beside(layout, location, written);
  }
  written.model_bytes = layout.size();
  if (written.model_bytes > kMaxModel) {
    refuse("the model takes " + std::to_string(written.model_bytes) +
           " bytes in one file, more than the 2 GiB of an ONNX file" +
           (options.external_data == ExternalData::No ? ": use external data" : ""));
  }

  if (files)
    for (const Layout::Initializer& initializer : layout.initializers())
      if (initializer.external) written.data_bytes += initializer.bytes;
  ir::Stage stage(kStage, static_cast<std::int64_t>(written.model_bytes + written.data_bytes), ir::Stage::Unit::Bytes);

  std::optional<OutputFile> data;
  if (written.data_bytes > 0 && !files) {
    written.data_path = path + ".data";
    data.emplace(written.data_path);
    DescriptorSink sink(data->descriptor(), written.data_path, options.sync);
    sink.reserve(written.data_bytes);
    write_data(layout.initializers(), sink);
    sink.flush();
    data->finish(options.sync);
  }
  if (files) {
    written.data_path = files->folder();
    files->write(layout.initializers(), options.sync);
  }
  OutputFile model(path);
  DescriptorSink sink(model.descriptor(), path, options.sync);
  sink.reserve(written.model_bytes);
  layout.write(sink);
  sink.flush();
  model.finish(options.sync);
  stage.finish();  // before the files get their names: the observer may still cancel
  if (data) data->commit();
  if (files) files->commit();
  try {
    model.commit();
  } catch (...) {
    std::error_code ignored;
    if (data) fs::remove(written.data_path, ignored);
    if (files) files->undo();
    throw;
  }
  return written;
}

void write_file(const std::string& path, const std::function<void(const Receive&)>& fill, bool sync) {
  const auto pass = [&](Sink& sink) {
    fill([&sink](const std::byte* data, std::size_t size) { sink.write(data, size); });
    sink.flush();
  };
  if (is_special(path)) return write_special(path, pass);
  OutputFile file(path);
  DescriptorSink sink(file.descriptor(), path, sync);
  pass(sink);
  file.finish(sync);
  file.commit();
}

Written write_descriptor(const ir::Graph& graph, const ModelInfo& info, int descriptor, const WriteOptions& options) {
  DescriptorSink sink(descriptor, "file descriptor " + std::to_string(descriptor));
  return write_stream(graph, info, sink, options);
}

Written write_callback(const ir::Graph& graph, const ModelInfo& info, const Receive& receive,
                       const WriteOptions& options) {
  CallbackSink sink(receive);
  return write_stream(graph, info, sink, options);
}

std::vector<std::byte> write_bytes(const ir::Graph& graph, const ModelInfo& info, const WriteOptions& options) {
  MemorySink sink;
  write_stream(graph, info, sink, options);
  return sink.take();
}

std::uint64_t message_size(const ir::Graph& graph, const ModelInfo& info) { return Layout(graph, info).size(); }

}  // namespace tonnx::onnx
