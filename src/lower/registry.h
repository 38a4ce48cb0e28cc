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

#include "lower/outputs.h"

namespace tonnx::lower {

class Op;

// Turns one source node into ONNX nodes: bind the arguments, check, build, return a value per output.
// Refuses by op.refuse(); never guesses.
using Lowering = Outputs (*)(Op& op);

// One line of a family's table.
struct Row {
  std::string_view
      name;            // "aten::add" serves every overload without a row of its own; "aten::add.Tensor" just that one
  std::int32_t since;  // first opset this lowering serves; the newest row not above the target wins
  Lowering lowering;
};

// Lowerings of calls in which no complex tensor or number occurs, and of those in which one does.
enum class Form { Real, Complex };

// A user's symbolic, of both forms: a complex tensor is a real one with a last axis of 2 to it. Nullopt means "not me":
// the next registration is asked.
using Symbolic = std::function<std::optional<Outputs>(Op& op)>;

// Which lowering serves which operator at which opset: the built-in tables and a user's symbolics, through one door.
// A symbolic wins over every built-in of its name; among registrations of one name the newest not above the target
// wins. A name without one for a target below 9 gives its symbolics above the target up to 9, the nearest first;
// built-ins never. Look-up is const and may run concurrently; add and remove are exclusive.
class Registry {
 public:
  struct Entry {
    std::string name;
    std::int32_t since;
    Lowering lowering = nullptr;               // built-in
    std::shared_ptr<const Symbolic> symbolic;  // user's
    bool is_custom() const { return symbolic != nullptr; }
  };

  // Holds the built-in tables.
  Registry();

  // Throws Error(Code::Argument) if the name is not domain::op or the opset is below 1. A second registration for
  // the same name and opset replaces the first.
  void add(std::string name, std::int32_t since, Symbolic symbolic);
  // Removes a symbolic; false if there is none. The built-in is in force again.
  bool remove(const std::string& name, std::int32_t since);

  // What to ask, in order, for an operator ("aten::add", overload "Tensor") at a target opset.
  std::vector<const Entry*> find(std::string_view name, std::string_view overload, std::int32_t opset,
                                 Form form = Form::Real) const;
  // The oldest opset that has a lowering for it above `opset`; 0 if none.
  std::int32_t later(std::string_view name, std::string_view overload, std::int32_t opset,
                     Form form = Form::Real) const;
  // Every entry, by name, then opset; of those for complex tensors the ones that no other of their operator has the
  // first opset of, as "aten::sqrt<complex>" where there is another.
  std::vector<const Entry*> entries() const;

 private:
  using Table = std::map<std::string, std::vector<Entry>, std::less<>>;  // newest first in each vector
  static const Table& built_in(Form form = Form::Real);
  // Takes every list of entries that serves a call, those of a dtype before those of any.
  template <typename Take>
  static void visit(const Table& table, std::string_view name, std::string_view overload, const Take& take);
  Table custom_;
};

}  // namespace tonnx::lower
