#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <random>
#include <system_error>

#include "ir/error.h"
#include "onnx/sink.h"

namespace tonnx::onnx {
namespace {

namespace fs = std::filesystem;

// What a link leads to, so that the file and not the link is replaced.
std::string resolve(const std::string& path) {
  std::error_code error;
  if (!fs::is_symlink(fs::symlink_status(path, error))) return path;
  const fs::path target = fs::weakly_canonical(path, error);
  return error ? path : target.string();
}

std::string temporary_name(const std::string& target) {
  static std::atomic<unsigned> count{0};
  static const unsigned random = std::random_device()();
  const std::string name = ".tonnx-" + std::to_string(::getpid()) + "-" + std::to_string(random) + "-" +
                           std::to_string(count.fetch_add(1)) + ".tmp";
  return (fs::path(target).parent_path() / name).string();
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : path_(path), target_(resolve(path)) {
  struct stat status {};
  if (path.empty() || (::stat(target_.c_str(), &status) == 0 && S_ISDIR(status.st_mode))) {
    errno = path.empty() ? ENOENT : EISDIR;
    fail();
  }
  // The mode is that of a file the caller would have created; the name is free but for another process's leavings.
  do {
    temporary_ = temporary_name(target_);
    descriptor_ = Descriptor(::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  } while (descriptor_.get() < 0 && errno == EEXIST);
  if (descriptor_.get() < 0) {
    temporary_.clear();
    fail();
  }
}

OutputFile::~OutputFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::finish(bool sync) {
  if (sync && ::fsync(descriptor_.get()) != 0) fail();
  if (descriptor_.close() != 0) fail();
}

void OutputFile::commit() {
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail();
  temporary_.clear();
}

void OutputFile::fail() const {
  throw ir::Error(ir::Code::File, path_ + ": " + std::generic_category().message(errno));
}

}  // namespace tonnx::onnx
