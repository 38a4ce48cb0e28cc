#include "torch/guard.h"

#include <c10/util/Exception.h>

#include <new>
#include <sstream>

namespace tonnx::torch {

namespace {

bool starts_back_trace(const std::string& line) {
  return line.starts_with("Exception raised from ") || line.starts_with("frame #") ||
         line.starts_with("C++ CapturedTraceback");
}

// What failed inside of TorchScript's interpreter stands after a trace of the program's lines.
std::string without_program_trace(const std::string& text) {
  if (text.find("TorchScript interpreter") == std::string::npos) return text;
  std::size_t at = std::string::npos;
  for (const char* kind : {"\nRuntimeError: ", "\nNotImplementedError: ", "\ntorch.jit.Error: "})
    if (const std::size_t found = text.rfind(kind);
        found != std::string::npos && (at == std::string::npos || found > at))
      at = found;
  if (at == std::string::npos) return text;
  return text.substr(text.find(": ", at) + 2);
}

}  // namespace

std::string text_of(const std::exception& error, int max_lines) {
  const auto* c10_error = dynamic_cast<const c10::Error*>(&error);
  std::istringstream in(without_program_trace(c10_error ? c10_error->what_without_backtrace() : error.what()));
  std::string text;
  std::string line;
  for (int lines = 0; lines < max_lines && std::getline(in, line);) {
    if (starts_back_trace(line)) break;
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.pop_back();
    if (line.empty()) continue;
    if (!text.empty()) text += '\n';
    text += line;
    ++lines;
  }
  return text;
}

void rethrow(ir::Code code, const std::string& context) {
  const std::string prefix = context.empty() ? std::string() : context + ": ";
  try {
    throw;
  } catch (const ir::Error&) {
    throw;
  } catch (const c10::OutOfMemoryError& e) {
    throw ir::Error(ir::Code::Memory, prefix + text_of(e, 1));
  } catch (const std::bad_alloc&) {
    throw ir::Error(ir::Code::Memory, prefix + "out of memory");
  } catch (const std::exception& e) {
    throw ir::Error(code, prefix + text_of(e));
  } catch (...) {
    throw ir::Error(code, prefix + "an exception of unknown type");
  }
}

}  // namespace tonnx::torch
