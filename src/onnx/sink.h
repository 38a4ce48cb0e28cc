#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ir/descriptor.h"
#include "ir/tensor.h"

namespace tonnx::onnx {

// A region of an open file.
struct Region {
  std::string path;  // for messages
  int descriptor;
  std::uint64_t offset;
  std::uint64_t size;
};

// The region of a contiguous tensor that is stored in a file. Throws Error(Code::File) if the file could not be opened
// or is too short.
Region region_of(const ir::Tensor& tensor);

// Receives the bytes of a model in order. Failures throw Error(Code::File).
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void write(const void* data, std::size_t size) = 0;
  // Copies bytes of a file; read in pieces unless a sink has a faster way.
  virtual void copy(Region region);
  // Writes buffered bytes.
  virtual void flush() {}
  virtual void reserve(std::uint64_t) {}
};

class DescriptorSink final : public Sink {
 public:
  // `name` is used in messages. With `to_disk` the descriptor must be that of an empty file that will be synced:
  // writing to the disk starts at once, so that the sync is short.
  DescriptorSink(int fd, std::string name, bool to_disk = false) : fd_(fd), name_(std::move(name)), to_disk_(to_disk) {}
  void write(const void* data, std::size_t size) override;
  void copy(Region region) override;
  void flush() override;
  void reserve(std::uint64_t size) override;

 private:
  enum class Way { CopyFileRange, SendFile, Read };
  void put(const void* data, std::size_t size);
  void advance(std::uint64_t size);
  [[noreturn]] void fail() const;

  int fd_;
  std::string name_;
  bool to_disk_;
  std::uint64_t written_ = 0, sent_ = 0;
  std::string buffer_;
  Way way_ = Way::CopyFileRange;
};

class CallbackSink final : public Sink {
 public:
  explicit CallbackSink(const std::function<void(const std::byte*, std::size_t)>& receive) : receive_(receive) {}
  void write(const void* data, std::size_t size) override;
  void flush() override;

 private:
  const std::function<void(const std::byte*, std::size_t)>& receive_;
  std::string buffer_;
};

class MemorySink final : public Sink {
 public:
  void write(const void* data, std::size_t size) override;
  void reserve(std::uint64_t size) override { bytes_.reserve(size); }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

// A file without a name in `folder` (empty: the current one) that has a path in /proc; -1 if the file system does not
// support it, or /proc is missing.
ir::Descriptor open_unnamed(const std::string& folder, unsigned mode);
// The /proc path of an open file.
std::string path_of(int descriptor);

// An unused name in the folder of `target`: .tonnx-PID-..., or .tonnx-WHATPID-.... The former is for files that are
// useless after the process ends: the command line removes them when it is interrupted.
std::string temporary_name(const std::string& target, const std::string& what = "");

// A file under a temporary name in the folder of `path`; commit() renames it to `path`. Without commit() it is removed.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  int descriptor() const { return descriptor_.get(); }
  // Writes everything to the file and, with `sync`, to the disk.
  void finish(bool sync);
  void commit();

 private:
  [[noreturn]] void fail() const;

  std::string path_;    // as the caller wrote it, for messages
  std::string target_;  // with links resolved
  std::string temporary_;
  ir::Descriptor descriptor_;
};

}  // namespace tonnx::onnx
