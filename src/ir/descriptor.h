#pragma once

namespace tonnx::ir {

// An open file descriptor, closed by the destructor; -1: none.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  // Returns -1 and sets errno if closing fails.
  int close();

 private:
  int fd_;
};

}  // namespace tonnx::ir
