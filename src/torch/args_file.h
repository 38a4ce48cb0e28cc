#pragma once

#include <string>

#include "ir/constant.h"

namespace tonnx::torch {

// Reads example arguments written by torch.save: a tensor, a number, or a tuple (or list) of arguments whose last item
// may be a dict of keyword arguments. A dict before an empty dict at the end is a positional argument, as is a dict
// whose keys are not strings. Tensors saved on another device are read to the host. Throws Error(Code::File) if the
// file is missing, damaged or of another kind, Error(Code::Argument) if it contains objects that cannot be arguments.
ir::Arguments read_arguments(const std::string& path);

}  // namespace tonnx::torch
