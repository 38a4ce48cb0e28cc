#pragma once

#include <string>
#include <vector>

#include "ir/constant.h"
#include "ir/tensor.h"

namespace tonnx::ir {

// The calling convention of a program: the trees of its arguments and of its result, and which leaves are inputs and
// outputs of the program. Immutable; may be shared between threads.
class CallForm {
 public:
  virtual ~CallForm() = default;

  // The values of the inputs for these arguments, in order; numbers become rank-0 tensors. Keywords are names of
  // parameters or of single inputs. Throws Error(Code::Argument) if the arguments do not fit: too many or too few,
  // another dtype, rank or fixed size, or another number, string or None than the one fixed in the program.
  virtual std::vector<Tensor> inputs(const Arguments& arguments) const = 0;
  // The values of the outputs for this result of the program, in order. Throws Error(Code::Argument) if it is another
  // tree.
  virtual std::vector<Tensor> outputs(const Constant& result) const = 0;
  // Both trees as a JSON object. Its leaves are names of model inputs and outputs, fixed values, or marks for omitted
  // values.
  virtual std::string json(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) const = 0;
};

}  // namespace tonnx::ir
