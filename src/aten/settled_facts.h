#pragma once

#include <vector>

#include "ir/graph.h"

namespace tonnx::aten {

// Corrects the facts of a node's results that follow from the operator's arguments, because torch.export declares some
// that contradict LibTorch's kernels. Other facts are not changed. Returns the results whose declared shape was wrong:
// shapes that the archive derives from them are wrong too. Thread-safe for graphs of one thread.
std::vector<const ir::Value*> settle_facts(ir::Node& node);

}  // namespace tonnx::aten
