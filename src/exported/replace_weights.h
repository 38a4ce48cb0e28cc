#pragma once

#include "exported/json.h"
#include "exported/package.h"
#include "exported/state_dict.h"

namespace tonnx::exported {

// Replaces a program's parameters and persistent buffers by the tensors of a state dict. A missing name uses the tensor
// of the name that the program ties it to. Throws Error(Code::Argument), with all names, if weights of the program are
// missing or have another dtype or shape, or if the program does not have a name. `module` is a document's graph
// module.
void replace_weights(const Json& module, const StateDict& given, Payloads& payloads);

}  // namespace tonnx::exported
