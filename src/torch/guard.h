#pragma once

#include <exception>
#include <string>

#include "ir/error.h"

namespace tonnx::torch {

// The text of an exception LibTorch threw, without its back trace and at most `max_lines` lines long.
std::string text_of(const std::exception& error, int max_lines = 8);

// The error to throw for an exception in flight (call inside a catch block): an ir::Error passes unchanged,
// std::bad_alloc becomes Code::Memory, anything else becomes `code` with `context` and the trimmed text.
[[noreturn]] void rethrow(ir::Code code, const std::string& context);

// Runs `action`; what LibTorch throws leaves as an ir::Error with `code` and `context` ("the program cannot be run").
template <class Action>
auto guarded(ir::Code code, const std::string& context, Action&& action) -> decltype(action()) {
  try {
    return action();
  } catch (...) {
    rethrow(code, context);
  }
}

}  // namespace tonnx::torch
