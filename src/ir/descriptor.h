#pragma once

namespace tonnx::ir {

// An open file descriptor, closed at the end; -1: none.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  // -1 if the system reports an error as it closes, with errno set.
  int close();

 private:
  int fd_;
};

}  // namespace tonnx::ir
