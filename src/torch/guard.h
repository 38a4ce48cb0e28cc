#pragma once

#include <exception>
#include <string>

#include "ir/error.h"

namespace tonnx::torch {

// Text of an exception of LibTorch, without its back trace, and at most `max_lines` lines.
std::string text_of(const std::exception& error, int max_lines = 8);

// Rethrows the current exception (call it in a catch block): an ir::Error or ir::Cancelled unchanged, std::bad_alloc as
// Code::Memory, any other as `code` with `context` and the shortened text.
[[noreturn]] void rethrow(ir::Code code, const std::string& context);

// Runs `action`; exceptions of LibTorch become an ir::Error with `code` and `context` ("the program cannot be run").
template <class Action>
auto guarded(ir::Code code, const std::string& context, Action&& action) -> decltype(action()) {
  try {
    return action();
  } catch (...) {
    rethrow(code, context);
  }
}

}  // namespace tonnx::torch
