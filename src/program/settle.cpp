#include "program/settle.h"

#include "ir/error.h"

namespace tonnx::program {

void settle(const std::function<bool()>& pass, const std::function<void()>& infer, std::size_t limit) {
  for (std::size_t changes = 0; pass(); infer())
    if (++changes > limit) throw ir::Error(ir::Code::Internal, "the passes of a program do not come to an end");
}

}  // namespace tonnx::program
