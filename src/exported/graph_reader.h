#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "aten/certain_checks.h"
#include "exported/json.h"
#include "exported/locations.h"
#include "exported/meta.h"
#include "ir/graph.h"
#include "ir/refusal.h"

namespace tonnx::exported {

// State shared by all graphs of a program.
struct Context {
  ir::Graph& graph;
  Meta meta;
  Locations locations;
  std::vector<std::string>& warnings;
  ir::Refusals& refused;                             // calls without results, for which no node can be added
  std::vector<const ir::Node*> without_schema = {};  // calls of operators that are not in the table
  std::unordered_set<const ir::Value*> wrong_shapes =
      {};                        // values whose shape in the document, or that of a value they depend on, is wrong
  aten::Replaced replaced = {};  // constants that argument() has created for numbers that the document fixes

  void warn(const std::string& text);
};

// Reads one graph document into a block: of a program, a branch or a body. Each graph has its own names.
class GraphReader {
 public:
  GraphReader(Context& context, ir::Block& block, const Json& graph)
      : context_(context), block_(block), graph_(graph) {}

  // Sets the value of a name.
  void bind(const std::string& name, ir::Value* value) { values_[name] = value; }
  // Throws JsonError if there is none.
  ir::Value* value(const std::string& name) const;

  // Facts of a name in the document.
  ir::Facts tensor_facts(const std::string& name) const;
  ir::Facts result_facts(const Json& node) const;  // of the first result
  ir::Facts number_facts(const std::string& name, ir::Type::Kind type) const;

  // Appends all nodes.
  void read();

  // Converts an argument or an output to a value. `wanted` is the operator's type for it, or null. Constants become
  // nodes; tensors of a list are gathered into a list node.
  ir::Value* argument(const Tagged& argument, const ir::Type* wanted = nullptr);
  // Adds a constant node; `type` is that of an operator's argument, or null.
  ir::Value* constant(ir::Constant value, const ir::Type* type = nullptr);
  // Adds an operator with one result by its full name; missing arguments have their defaults.
  ir::Value* emit_value(std::string_view full_name, std::span<ir::Value* const> inputs);
  // Adds a copy of a tensor in its own storage, without known content.
  ir::Value* emit_copy(ir::Value* tensor);

 private:
  friend class ControlReader;
  friend class FunctionalizedReader;
  friend class NumberReader;

  void read_node(const Json& node);
  // Adds a node that is refused if its results are read; if it has no results, stores the refusal. So all refusals of a
  // program are reported together.
  void leave(const Json& node, const std::string& op, const std::string& why);
  // Refuses sizes by which a check of the program never holds.
  // Warns of an operator that fails if a condition is false, unless the condition always holds.
  void warn_of_check(const Json& node, const ir::Schema& schema);
  void require_check(const Json& node) const;
  void read_operator(const Json& node, std::string_view target);
  // Refuses a call that does not fit the registered schema of its operator.
  void require_fit(const Json& node, const ir::Schema& schema) const;
  // Returns false, and refuses the call, if it shows that its operator writes.
  bool is_pure(const Json& node, const ir::Schema& schema);
  // Returns false if the call does not have this form; it is then read like any other.
  bool read_form(const Json& node, std::string_view full_name);
  bool read_size(const Json& node);
  bool read_element_count(const Json& node);
  bool read_stride(const Json& node);
  bool read_same_strides(const Json& node);
  bool read_iota(const Json& node);
  bool read_split_dim(const Json& node);
  bool read_strided_copy(const Json& node);
  bool read_product(const Json& node);
  bool read_sum(const Json& node);
  bool read_cube_root(const Json& node);
  bool read_resize(const Json& node);
  // True if another node than this one, or an output of the graph, uses the tensor.
  bool has_other_users(const Json& node, const std::string& tensor) const;
  // True if the kernel of a sum or product returns int64, although its metadata declares the dtype of the argument.
  bool returns_int64(const Json& node) const;
  // The same as bind_result() for a result that is int64 if `is_int64`, whatever the document declares. Refuses a
  // result that other nodes read, because their dtypes in the document depend on it.
  bool bind_reduced(const Json& node, ir::Value* result, bool is_int64);
  bool read_quotient(const Json& node);
  bool read_broadcast(const Json& node);
  bool read_uniform(const Json& node);
  // The argument with this name; throws if there is none.
  ir::Value* named_argument(const Json& node, std::string_view name);
  // Names the only output of a node; returns true.
  bool bind_result(const Json& node, ir::Value* result);
  ir::Node* emit(std::string kind, std::span<ir::Value* const> inputs, std::size_t outputs);
  ir::Value* list(std::span<ir::Value* const> items, ir::Type element);
  ir::Value* numbers(const Json& items, ir::Type::Kind kind);
  ir::Value* tensors(const Json& items);
  // Names the outputs of a node as in the document, and sets their facts.
  void bind_outputs(const Json& node, std::span<ir::Value* const> outputs);
  void bind_output(const Tagged& output, ir::Value* value);
  void settle(ir::Node& made);
  void note_memory(const Json& node, ir::Node& made);
  // Names of the first argument and of the first result; empty if either is not a tensor.
  std::pair<std::string, std::string> first_tensors(const Json& node) const;
  const Json& tensor_meta(const std::string& tensor) const { return graph_.at("tensor_values").at(tensor); }
  // Casts operands as autocast does: to the dtype of the result, if this is the reason for a mismatch.
  void cast_operands(const Json& node, const ir::Schema& schema, std::vector<ir::Value*>& operands);
  [[noreturn]] void refuse(const Json& node, const std::string& op, const std::string& why) const;

  Context& context_;
  ir::Block& block_;
  const Json& graph_;
  std::unordered_map<std::string, ir::Value*> values_;
  std::unordered_map<std::string, std::string>
      wholes_;  // by view: the contiguous tensor that begins at the same offset
  ir::Location location_;
  std::string casts_;  // device of the enclosing autocast region; empty if there is none
};

struct OperatorName {
  std::string name;      // "aten::add"
  std::string overload;  // "Tensor"; may be empty

  std::string full() const { return overload.empty() ? name : name + "." + overload; }
};

// Parses "aten.add.Tensor". Throws Error(Code::File) if it is not an operator name.
OperatorName operator_name(std::string_view target);

// The schema for a call of an operator that is not in the table: the arguments have the names and types of the call.
ir::SchemaPtr schema_of_call(const std::string& name, const std::string& overload, const Json& node);

// Converts a dtype from the documents' numbers to those of operators.
ir::Constant constant_of(const Tagged& value);

}  // namespace tonnx::exported
