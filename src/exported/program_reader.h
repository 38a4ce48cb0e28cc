#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "exported/json.h"
#include "exported/package.h"
#include "ir/raw_program.h"

namespace tonnx::exported {

// What is wanted of a program beside what it is.
struct ReadOptions {
  bool written_outputs = false;               // updates in the program's signature are outputs behind its own
  std::map<std::string, std::int64_t> sizes;  // in place of symbols, as if it had been exported with these
};

// Makes a raw program of a document and its tensors; every value that the document knows has its facts. Inputs are the
// program's tensors and symbolic numbers under its own argument names, weights have their state-dict keys. Updates of
// buffers and inputs are noted in `state`. Throws Error(Code::Argument) for sizes that the program's ranges and
// conditions do not allow, Error(Code::Unsupported) naming what no model holds, Error(Code::File) or JsonError where
// the document is damaged.
ir::RawProgram read_program(const Json& document, const Payloads& payloads, const std::string& name,
                            const ReadOptions& options = {});

}  // namespace tonnx::exported
