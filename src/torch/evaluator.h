#pragma once

#include <memory>

#include "ir/evaluator.h"

namespace tonnx::torch {

// An evaluator over LibTorch's meta tensors. Inputs and weights carry no data; constants do, and what depends on
// constants alone is computed truly on the CPU. Operators without a meta kernel have rules of their own, kept out of
// LibTorch's dispatcher; the rest are run on the CPU over pages of zeros. The devices of all tensors read "cpu",
// gradient mode reads "on" and floating tensors without data read as requiring gradients, as they do when the program
// is called plainly. LibTorch's random state stays as it is. describe() tells the value of a probe, which is no fact,
// and no value of what was computed from one. One thread at a time; a datum may outlive the evaluator.
std::unique_ptr<ir::Evaluator> make_evaluator();

}  // namespace tonnx::torch
