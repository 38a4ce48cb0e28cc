#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "exported/graph_reader.h"

namespace tonnx::exported {

// Reads a call of an operator that writes, in the form of run_decompositions(): auto_functionalized returns the results
// of the operator, then copies of the written arguments. It is replaced by these copies and a call that writes to them.
class FunctionalizedReader {
 public:
  FunctionalizedReader(GraphReader& reader, const Json& node) : reader_(reader), node_(node) {}

  void read();

 private:
  std::string name() const;
  ir::SchemaPtr schema() const;  // null if unknown
  // Null if the call has no such argument, or it is None.
  const Json* given(const std::string& name) const;
  ir::Value* number(const std::string& name) const;
  ir::Value* emit_tensor(std::string_view operation, const std::vector<ir::Value*>& operands) const;
  // Adds a copy of a tensor, which is one of the results.
  ir::Value* copy(const Json& tensor);
  // An argument that the operator writes to: a copy, or a view of one.
  ir::Value* written(const ir::Argument& wanted);
  ir::Value* strided(const std::string& prefix, std::size_t base) const;

  GraphReader& reader_;
  const Json& node_;
  std::vector<ir::Value*> copies_;
  const Json* bases_ = nullptr;  // written arguments are views of these; null: the arguments themselves
};

}  // namespace tonnx::exported
