#include "torch/guard.h"

#include <c10/util/Exception.h>

#include <cctype>
#include <new>
#include <sstream>

namespace tonnx::torch {

namespace {

bool starts_back_trace(const std::string& line) {
  return line.starts_with("Exception raised from ") || line.starts_with("frame #") ||
         line.starts_with("C++ CapturedTraceback");
}

// "RuntimeError: ", "builtins.ValueError: " and the like at the beginning of a line: how long it is, or 0.
std::size_t error_class(const std::string& text, std::size_t line) {
  std::size_t end = line;
  const auto is_of_name = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '.'; };
  while (end < text.size() && is_of_name(static_cast<unsigned char>(text[end]))) ++end;
  const std::string_view name = std::string_view(text).substr(line, end - line);
  const bool is_class = name.ends_with("Error") || name.ends_with("Exception");
  return is_class && text.compare(end, 2, ": ") == 0 ? end + 2 - line : 0;
}

// What failed inside of TorchScript's interpreter stands after a trace of the program's lines.
std::string without_program_trace(const std::string& text) {
  if (text.find("TorchScript interpreter") == std::string::npos) return text;
  for (std::size_t line = text.rfind('\n'); line != std::string::npos && line > 0; line = text.rfind('\n', line - 1))
    if (const std::size_t length = error_class(text, line + 1)) return text.substr(line + 1 + length);
  return text;
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
