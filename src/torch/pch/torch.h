#ifndef TONNX_TORCH_PCH_TORCH_H
#define TONNX_TORCH_PCH_TORCH_H

// Precompiled for the sources that include LibTorch's headers. A source still includes what it uses.
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <ATen/core/jit_type.h>
#include <ATen/ops/empty.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/runtime/operator.h>

#include "ir/pch/ir.h"

#endif
