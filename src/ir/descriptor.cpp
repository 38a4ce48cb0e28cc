#include "ir/descriptor.h"

#include <unistd.h>
#include <utility>

namespace tonnx::ir {

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

Descriptor::~Descriptor() { close(); }

int Descriptor::close() {
  const int fd = std::exchange(fd_, -1);
  return fd < 0 ? 0 : ::close(fd);
}

}  // namespace tonnx::ir
