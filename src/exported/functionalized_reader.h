#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "exported/graph_reader.h"

namespace tonnx::exported {

// Reads a call of an operator that writes, as run_decompositions() leaves it: auto_functionalized gives what the
// operator returns and then copies of what it writes to, as they are afterwards. It becomes these copies and a call
// that writes to them.
class FunctionalizedReader {
 public:
  FunctionalizedReader(GraphReader& reader, const Json& node) : reader_(reader), node_(node) {}

  void read();

 private:
  std::string name() const;
  ir::SchemaPtr schema() const;  // null where nobody tells it
  // Null where the call has no such argument, or has None.
  const Json* given(const std::string& name) const;
  ir::Value* number(const std::string& name) const;
  ir::Value* emit_tensor(std::string_view operation, const std::vector<ir::Value*>& operands) const;
  // A new copy of a tensor, which is among the results.
  ir::Value* copy(const Json& tensor);
  // What the operator writes to: a copy, or a view of one.
  ir::Value* written(const ir::Argument& wanted);
  ir::Value* strided(const std::string& prefix, std::size_t base) const;

  GraphReader& reader_;
  const Json& node_;
  std::vector<ir::Value*> copies_;
  const Json* bases_ = nullptr;  // what is written to are views of these; null: the arguments themselves
};

}  // namespace tonnx::exported
