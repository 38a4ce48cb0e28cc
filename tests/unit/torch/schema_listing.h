#pragma once

#include <string>

namespace tonnx::torch::test {

// The schemas of all operators that the dispatcher and TorchScript know now, one a line, sorted by full name, with the
// tags that src/aten keeps: the content of src/aten/schemas.inc.
std::string list_schemas();

}  // namespace tonnx::torch::test
