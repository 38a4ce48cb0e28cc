#pragma once

#include <string>
#include <vector>

#include "ir/constant.h"
#include "ir/tensor.h"

namespace tonnx::ir {

// How a program is called: the trees of its arguments and of its result, and which of their leaves are tensors of the
// program's inputs and outputs. Immutable; threads may share it.
class CallForm {
 public:
  virtual ~CallForm() = default;

  // What the inputs get for these arguments, in order; numbers are rank-0 tensors. Keywords are names of parameters, or
  // of single inputs. Throws Error(Code::Argument) where they do not fit: one too many or missing, another dtype, rank
  // or fixed size, or a number, text or None other than the one that is fixed in the program.
  virtual std::vector<Tensor> inputs(const Arguments& arguments) const = 0;
  // What the outputs are for this result of the program, in order. Throws Error(Code::Argument) where it is another
  // tree.
  virtual std::vector<Tensor> outputs(const Constant& result) const = 0;
  // Both trees as a JSON object whose leaves name inputs and outputs of a model, or hold what is fixed or left out.
  virtual std::string json(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) const = 0;
};

}  // namespace tonnx::ir
