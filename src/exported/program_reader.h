#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "exported/json.h"
#include "exported/package.h"
#include "ir/raw_program.h"

namespace tonnx::exported {

// Options of reading a program.
struct ReadOptions {
  bool written_outputs = false;               // updates in the program's signature are outputs after its own
  std::map<std::string, std::int64_t> sizes;  // replace symbols, as if the program had been exported with them
};

// Creates a raw program from a document and its tensors. Every value in the document has its facts. Inputs are the
// program's tensors and symbolic numbers, named like its arguments; weights have their state-dict keys. Updates of
// buffers and inputs are stored in `state`. Throws Error(Code::Argument) for sizes that the program's ranges and
// conditions do not allow, Error(Code::Unsupported), with the name, for parts without ONNX form, Error(Code::File) or
// JsonError if the document is damaged.
ir::RawProgram read_program(const Json& document, const Payloads& payloads, const std::string& name,
                            const ReadOptions& options = {});

}  // namespace tonnx::exported
