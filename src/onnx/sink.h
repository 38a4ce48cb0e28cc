#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ir/descriptor.h"
#include "ir/tensor.h"

namespace tonnx::onnx {

// Bytes of an open file.
struct Region {
  std::string path;  // for messages
  int descriptor;
  std::uint64_t offset;
  std::uint64_t size;
};

// Where a contiguous tensor over a file has its bytes. Throws Error(Code::File) if the file could not be opened or ends
// before them.
Region region_of(const ir::Tensor& tensor);

// Takes the bytes of a model in order. Failures are Error(Code::File).
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void write(const void* data, std::size_t size) = 0;
  // Bytes of a file, read in pieces unless the sink knows better.
  virtual void copy(Region region);
  // Hands over what is held back.
  virtual void flush() {}
  virtual void reserve(std::uint64_t) {}
};

class DescriptorSink final : public Sink {
 public:
  // `name` stands in messages. With `to_disk` the descriptor is that of an empty file that will be synced: what is
  // written starts its way to the disk at once, so that the sync has little to wait for.
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

// A file without a name in `folder` (empty: the current one) that has a path within this process; -1 where the file
// system has none, or /proc is missing.
ir::Descriptor open_unnamed(const std::string& folder, unsigned mode);
// The path of an open file within this process.
std::string path_of(int descriptor);

// A name that is not in use, in the folder of `target`: .tonnx-PID-..., or .tonnx-WHATPID-.... The former is for what
// nobody needs once the process ends: the command line removes it when it is interrupted.
std::string temporary_name(const std::string& target, const std::string& what = "");

// A file under a temporary name in the folder of `path`, which commit() gives it. Without commit() it is removed.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  int descriptor() const { return descriptor_.get(); }
  // Everything is on the file, and with `sync` on the disk.
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
