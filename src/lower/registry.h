#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/function.h"
#include "ir/graph.h"
#include "lower/outputs.h"

namespace tonnx::lower {

class Op;

// Converts one source node to ONNX nodes: binds the arguments, checks, builds, and returns a value for each output.
// Refuses by op.refuse(); never guesses.
using Lowering = Outputs (*)(Op& op);

// A row of a family's table.
struct Row {
  std::string_view
      name;  // "aten::add" serves every overload without a row of its own; "aten::add.Tensor" only that overload
  std::int32_t since;  // the first opset of this lowering; the newest row not above the target is used
  Lowering lowering;
};

// Lowerings of calls without complex tensors and scalars, and of calls with them.
enum class Form { Real, Complex };

// A user's symbolic, for both forms: it receives a complex tensor as a real one with a last axis of 2. Nullopt means
// that it declines; the next registration is called.
using Symbolic = std::function<std::optional<Outputs>(Op& op)>;

// Maps an operator and opset to a lowering: the built-in tables and the users' symbolics. A symbolic takes precedence
// over every built-in of its name. Among registrations of one name the newest not above the target is used. For a
// target below 9 without one, symbolics of newer opsets up to 9 are used, the nearest first; built-ins never. Look-up
// is const and may run concurrently; add and remove need exclusive access. A copy is cheap, and does not change with
// the original: entries that it returned stay valid as long as it lives.
class Registry {
 public:
  struct Entry {
    std::string name;
    std::int32_t since;
    Lowering lowering = nullptr;               // built-in
    std::shared_ptr<const Symbolic> symbolic;  // the user's
    std::string function = {};                 // that the symbolic calls, if it does nothing else
    bool is_custom() const { return symbolic != nullptr; }
  };

  // Adds the built-in tables.
  Registry();

  // Throws Error(Code::Argument) if the name is not domain::op or the opset is below 1. A second registration for the
  // same name and opset replaces the first.
  void add(std::string name, std::int32_t since, Symbolic symbolic, std::string function = {});
  // The symbolic of exactly this name and opset; null if there is none.
  const Entry* symbolic(const std::string& name, std::int32_t since) const;
  // Removes a symbolic; returns false if there is none. The built-in is used again.
  bool remove(const std::string& name, std::int32_t since);

  // The functions that a symbolic can call by name, used and unused. `add_functions` keeps those that are known
  // already. Throws Error(Code::Argument), and adds none, if a known one of the same name differs, or if functions call
  // themselves.
  void add_functions(const std::vector<ir::FunctionPtr>& functions);
  const ir::Functions& functions() const { return *functions_; }

  // The candidates, in order, for an operator ("aten::add", overload "Tensor") at a target opset. If there are none,
  // the symbolics of its in-place form ("my::scale_" for "my::scale").
  std::vector<const Entry*> find(std::string_view name, std::string_view overload, std::int32_t opset,
                                 Form form = Form::Real) const;
  // The same for a node. Symbolics of the overload that the program calls (aten/called_as.h) come first.
  std::vector<const Entry*> find(const ir::Node& node, std::int32_t opset, Form form = Form::Real) const;
  // The oldest opset above `opset` that has a lowering for the operator; 0 if none.
  std::int32_t later(std::string_view name, std::string_view overload, std::int32_t opset,
                     Form form = Form::Real) const;
  // The entry with a function that a newer opset than `opset` has for the node, while this one has no symbolic; or
  // null.
  const Entry* newer_function(const ir::Node& node, std::int32_t opset) const;
  // All entries, by name, then opset. Entries for complex tensors are included only if the operator's real entries
  // start at another opset, or there are none; they are named "aten::sqrt<complex>" if there are real ones.
  std::vector<const Entry*> entries() const;

 private:
  using Table = std::map<std::string, std::vector<Entry>, std::less<>>;  // newest first in each vector
  static const Table& built_in(Form form = Form::Real);
  // Calls `take` for every list of entries that serves a call, those with a dtype first.
  template <typename Take>
  static void visit(const Table& table, std::string_view name, std::string_view overload, const Take& take);
  std::shared_ptr<const Table> custom_ = std::make_shared<const Table>();
  std::shared_ptr<const ir::Functions> functions_ = std::make_shared<const ir::Functions>();
};

}  // namespace tonnx::lower
