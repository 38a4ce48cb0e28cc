#pragma once

#include <cstddef>
#include <functional>

namespace tonnx::program {

// Calls `pass` until it changes nothing any more, and `infer` after each time that it did. Throws Error(Code::Internal)
// if it changes something more than `limit` times: passes that undo each other end in an error, not in a program that
// hangs.
void settle(const std::function<bool()>& pass, const std::function<void()>& infer, std::size_t limit);

}  // namespace tonnx::program
