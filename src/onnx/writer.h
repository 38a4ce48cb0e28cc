#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "onnx/model_info.h"

namespace tonnx::onnx {

// Where weights go.
enum class ExternalData : std::int32_t {
  Auto,     // into the model, beside it only if one message (2 GiB) cannot hold it
  Yes,      // into one file PATH.data
  No,       // into the model
  Archive,  // nowhere: the model points into the files that hold them, and transposes what lies there transposed
  Each,     // each into a file of its own, in a folder NAME_initializers beside NAME.onnx, FILE.initializers beside
            // another FILE
};

struct WriteOptions {
  ExternalData external_data = ExternalData::Auto;
  bool sync = true;  // fsync files before they get their name
};

// What was written.
struct Written {
  std::uint64_t model_bytes = 0;
  std::uint64_t data_bytes = 0;      // of the data file, or of the files of weights
  std::string data_path;             // the file or the folder; empty: none was written
  std::size_t external_tensors = 0;  // weights the model points to
};

// The graph must be in the ONNX dialect. Values without a name get a number by order of appearance; equal graphs and
// options give equal bytes. A block's output that is a value from outside is copied by an Identity in it, as ONNX asks.
// Weights are sent from where they lie, in constant memory: between files by the kernel, from memory by pointer,
// strided ones in pieces. Bytes and field order are those protobuf would give.
//
// Errors: Code::Internal for two values of one name in one scope; Code::Unsupported for a dtype ONNX lacks;
// Code::Argument where the options do not fit the model or the sink (external data without a path, over 2 GiB in one
// message, an archive that the model cannot point to); Code::File, naming file and reason, when bytes cannot be read
// or written.

// To a file. It appears whole or not at all: the bytes go to a temporary file beside it that then takes the name, as
// do the data file, or the folder of files, right before it: a process that is killed between these two steps leaves
// new data beside the old model. `path` may be the file that the weights are read from. A path that is no regular file
// (a pipe, a device) is written to directly.
Written write_file(const ir::Graph& graph, const ModelInfo& info, const std::string& path, const WriteOptions& = {});

// To an open descriptor, at its position; it stays open.
Written write_descriptor(const ir::Graph& graph, const ModelInfo& info, int descriptor, const WriteOptions& = {});

// To a callback, in order, in pieces of any size. What the callback throws comes through.
using Receive = std::function<void(const std::byte* data, std::size_t size)>;
Written write_callback(const ir::Graph& graph, const ModelInfo& info, const Receive& receive, const WriteOptions& = {});

// A file of bytes that `fill` hands over in order, as write_file makes it.
void write_file(const std::string& path, const std::function<void(const Receive&)>& fill, bool sync = true);

// Into memory.
std::vector<std::byte> write_bytes(const ir::Graph& graph, const ModelInfo& info, const WriteOptions& = {});

// The bytes of the message if every weight is inside.
std::uint64_t message_size(const ir::Graph& graph, const ModelInfo& info);

}  // namespace tonnx::onnx
