#pragma once

#include <string>

#include "ir/constant.h"

namespace tonnx::torch {

// Example arguments from what torch.save wrote for a tensor, a number or a tuple (or list) of arguments whose last item
// may be a dict of keyword arguments, by names; an empty dict at the end says that a dict before it is an argument, as
// one of other keys always is. Tensors saved on another device are read to the host. Throws Error(Code::File) if the
// file is missing, damaged or of another kind, Error(Code::Argument) if it holds objects that are no arguments.
ir::Arguments read_arguments(const std::string& path);

}  // namespace tonnx::torch
