#include "torch/guard.h"

#include <new>
#include <sstream>

#include <c10/util/Exception.h>

#include "ir/observer.h"
#include "torch/libtorch_texts.h"

namespace tonnx::torch {

std::string text_of(const std::exception& error, int max_lines) {
  const auto* c10_error = dynamic_cast<const c10::Error*>(&error);
  const std::string whole = c10_error ? c10_error->what_without_backtrace() : error.what();
  std::istringstream in(texts::without_back_trace(texts::without_program_trace(whole)));
  std::string text;
  std::string line;
  for (int lines = 0; lines < max_lines && std::getline(in, line);) {
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
  } catch (const ir::Cancelled&) {
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
