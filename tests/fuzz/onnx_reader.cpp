// ONNX models: read, printed and checked.
#include "ir/error.h"
#include "ir/printer.h"
#include "memory_file.h"
#include "onnx/check.h"
#include "onnx/reader.h"
#include "onnx/text.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tonnx;
  const MemoryFile file(data, size);
  try {
    const onnx::Model model = onnx::read_file(file.path());
    ir::print(*model.graph);
    onnx::full_text(*model.graph, model.info);
  } catch (const ir::Error&) {
  }
  try {
    onnx::check_file(file.path());
  } catch (const ir::Error&) {
  }
  return 0;
}
