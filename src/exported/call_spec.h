#pragma once

#include <memory>
#include <string>
#include <vector>

#include "exported/json.h"
#include "ir/call_form.h"
#include "ir/facts.h"
#include "ir/graph.h"
#include "ir/raw_program.h"

namespace tonnx::exported {

// A leaf of a tree: a value of the program, or a fixed constant.
struct Leaf {
  std::string name;
  bool fixed = false;
  JsonDocument value;  // the fixed constant, tagged
  ir::Type type;       // for a value of the program
  ir::Facts facts;
};

// A tree and its leaves in order.
struct LeafTree {
  JsonDocument text;
  std::vector<Leaf> leaves;

  const Json& root() const { return text.root().at(1); }
};

class CallSpec final : public ir::CallForm {
 public:
  // Reads the trees of a document's graph module and the imported program; keeps no references to them. Throws
  // Error(Code::File) if the trees do not match the inputs and outputs.
  CallSpec(const Json& module, const ir::RawProgram& program);

  std::vector<ir::Tensor> inputs(const ir::Arguments& arguments) const override;
  std::vector<ir::Tensor> outputs(const ir::Constant& result) const override;
  std::string json(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) const override;

 private:
  using Given = std::vector<const ir::Constant*>;

  void read_inputs(const Json& module, const ir::RawProgram& program);
  void read_outputs(const Json& module, const ir::Graph& program);
  void assign(const ir::Arguments& arguments, Given& given) const;
  void place_keyword(const std::string& name, const ir::Constant& value, Given& given) const;

  LeafTree inputs_;  // a tuple of the positional arguments and a dict of the keyword arguments
  LeafTree outputs_;
  std::vector<std::string> parameters_;  // positional, then keyword arguments; may be empty
};

}  // namespace tonnx::exported
