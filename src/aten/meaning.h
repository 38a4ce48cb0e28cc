#pragma once

#include "ir/graph.h"

namespace tonnx::aten {

// The facts of src/aten about the node's operator. The address is unique for each kind and schema, so callers can use
// it as a key for facts of their own. Thread-safe.
const ir::Meaning* meaning_of(const ir::Node& node);

}  // namespace tonnx::aten
