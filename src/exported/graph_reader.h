#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "exported/json.h"
#include "exported/locations.h"
#include "exported/meta.h"
#include "ir/graph.h"
#include "ir/refusal.h"

namespace tonnx::exported {

// What all graphs of a program have in common.
struct Context {
  ir::Graph& graph;
  Meta meta;
  Locations locations;
  std::vector<std::string>& warnings;
  ir::Refusals& refused;                             // calls without results, of which no node can be left
  std::vector<const ir::Node*> without_schema = {};  // calls of operators that the table does not have
  std::unordered_set<const ir::Value*> misled =
      {};  // values for which, or for what they follow from, the document has another shape

  void warn(const std::string& text);
};

// Reads one graph document into a block: a program's own or that of a branch or body. Its names are its own.
class GraphReader {
 public:
  GraphReader(Context& context, ir::Block& block, const Json& graph)
      : context_(context), block_(block), graph_(graph) {}

  // The value that nodes name so.
  void bind(const std::string& name, ir::Value* value) { values_[name] = value; }
  // Throws JsonError where there is none.
  ir::Value* value(const std::string& name) const;

  // The facts that the document has for a name.
  ir::Facts tensor_facts(const std::string& name) const;
  ir::Facts number_facts(const std::string& name, ir::Type::Kind type) const;

  // Appends all nodes.
  void read();

  // An argument or an output as a value; `wanted` is the type that an operator has for it, or null. Constants are nodes
  // of their own, tensors of a list are gathered into one.
  ir::Value* argument(const Tagged& argument, const ir::Type* wanted = nullptr);
  // A node of this value; `type` is that of an operator's argument, or null.
  ir::Value* constant(ir::Constant value, const ir::Type* type = nullptr);
  // An operator of one result by its full name; arguments that are absent take their defaults.
  ir::Value* emit_value(std::string_view full_name, std::span<ir::Value* const> inputs);
  // A copy of a tensor, in memory of its own, whose content is not told.
  ir::Value* emit_copy(ir::Value* tensor);

 private:
  friend class ControlReader;
  friend class FunctionalizedReader;
  friend class NumberReader;

  void read_node(const Json& node);
  // Leaves a node that is refused where its results are read, or notes the refusal if it has none, so that all refusals
  // of a program are reported at once.
  void leave(const Json& node, const std::string& op, const std::string& why);
  // Refuses sizes by which a check of the program never holds.
  void require_check(const Json& node) const;
  void read_operator(const Json& node, std::string_view target);
  // Refuses a call that the schema told for its operator does not have.
  void require_fit(const Json& node, const ir::Schema& schema) const;
  // False if a call shows that its operator writes; then it is refused.
  bool is_pure(const Json& node, const ir::Schema& schema);
  // False where the call is not of this form, so that it is read as any other.
  bool read_form(const Json& node, std::string_view full_name);
  bool read_size(const Json& node);
  bool read_element_count(const Json& node);
  bool read_stride(const Json& node);
  bool read_same_strides(const Json& node);
  bool read_iota(const Json& node);
  bool read_split_dim(const Json& node);
  // The argument of that name; throws where the call has none.
  ir::Value* named_argument(const Json& node, std::string_view name);
  // Names the one output of a node; always true.
  bool bind_result(const Json& node, ir::Value* result);
  ir::Node* emit(std::string kind, std::span<ir::Value* const> inputs, std::size_t outputs);
  ir::Value* list(std::span<ir::Value* const> items, ir::Type element);
  ir::Value* numbers(const Json& items, ir::Type::Kind kind);
  ir::Value* tensors(const Json& items);
  // Names the outputs of a node as the document does, with its facts.
  void bind_outputs(const Json& node, std::span<ir::Value* const> outputs);
  void bind_output(const Tagged& output, ir::Value* value);
  void settle(ir::Node& made);
  void note_memory(const Json& node, ir::Node& made);
  // The names of the first argument and of the first result; empty where either is no tensor.
  std::pair<std::string, std::string> first_tensors(const Json& node) const;
  const Json& told(const std::string& tensor) const { return graph_.at("tensor_values").at(tensor); }
  // What autocast makes of the operands: of the dtype of the result, where that is what tells them apart.
  void cast_operands(const Json& node, const ir::Schema& schema, std::vector<ir::Value*>& operands);
  [[noreturn]] void refuse(const Json& node, const std::string& op, const std::string& why) const;

  Context& context_;
  ir::Block& block_;
  const Json& graph_;
  std::unordered_map<std::string, ir::Value*> values_;
  std::unordered_map<std::string, std::string>
      wholes_;  // the contiguous tensor behind a view that begins where that does
  ir::Location location_;
  std::string casts_;  // the device of the autocast region that the nodes stand in; empty outside of one
};

struct OperatorName {
  std::string name;      // "aten::add"
  std::string overload;  // "Tensor"; may be empty

  std::string full() const { return overload.empty() ? name : name + "." + overload; }
};

// Of "aten.add.Tensor". Throws Error(Code::File) where it is none.
OperatorName operator_name(std::string_view target);

// The schema for a call of an operator that the table does not have: the arguments as the call names and types them.
ir::SchemaPtr schema_of_call(const std::string& name, const std::string& overload, const Json& node);

// A name's dtype in the documents' numbers, as the operators' arguments have it.
ir::Constant constant_of(const Tagged& value);

}  // namespace tonnx::exported
