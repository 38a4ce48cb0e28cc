#pragma once

#include <string>
#include <vector>

#include "exported/json.h"
#include "ir/raw_program.h"

namespace tonnx::exported {

// How a program is called: the tree of its arguments, which tensors and open numbers of it are inputs of the program, and
// which values are fixed.
class CallSpec {
 public:
  // Of a document's graph module, which must outlive it.
  explicit CallSpec(const Json& module);

  // The tensors of `arguments` that are the inputs of `program`, in order; numbers are rank-0 tensors. Keywords are names
  // of the program's parameters, or of single inputs. Throws Error(Code::Argument) where they do not fit: one too many or
  // missing, another dtype, rank or fixed size, or a number, text or None other than the one the program was exported with.
  std::vector<ir::Tensor> inputs(const ir::Arguments& arguments, const ir::Graph& program) const;

 private:
  struct Leaf {
    std::string name;
    const Json* fixed;  // null for an input of the program
  };
  using Leaves = std::vector<const ir::Constant*>;

  void place(const ir::Arguments& arguments, Leaves& leaves) const;
  void place_keyword(const std::string& name, const ir::Constant& value, Leaves& leaves) const;

  std::vector<Leaf> leaves_;
  Json positional_;  // the tree of positional arguments, a tuple
  Json keywords_;    // of keyword arguments, a dict
  std::vector<std::string> parameters_;  // names of the positional and then the keyword arguments; may be empty
};

}  // namespace tonnx::exported
