#pragma once

#include <string>

#include "exported/json.h"
#include "exported/package.h"
#include "ir/raw_program.h"

namespace tonnx::exported {

// Makes a raw program of a document and its tensors; every value that the document knows has its facts. Inputs are the
// program's tensors and symbolic numbers under its own argument names, weights have their state-dict keys. Updates of buffers
// and inputs are outputs behind the program's own with `written_outputs`, else left out with a warning. Throws
// Error(Code::Unsupported) naming what no model holds, Error(Code::File) or JsonError where the document is damaged.
ir::RawProgram read_program(const Json& document, const Payloads& payloads, const std::string& name,
                            bool written_outputs = false);

}  // namespace tonnx::exported
