#pragma once

#include <string_view>
#include <vector>

#include "exported/graph_reader.h"

namespace tonnx::exported {

// Reads nodes that call Python's functions on numbers: _operator.add, math.ceil, torch.sym_max.
class NumberReader {
 public:
  explicit NumberReader(GraphReader& reader) : reader_(reader) {}

  // Returns false if `target` is not such a function.
  bool read(const Json& node, std::string_view target);

 private:
  ir::Value* compute(std::string_view target, const std::vector<ir::Value*>& operands);
  ir::Value* sum(const Json& node);
  ir::Value* choose(const std::vector<ir::Value*>& operands);

  GraphReader& reader_;
};

}  // namespace tonnx::exported
