#pragma once

#include "ir/graph.h"

namespace tonnx::aten {

// What src/aten knows about the node's operator: one address for each kind and schema, which serves as a key for what a
// caller looks up by both. Thread-safe.
const ir::Meaning* meaning_of(const ir::Node& node);

}  // namespace tonnx::aten
