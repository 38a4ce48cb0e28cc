#pragma once

#include <memory>

#include "ir/evaluator.h"

namespace tonnx::torch {

// Creates an evaluator based on LibTorch's meta tensors. Inputs and weights have no data. Constants do, and operators
// on constants alone are computed on the CPU. Operators without a meta kernel have rules in tonnx, which are not
// registered in LibTorch's dispatcher; other operators are run on the CPU over zero pages. All tensors have device
// "cpu", gradients are enabled, and floating tensors without data require gradients, as in a plain call of the program.
// LibTorch's random state is not changed. describe() returns the value of a probe, which is not a fact, but no value of
// a result computed from one. Used by one thread at a time; a datum may outlive the evaluator.
std::unique_ptr<ir::Evaluator> make_evaluator();

}  // namespace tonnx::torch
