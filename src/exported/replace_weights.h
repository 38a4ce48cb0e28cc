#pragma once

#include "exported/json.h"
#include "exported/package.h"
#include "exported/state_dict.h"

namespace tonnx::exported {

// Puts the tensors of a state dict in the place of a program's parameters and persistent buffers. A name that the state
// dict lacks follows the one that the program ties it to. Throws Error(Code::Argument), naming all of them, where
// weights of the program are missing, are of another dtype or shape, or where the program has none of a name. `module`
// is a document's graph module.
void replace_weights(const Json& module, const StateDict& given, Payloads& payloads);

}  // namespace tonnx::exported
