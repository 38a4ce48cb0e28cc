#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <random>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "ir/error.h"
#include "onnx/sink.h"

namespace tonnx::onnx {
namespace {

namespace fs = std::filesystem;

// Follows links, even dangling ones, so that the file and not the link is replaced.
std::string resolve(const std::string& path) {
  constexpr int kMaxLinks = 40;
  fs::path at = path;
  std::error_code error;
  for (int i = 0; i < kMaxLinks && fs::is_symlink(fs::symlink_status(at, error)); ++i) {
    const fs::path next = fs::read_symlink(at, error);
    if (error) break;
    at = at.parent_path() / next;  // an absolute target replaces the path
  }
  return at.string();
}

}  // namespace

std::string temporary_name(const std::string& target, const std::string& what) {
  static std::atomic<unsigned> count{0};
  static const unsigned random = std::random_device()();
  const std::string name = ".tonnx-" + what + std::to_string(::getpid()) + "-" + std::to_string(random) + "-" +
                           std::to_string(count.fetch_add(1)) + ".tmp";
  return (fs::path(target).parent_path() / name).string();
}

std::string path_of(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

ir::Descriptor open_unnamed(const std::string& folder, unsigned mode) {
  ir::Descriptor file(::open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, mode));
  if (file.get() >= 0 && ::access(path_of(file.get()).c_str(), F_OK) != 0) return ir::Descriptor();
  return file;
}

OutputFile::OutputFile(const std::string& path) : path_(path), target_(resolve(path)) {
  std::error_code ignored;
  struct stat status{};
  if (path.empty() || (::stat(target_.c_str(), &status) == 0 && S_ISDIR(status.st_mode))) {
    errno = path.empty() ? ENOENT : EISDIR;
    fail();
  }
  if (fs::is_symlink(fs::symlink_status(target_, ignored))) {
    errno = ELOOP;
    fail();
  }
  // The mode is that of a file the caller would have created. A file without a name disappears however the process
  // ends; not every file system supports it.
  descriptor_ = open_unnamed(fs::path(target_).parent_path().string(), 0666);
  if (descriptor_.get() >= 0) return;
  do {
    temporary_ = temporary_name(target_);
    descriptor_ = ir::Descriptor(::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
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
  if (temporary_.empty()) return;  // without a name it would disappear when closed
  if (descriptor_.close() != 0) fail();
}

void OutputFile::commit() {
  if (temporary_.empty()) {
    // A link cannot replace an existing name, but a rename can.
    const std::string own = path_of(descriptor_.get());
    std::string name = target_;
    while (::linkat(AT_FDCWD, own.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) != 0) {
      if (errno != EEXIST) fail();
      name = temporary_name(target_);
    }
    if (name == target_) return;
    temporary_ = name;
  }
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail();
  temporary_.clear();
}

void OutputFile::fail() const {
  throw ir::Error(ir::Code::File, path_ + ": " + std::generic_category().message(errno));
}

}  // namespace tonnx::onnx
