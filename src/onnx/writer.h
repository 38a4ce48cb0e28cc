#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "onnx/model_info.h"

namespace tonnx::onnx {

// Where weights are stored.
enum class ExternalData : std::int32_t {
  Auto,  // in the model; in an external file only if one message (2 GiB) cannot contain them
  Yes,   // in one file, PATH.data
  No,    // in the model
  // not written: the model refers to the files that contain them, and transposes those stored in another order
  Archive,
  // each in its own file, in a folder NAME_initializers next to NAME.onnx, FILE.initializers next to another FILE
  Each,
};

struct WriteOptions {
  ExternalData external_data = ExternalData::Auto;
  bool sync = true;  // fsync files before they are renamed
};

// Statistics of the written model.
struct Written {
  std::uint64_t model_bytes = 0;
  std::uint64_t data_bytes = 0;      // size of the data file, or of the weight files
  std::string data_path;             // the file or the folder; empty: none was written
  std::size_t external_tensors = 0;  // number of weights in external files
};

// The graph must be in the ONNX dialect. Values without a name get a number by order of appearance; equal graphs and
// options produce equal bytes. If a block output is an outer value, an Identity copies it in the block, as ONNX
// requires. Weights are written with constant memory: between files by the kernel, from memory by pointer, strided ones
// in pieces. Bytes and field order equal those of protobuf.
//
// Errors: Code::Internal for two values of one name in one scope; Code::Unsupported for a dtype that ONNX lacks;
// Code::Argument if the options do not fit the model or the sink (external data without a path, more than 2 GiB in one
// message, an archive to which the model cannot refer); Code::File, naming file and reason, if bytes cannot be read or
// written.

// Writes to a file, atomically: the bytes go to a temporary file next to it, which is then renamed. The data file, or
// the folder of weight files, is renamed right before it: a process that is killed between these two steps leaves new
// data next to the old model. `path` may be the file from which the weights are read. A path that is not a regular file
// (a pipe, a device) is written to directly.
Written write_file(const ir::Graph& graph, const ModelInfo& info, const std::string& path, const WriteOptions& = {});

// Writes to an open descriptor, at its position; does not close it.
Written write_descriptor(const ir::Graph& graph, const ModelInfo& info, int descriptor, const WriteOptions& = {});

// Writes to a callback, in order, in pieces of any size. Exceptions of the callback are propagated.
using Receive = std::function<void(const std::byte* data, std::size_t size)>;
Written write_callback(const ir::Graph& graph, const ModelInfo& info, const Receive& receive, const WriteOptions& = {});

// Writes the bytes that `fill` passes, in order, in the same way as the other write_file.
void write_file(const std::string& path, const std::function<void(const Receive&)>& fill, bool sync = true);

// Writes to memory.
std::vector<std::byte> write_bytes(const ir::Graph& graph, const ModelInfo& info, const WriteOptions& = {});

// The size of the message with every weight inside.
std::uint64_t message_size(const ir::Graph& graph, const ModelInfo& info);

}  // namespace tonnx::onnx
